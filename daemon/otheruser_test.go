package daemon

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// someoneElse is the user nobody, on most systems.
const someoneElse = 65534

// TestOtherUser: another user reaches no socket; where modes are opened, each
// socket refuses its connections all the same, and the daemon records it.
func TestOtherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user: run the tests as root, as CI does")
	}
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.agentSession("one")
	var a api.HostAddress
	p.call("GET", "/v1/sessions/one/host", nil, &a)

	call := func(socket, method, path string) string {
		t.Helper()
		return callAs(t, someoneElse, socket, method, path, nil)
	}
	dir, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for socket, c := range map[string][3]string{"the daemon's": {p.paths.Socket(), "GET", "/v1/health"}, "the host's": {a.Socket, "HELLO", a.Ticket}} {
		if got := call(c[0], c[1], c[2]); !strings.Contains(got, "permission denied") {
			t.Errorf("%s socket: %s", socket, got)
		}
	}
	// The sockets by other names, in a directory that is open: that of all the
	// user's sessions stays closed.
	open := func(socket, name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.Link(socket, path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	daemon, host := open(p.paths.Socket(), "daemon"), open(a.Socket, "host")
	// It is closed before or after the request has been written.
	ends := regexp.MustCompile(`EOF|reset|broken pipe|server closed idle connection`)
	if got := call(daemon, "GET", "/v1/health"); !ends.MatchString(got) {
		t.Errorf("the daemon's open socket: %s", got)
	}
	if got := call(host, "HELLO", a.Ticket); got != "refused this session belongs to another user" {
		t.Errorf("the host's open socket, with its ticket: %s", got)
	}
	rows := p.decisions("decision=refused")
	if len(rows) != 1 || !strings.Contains(rows[0].Reason, "another user (uid 65534)") {
		t.Errorf("rows %+v", rows)
	}
	if got := p.get(s.ID); got.State.Ended() {
		t.Errorf("the session is %s", got.State)
	}
}

// callAs makes a call (callMain) as another user.
func callAs(t *testing.T, uid uint32, socket, method, path string, body any) string {
	t.Helper()
	// A copy of this program that others may run.
	dir, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// By a process of its own: a file that this one has open for writing is open in what
	// parallel tests start meanwhile, too, and could not be run.
	exe := filepath.Join(dir, "call")
	if out, err := exec.Command("cp", own, exe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	data := []byte{}
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(exe)
	cmd.Dir = "/"
	cmd.Env = []string{"CCDIR_TEST_CALL=" + strings.Join([]string{socket, method, path, string(data)}, "\n")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatalf("the call could not be made: %v", err)
	}
	return strings.TrimSpace(string(out))
}
