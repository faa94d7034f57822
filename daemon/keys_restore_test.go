package daemon

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions"
)

// TestKeysOnRestore: the same for sessions of the past, of those that are known and
// of those that are made anew.
func TestKeysOnRestore(t *testing.T) {
	t.Parallel()
	each(t, around(sessions.PausePrepared, sessions.PauseLaunched, sessions.PauseCreated), func(p *place, n int, point string) {
		if point == sessions.PauseCreated {
			return // of the second part alone
		}
		p.spawn()
		file, name := fmt.Sprint("file", n), fmt.Sprint("s", n)
		s := p.create(api.NewSession{Name: name, Argv: p.writer(file, "exec sleep 1000")})
		until(t, "the process", func() bool { return p.lines(file) == 1 })
		until(t, "a snapshot", func() bool {
			o := p.offer("")
			return len(o.Kept) > 0 && slices.Contains(o.Kept[0].Sessions, name)
		})
		p.kill9()
		for _, pid := range []int{s.HostPID, s.PID} {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		until(t, "the host to be gone", func() bool { return !proc.Alive(s.HostPID, "") && !proc.Alive(s.PID, "") })
		a := p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/restore", api.Restore{Sessions: []string{name}, Env: os.Environ()}})
		list := decode[[]api.Restored](t, a)
		until(t, point+": the process to begin again", func() bool { return p.lines(file) >= 2 })
		if len(list) != 1 || list[0].Session == nil || list[0].Session.ID != s.ID || p.lines(file) != 2 || p.get(s.ID).State.Ended() {
			t.Errorf("%s: %+v, begun %d times", point, list, p.lines(file))
		}
		// Removed, it is made anew.
		kept := p.offer("").Kept[0].Number
		p.call("POST", "/v1/sessions/"+s.ID+"/kill", nil, nil)
		p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
		p.kill9()
		a = p.once(point, fmt.Sprint("anew", n), keyed{"POST", "/v1/restore", api.Restore{From: kept, Sessions: []string{name}, Env: os.Environ()}})
		list = decode[[]api.Restored](t, a)
		until(t, point+": the process to begin anew", func() bool { return p.lines(file) >= 3 })
		if len(list) != 1 || list[0].Session == nil || list[0].Session.ID == s.ID || p.lines(file) != 3 {
			t.Errorf("%s: anew %+v, begun %d times", point, list, p.lines(file))
		}
	})
}
