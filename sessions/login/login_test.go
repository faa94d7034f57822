package login

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/internal/disk/paths"
)

// TestRenew: each login with an ssh agent that answers renews the link that sessions have;
// a dead agent, another user's socket and a process in a session do not.
func TestRenew(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cl") // names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p, uid := paths.Paths{Runtime: dir}, os.Getuid()
	listen := func(name string) (string, net.Listener) {
		path := filepath.Join(dir, name)
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return path, l
	}
	one, first := listen("one")
	two, _ := listen("two")
	dead, l := listen("dead")
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	check := func(what string, uid int, env []string, target string, linked bool) {
		t.Helper()
		got := Renew(p, uid, env)
		want := env
		if linked {
			want = []string{"A=b", EnvSSHAgent + "=" + p.SSHAgent()}
		}
		if now, _ := os.Readlink(p.SSHAgent()); now != target || !slices.Equal(got, want) {
			t.Errorf("%s: the link leads to %q, the environment is %q; want %q, %q", what, now, got, target, want)
		}
	}
	env := func(socket string, more ...string) []string {
		return append([]string{"A=b", EnvSSHAgent + "=" + socket}, more...)
	}
	check("no agent", uid, []string{"A=b"}, "", false)
	check("another user's", uid+1, env(one), "", false)
	check("a login", uid, env(one), one, true)
	check("the next login", uid, env(two), two, true)
	check("in a pane", uid, env(p.SSHAgent()), two, false)
	check("in a session", uid, env(one, "CCDIR_SESSION=x"), two, false)
	check("a dead agent", uid, env(dead), two, false)
	check("no socket", uid, env(filepath.Join(dir, "none")), two, false)
	check("the first again", uid, env(one), one, true)
	first.Close()
	if err := CheckSSHAgent(p.SSHAgent(), uid); err == nil {
		t.Error("an agent that is gone is said to answer")
	}
	check("after its end", uid, env(two), two, true)
	if err := CheckSSHAgent(p.SSHAgent(), uid); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(p.SSHAgent() + ".*"); left != nil {
		t.Errorf("left over: %q", left)
	}
}
