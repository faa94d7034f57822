package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/sessions"
)

// spoolOld puts a call into the spool that was left there some time ago.
func (p *place) spoolOld(s api.Session, id, text string) {
	p.t.Helper()
	p.spool(s, id, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"`+text+`"`), p.token(s))
	old := time.Now().Add(-10 * time.Second)
	if err := os.Chtimes(filepath.Join(p.spoolDir(s), id+".json"), old, old); err != nil {
		p.t.Fatal(err)
	}
}

// TestSpoolWhileRunning: what a hook left in the spool of a daemon that runs,
// because it was not answered in time, is taken in soon, once, and before what came
// later.
func TestSpoolWhileRunning(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	if err := p.hook(s, claude.HookSessionStart, "0", hookJSON(claude.HookSessionStart, `"source":"startup"`)); err != nil {
		t.Fatal(err)
	}
	p.spoolOld(s, "0001-id", "first.")
	until(t, "the call to be taken in", func() bool { return len(p.taken(s.ID)) == 1 })
	until(t, "its file to be gone", func() bool { left, _ := os.ReadDir(p.spoolDir(s)); return len(left) == 0 })
	if v := p.get(s.ID); v.State != api.StateWorking || v.Prompt != "first." {
		t.Errorf("the state is %s, the prompt %q", v.State, v.Prompt)
	}
	p.spoolOld(s, "0002-id", "second.")
	if err := p.hook(s, claude.HookUserPromptSubmit, "0003-id", hookJSON(claude.HookUserPromptSubmit, `"prompt":"third."`)); err != nil {
		t.Fatal(err)
	}
	if got, want := p.taken(s.ID), []string{"first.", "second.", "third."}; !slices.Equal(got, want) {
		t.Errorf("the log has %q", got)
	}
	// One that came both ways is one, and not worth a word.
	p.spoolOld(s, "0003-id", "third.")
	until(t, "the file to be gone", func() bool { left, _ := os.ReadDir(p.spoolDir(s)); return len(left) == 0 })
	if got := p.taken(s.ID); len(got) != 3 {
		t.Errorf("the log has %q", got)
	}
	late := 0
	for _, e := range p.events() {
		if e.Type == api.EventSpoolDrained {
			late++
			if !strings.Contains(e.Message, "1 hook call came late") {
				t.Errorf("said: %s", e.Message)
			}
		}
	}
	if late != 2 {
		t.Errorf("it was said %d times", late)
	}
}

// TestGateIsTold: a call that did not run because its hook had failed is an event and a row of the
// ledger, once; what a session's programs put in the note's place does no harm.
func TestGateIsTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	note := filepath.Join(p.spoolDir(s), paths.SpoolGate)
	put := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(p.spoolDir(s), 0o700), os.WriteFile(note, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	gone := func() {
		t.Helper()
		calls++
		if err := p.hook(s, claude.HookPostToolUse, fmt.Sprint("call", calls), hookJSON(claude.HookPostToolUse, lsInput)); err != nil { // before which the spool is looked at
			t.Fatal(err)
		}
		until(t, "the note to be taken", func() bool { left, _ := os.ReadDir(p.spoolDir(s)); return len(left) == 0 })
	}
	put("PreToolUse\nPreToolUse\n")
	gone()
	if err := os.Symlink(p.paths.ConfigFile(), note); err != nil {
		t.Fatal(err)
	}
	gone()
	if err := os.MkdirAll(filepath.Join(note, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	gone()
	var said []string
	for _, e := range p.events() {
		if e.Type == api.EventHookFailed && e.Session == s.ID {
			said = append(said, e.Message)
		}
	}
	if want := []string{"2 calls did not run: ccdir's hook PreToolUse failed or was late"}; !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions?session="+s.ID, nil, &rows)
	if len(rows) != 1 || rows[0].Decision != api.LedgerRefused || rows[0].Hook != claude.HookPreToolUse {
		t.Errorf("the ledger has %+v", rows)
	}
}

// TestSpoolBeforeTheEnd: neither a restart nor a removal of a session takes calls
// with it that wait in its spool.
func TestSpoolBeforeTheEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	end := func() {
		t.Helper()
		p.call("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{Force: true}, nil)
	}
	end()
	p.spool(s, "0001-id", claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"before the restart."`), p.token(s))
	p.call("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil)
	if v := p.get(s.ID); v.State.Ended() {
		t.Errorf("after the restart it is %s", v.State)
	}
	end()
	p.spool(s, "0002-id", claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"before the removal."`), p.token(s))
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
	if got, want := p.taken(s.ID), []string{"before the restart.", "before the removal."}; !slices.Equal(got, want) {
		t.Errorf("the log has %q", got)
	}
}

// TestHookGivenUp: a call whose process has gone before it was weighed is taken all
// the same.
func TestHookGivenUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	busy, goOn := make(chan struct{}), make(chan struct{})
	p.pause = func(point string) {
		if point == sessions.PauseSpool { // in the session's actor
			close(busy)
			<-goOn
		}
	}
	p.run()
	s := p.agentSession("")
	p.spoolOld(s, "0001-id", "in the spool.")
	<-busy
	// Its bytes are with the daemon when it goes.
	conn, err := net.Dial("unix", p.paths.Socket())
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", "http://ccdir/v1/hook", strings.NewReader(hookJSON(claude.HookUserPromptSubmit, `"prompt":"given up."`)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{api.HeaderSession: s.ID, api.HeaderToken: p.token(s), api.HeaderHook: claude.HookUserPromptSubmit,
		api.HeaderHookID: "0002-id", api.HeaderAt: time.Now().UTC().Format(time.RFC3339Nano)} {
		req.Header.Set(name, value)
	}
	if err := errors.Join(req.Write(conn), conn.Close()); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	until(t, "the call to be taken", func() bool { return len(p.taken(s.ID)) == 2 })
}
