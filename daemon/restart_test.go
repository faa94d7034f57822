package daemon

import (
	"os"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/sessions"
)

// stopsAtEnding runs the place's daemon, which waits when it is about to end a session
// for the first time, until goOn takes something.
func (p *place) stopsAtEnding() (ending, goOn chan struct{}) {
	ending, goOn = make(chan struct{}), make(chan struct{})
	var first sync.Once
	p.pause = func(point string) {
		if point == sessions.PauseEnding {
			first.Do(func() {
				ending <- struct{}{}
				<-goOn
			})
		}
	}
	p.run()
	return ending, goOn
}

// TestSendWhileItRestarts: what is sent to a session that is being started again is
// held for the new process, which takes it once.
func TestSendWhileItRestarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ending, goOn := p.stopsAtEnding()
	s := p.create(api.NewSession{Agent: "demo", Name: "again", Prompt: "say first"})
	until(t, "the first prompt", func() bool { return len(p.prompts(s.ID)) == 1 })
	p.wait(s.ID, api.StateIdle)
	restarted := make(chan error, 1)
	go func() { restarted <- p.try("POST", "/v1/sessions/again/restart", nil, nil) }()
	<-ending
	if v := p.get(s.ID); !v.Restarting || v.State != api.StateExiting {
		t.Errorf("restarting %v, %s", v.Restarting, v.State)
	}
	sent := make(chan error, 2)
	call := api.SendPrompt{Text: "say second", ID: "one"}
	for range 2 { // the second time as a repeat
		go func() { _, err := p.send(s.ID, call); sent <- err }()
	}
	goOn <- struct{}{}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-sent; err != nil {
			t.Error(err)
		}
	}
	p.wait(s.ID, api.StateIdle)
	if got := p.prompts(s.ID); len(got) != 2 || got[1] != "say second" {
		t.Errorf("it took %q", got)
	}
	if v := p.get(s.ID); v.Restarting {
		t.Error("it is told to be restarting for ever")
	}
}

// TestSendWhileItFailsToRestart: what was sent meanwhile is refused.
func TestSendWhileItFailsToRestart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ending, goOn := p.stopsAtEnding()
	dir := t.TempDir()
	s := p.create(api.NewSession{Argv: sh("exec cat"), CWD: dir})
	restarted, sent := make(chan error, 1), make(chan error, 1)
	go func() { restarted <- p.try("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil) }()
	<-ending
	go func() { _, err := p.send(s.ID, api.SendPrompt{Text: "lost"}); sent <- err }()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	goOn <- struct{}{}
	if err := <-restarted; err == nil {
		t.Error("it runs where there is no directory")
	}
	if err := <-sent; api.CodeOf(err) != api.CodeNotRunning {
		t.Errorf("what was sent came to %v", err)
	}
}
