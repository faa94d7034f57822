package daemon

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/test/programs"
	"ccdir/wire"
)

// TestImpostor: another user who was quicker to make the sockets hears nothing, neither
// tokens nor prompts nor tickets, and answers nothing: a hook must not be told that its
// tool is allowed.
func TestImpostor(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user: run the tests as root, as CI does")
	}
	dir, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "session"), 0o700); err != nil {
		t.Fatal(err)
	}
	imp := programs.Impersonate(t, filepath.Join(dir, "daemon.sock"), someoneElse,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"stdout\":\"allowed\"}")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, api.EnvSocket + "=" + imp.Path, api.EnvSession + "=abc12345", api.EnvToken + "=secret", api.EnvDir + "=" + filepath.Join(dir, "session")}
	run := func(stdin string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, shimPath, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(stdin)
		out, _ := cmd.CombinedOutput() // the bridge fails, the hook never does
		return string(out)
	}
	if out := run(`{"tool_name":"Bash"}`, "hook", claude.HookPreToolUse); out != "" {
		t.Errorf("the hook prints %q", out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "session", paths.SpoolDir, "*.json")); len(left) != 1 {
		t.Errorf("spooled: %q", left)
	}
	if out := run("", "mcp"); !strings.Contains(out, "another user") {
		t.Errorf("the bridge prints %q", out)
	}
	p := paths.Paths{Runtime: filepath.Dir(imp.Path), State: dir}
	c := client.New(client.Options{Paths: p, UID: -1, StartTimeout: time.Second})
	defer c.Close()
	if _, err := c.Health(t.Context()); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("the client: %v", err)
	}
	if _, _, err := wire.Dial(t.Context(), imp.Path, wire.Hello{Ticket: "secret"}); !errors.Is(err, proc.ErrOtherUser) {
		t.Errorf("the host's client: %v", err)
	}
	// It serves one caller after the other: when it has heard this one, it has heard all.
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: imp.Path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conn.CloseWrite(), conn.SetReadDeadline(time.Now().Add(patience))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatal(err)
	}
	if imp.Heard() != 1 || imp.Called() < 5 {
		t.Errorf("%d callers said %d bytes", imp.Called(), imp.Heard())
	}
}
