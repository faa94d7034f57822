package realcli

import (
	"os"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestPolicyDeadline: a request that is not answered in time leaves ccdir; the dialog
// in the pane stays and takes the answer.
func TestPolicyDeadline(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "auto", rules, fakeapi.Turns(bash("touch asked")))
	config, err := os.ReadFile(p.Paths.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.ConfigFile(), append([]byte("permission_timeout = \"2s\"\n"), config...), 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	r, seq := p.Request(ctx, id, 0)
	if left := r.Deadline.Sub(r.Since); left != 2*time.Second {
		t.Errorf("the deadline is after %s", left)
	}
	p.Event(ctx, id, seq, "the end of the request", func(e api.Event) bool { return e.Type == api.EventPermissionEnded })
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 {
		t.Errorf("open: %+v, %v", list, err)
	}
	rows, err := p.Client.Decisions(ctx, api.LedgerFilter{Request: r.ID})
	if err != nil || len(rows) != 1 || rows[0].Outcome != api.OutcomeDeadline || rows[0].Decision != api.EffectNone {
		t.Errorf("the ledger has %+v, %v", rows, err)
	}
	if p.Has("asked") {
		t.Error("it ran without an answer")
	}
	if s := p.Show(ctx, id); s.State != api.StatePermission || !s.AnswerInPane || s.Tool != "Bash" || !strings.Contains(string(s.Input), `"touch asked"`) || !strings.Contains(s.Question, "Bash: touch asked") {
		t.Errorf("it waits in its pane as %+v", s)
	}
	p.Screen(ctx, id, "1. Yes")
	answer(ctx, p, id)
	p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
	if !p.Has("asked") {
		t.Errorf("the dialog took no answer\n%s", p.Dump())
	}
}
