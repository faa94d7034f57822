package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions"
)

// TestKeysOnApprovals: the same for answers to requests, of which the agent gets one.
func TestKeysOnApprovals(t *testing.T) {
	t.Parallel()
	each(t, around(sessions.PauseRecorded), func(p *place, n int, point string) {
		p.spawn()
		s := p.create(api.NewSession{Agent: "demo"})
		p.wait(s.ID, api.StateIdle)
		p.kill9()
		for i, path := range []string{"approve", "deny", "reply"}[(n+1)%3 : (n+1)%3+1] {
			p.spawnDying(point)
			tool := fmt.Sprintf("make%d", i)
			p.call("POST", "/v1/sessions/"+s.ID+"/input", api.SendPrompt{Text: "permit Bash " + tool}, nil)
			r := p.request(s)
			c := keyed{"POST", "/v1/approvals/" + r.ID + "/" + path, api.Answer{}}
			if path == "reply" {
				c = keyed{"POST", "/v1/sessions/" + s.ID + "/reply", api.Reply{Behavior: api.AnswerAllow}}
			}
			key := fmt.Sprint("key", n, path)
			if a, err := p.tryKeyed(key, c); err == nil {
				t.Fatalf("%s: the daemon survived: %+v", point, a)
			}
			p.died()
			p.spawn()
			a, err := p.tryKeyed(key, c)
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("%s, %s: %v %+v", point, path, err, a)
			}
			want := api.AnswerAllow
			if path == "deny" {
				want = api.AnswerDeny
			}
			if d := decode[api.Decision](t, a); d.Request.ID != r.ID || d.By != api.ByPerson || d.Answer == nil || d.Answer.Behavior != want {
				t.Errorf("%s, %s: %+v", point, path, d)
			}
			p.wait(s.ID, api.StateIdle)
			if text := p.screen(s.ID); strings.Count(text, tool) < 1 {
				t.Errorf("%s, %s: the screen is %q", point, path, text)
			}
			p.kill9()
		}
	})
}
