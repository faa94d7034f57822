package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

func (p *place) turns(ref string) (prompts []string, err error) {
	var list []api.Turn
	err = p.try("GET", "/v1/sessions/"+ref+"/transcript", nil, &list)
	for _, t := range list {
		prompts = append(prompts, t.Prompt)
	}
	return prompts, err
}

// TestConversationsKept: what an agent said is kept after its session was removed and its own
// file is gone, until it is purged.
func TestConversationsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
	p.run()
	want := []string{"say one" + strings.Repeat("\nmore of it", 60), "say two"}
	s := p.create(api.NewSession{Agent: "demo", Prompt: want[0], Cols: 100, Rows: 30})
	p.wait(s.ID, api.StateIdle)
	if _, err := p.send(s.ID, api.SendPrompt{Text: want[1]}); err != nil {
		t.Fatal(err)
	}
	p.wait(s.ID, api.StateIdle)
	p.call("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{}, nil)
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil) // at once: with the demo agent's own file
	if left, _ := filepath.Glob(filepath.Join(p.paths.SessionDir(s.ID), "*")); len(left) > 0 {
		t.Errorf("the session left %v", left)
	}
	if got, err := p.turns(s.ID); err != nil || !slices.Equal(got, want) {
		t.Errorf("after it was removed: %q, %v", got, err)
	}
	var shown api.Transcript // its last screen: what scrolled away is in the conversation
	if p.call("GET", "/v1/history/"+s.ID, nil, &shown); !strings.Contains(shown.ANSI, "two") || strings.Contains(shown.ANSI, "one") {
		t.Errorf("of what it showed is kept:\n%s", shown.ANSI)
	}
	p.stopDaemon()
	p.run()
	if got, err := p.turns(s.ID); err != nil || !slices.Equal(got, want) {
		t.Errorf("with the next daemon: %q, %v", got, err)
	}
	p.call("DELETE", "/v1/sessions/"+s.ID+"?purge=1", nil, nil)
	if got, err := p.turns(s.ID); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("after the purge: %q, %v", got, err)
	}
	if left, err := os.ReadDir(p.paths.Conversations()); err != nil || len(left) > 0 {
		t.Errorf("the purge left %v, %v", left, err)
	}
	if err := p.try("DELETE", "/v1/sessions/"+s.ID+"?purge=1", nil, nil); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("purged twice: %v", err)
	}
}
