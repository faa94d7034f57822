package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions"
	"ccdir/sessions/delivery"
)

// TestKeysMakeOneSession: the daemon is killed at each point of making a session, and
// the call repeated: one process was started, in one session, and it got its prompt.
func TestKeysMakeOneSession(t *testing.T) {
	t.Parallel()
	points := around(sessions.PausePrepared, sessions.PauseLaunched, sessions.PauseCreated)
	t.Run("command", func(t *testing.T) {
		t.Parallel()
		each(t, points, func(p *place, n int, point string) {
			file := fmt.Sprint("file", n)
			a := p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/sessions", api.NewSession{CWD: p.paths.Home, Env: os.Environ(), Argv: p.writer(file, "exec sleep 1000")}})
			s := decode[api.Session](t, a)
			until(t, point+": the process to begin", func() bool { return p.lines(file) > 0 })
			var list []api.Session
			p.call("GET", "/v1/sessions", nil, &list)
			if len(list) != n+1 || p.lines(file) != 1 || p.get(s.ID).State.Ended() {
				t.Errorf("%s: %d sessions, %d processes begun; the session: %+v", point, len(list), p.lines(file), p.get(s.ID))
			}
		})
	})
	t.Run("prompt", func(t *testing.T) {
		t.Parallel()
		points := append(slices.Clone(points), delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted)
		each(t, points, func(p *place, n int, point string) {
			text := fmt.Sprintf("say first %d.", n)
			c := keyed{"POST", "/v1/sessions", api.NewSession{CWD: p.paths.Home, Env: os.Environ(), Agent: "demo", Prompt: text}}
			key := fmt.Sprint("key", n)
			if slices.Contains(points[:len(points)-4], point) {
				p.once(point, key, c)
			} else { // the call is answered before the daemon dies
				p.spawnDying(point)
				_, _ = p.tryKeyed(key, c)
				p.died()
				p.spawn()
			}
			a, err := p.tryKeyed(key, c)
			if err != nil {
				t.Fatal(err)
			}
			s := decode[api.Session](t, a)
			until(t, point+": the prompt to be answered", func() bool { return strings.Contains(p.eventTypes(s.ID), claude.HookStop) })
			if got := p.prompts(s.ID); !slices.Equal(got, []string{text}) {
				t.Errorf("%s: the prompts are %q", point, got)
			}
			var list []api.Session
			if p.call("GET", "/v1/sessions", nil, &list); len(list) != n+1 {
				t.Errorf("%s: %d sessions", point, len(list))
			}
		})
	})
}

// TestKeysOnSessions: the same for what is done to sessions.
func TestKeysOnSessions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		points []string
		run    func(p *place, n int, point string)
	}{
		"restart": {around(sessions.PausePrepared, sessions.PauseLaunched), func(p *place, n int, point string) {
			file := fmt.Sprint("file", n)
			for i, then := range []string{"exec sleep 1000", "exit 3"}[n%2 : n%2+1] {
				p.spawn()
				s := p.create(api.NewSession{Name: fmt.Sprintf("s%d-%d", n, i), Argv: p.writer(file, then)})
				until(t, "the process", func() bool { return p.lines(file) == 2*i+1 })
				p.kill9()
				p.once(point, fmt.Sprintf("key%d-%d", n, i), keyed{"POST", "/v1/sessions/" + s.Name + "/restart", nil})
				until(t, point+": the process to begin again", func() bool { return p.lines(file) >= 2*i+2 })
				if got := p.lines(file); got != 2*i+2 {
					t.Errorf("%s, %s: begun %d times", point, then, got-2*i)
				}
				p.kill9()
			}
		}},
		"kill": {around(sessions.PauseEnding), func(p *place, n int, point string) {
			p.spawn()
			s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
			p.kill9()
			a := p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/sessions/" + s.ID + "/kill", api.Kill{}})
			if v := decode[api.Session](t, a); v.State != api.StateExited || proc.Alive(s.PID, "") {
				t.Errorf("%s: %+v", point, v)
			}
			// Begun again by somebody, it is not what the call was to end.
			p.call("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil)
			if _, err := p.tryKeyed(fmt.Sprint("key", n), keyed{"POST", "/v1/sessions/" + s.ID + "/kill", api.Kill{}}); err != nil || p.get(s.ID).State.Ended() {
				t.Errorf("%s: the repeat ended another process (%v)", point, err)
			}
		}},
		"remove": {around(), func(p *place, n int, point string) {
			p.spawn()
			name := fmt.Sprint("s", n)
			s := p.create(api.NewSession{Name: name, Argv: sh("exit 0")})
			p.wait(s.ID, api.StateExited)
			p.kill9()
			p.once(point, fmt.Sprint("key", n), keyed{"DELETE", "/v1/sessions/" + name, nil})
			p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/"+s.ID, nil)
		}},
		"input": {around(delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted), func(p *place, n int, point string) {
			p.spawn()
			s := p.create(api.NewSession{Agent: "demo"})
			p.wait(s.ID, api.StateIdle)
			p.kill9()
			text := fmt.Sprintf("say input %d.", n)
			p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/sessions/" + s.ID + "/input", api.SendPrompt{Text: text, Wait: true}})
			if got := p.prompts(s.ID); !slices.Equal(got, []string{text}) {
				t.Errorf("%s: the prompts are %q", point, got)
			}
		}},
		"raw input": {around(), func(p *place, n int, point string) {
			p.spawn()
			file := fmt.Sprint("file", n)
			s := p.create(api.NewSession{Argv: sh("exec cat > " + filepath.Join(p.paths.Home, file))})
			p.kill9()
			paste := "paste\n"
			in := []api.RawInput{{Data: []byte("data\n")}, {Keys: []string{"k", "Enter"}}, {Paste: &paste}}[n]
			p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/sessions/" + s.ID + "/input/raw", in})
			p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Data: []byte("end\n")}, nil)
			until(t, "the last line", func() bool { return p.lines(file) >= 2 })
			if got, _ := os.ReadFile(filepath.Join(p.paths.Home, file)); string(got) != []string{"data", "k", "paste"}[n]+"\nend\n" {
				t.Errorf("%s: typed %q", point, got)
			}
		}},
		"rename": {around(), func(p *place, n int, point string) {
			p.spawn()
			s := p.create(api.NewSession{Name: fmt.Sprint("before", n), Argv: sh("exec sleep 1000")})
			p.kill9()
			p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/sessions/" + fmt.Sprint("before", n) + "/rename", api.Rename{Name: fmt.Sprint("after", n)}})
			if v := p.get(s.ID); v.Name != fmt.Sprint("after", n) {
				t.Errorf("%s: %+v", point, v)
			}
			if told := strings.Count(p.eventTypes(s.ID), api.EventSessionRenamed); told != 1 {
				t.Errorf("%s: %d events", point, told)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, test.points, test.run)
		})
	}
}
