package sessions

import (
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// TestRetry: that the agent asks its API again is a detail of its work, until it goes on.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		s, err := a.find("aaaaaaaa")
		if err != nil {
			t.Fatal(err)
		}
		st := &stage{desk: a, s: s}
		sees := func(r *api.Retry) { st.in(func() { s.seesRetry(r, time.Now()) }) }
		check := func(when string, want string) {
			t.Helper()
			now, err := a.Get(t.Context(), s.id)
			if err != nil {
				t.Fatal(err)
			}
			x, err := a.Explain(t.Context(), s.id)
			if got := now.RetryLine(time.Now()); err != nil || got != want || (x.Retry != nil) != (want != "") {
				t.Errorf("%s: %q, explained %v, want %q, %v", when, got, x.Retry, want, err)
			}
		}
		shown := func(attempt int) *api.Retry {
			return &api.Retry{Attempt: attempt, Most: 10, Status: 529, Next: time.Now().Add(12 * time.Second)}
		}
		st.hook(agents.Hook{}, api.KindConversationBegins, api.StateIdle, "source=startup")
		sees(shown(1))
		check("at rest", "")
		st.hook(agents.Hook{Prompt: "go"}, api.KindPrompt, api.StateWorking, "")
		sees(shown(3))
		check("shown", "retries 3rd of 10, 529, again in 12s")
		sees(nil)
		time.Sleep(12 * time.Second)
		sees(nil)
		check("under way", "retries 3rd of 10, 529")
		sees(shown(4))
		check("again", "retries 4th of 10, 529, again in 12s")
		time.Sleep(12*time.Second + retryShows + time.Millisecond)
		sees(nil)
		check("the screen has gone on", "")
		sees(shown(5))
		st.hook(agents.Hook{Tool: "Bash"}, api.KindToolBegins, api.StateWorking, "tool=Bash tool_use_id=one")
		check("a tool runs", "")
		sees(shown(1))
		st.hook(agents.Hook{Reply: "done"}, api.KindTurnEnds, api.StateIdle, "")
		time.Sleep(time.Minute)
		check("the turn has ended", "")
	})
}
