package daemon

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/paths"
	"ccdir/orchestrator"
)

// daemonMain is a daemon in a process of its own, so that it can be killed.
func daemonMain() int {
	if n, err := strconv.ParseUint(os.Getenv("CCDIR_TEST_FSIZE"), 10, 64); err == nil {
		// As a quota: a write beyond it fails.
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if n, err := strconv.ParseUint(os.Getenv("CCDIR_TEST_UMASK"), 8, 16); err == nil {
		syscall.Umask(int(n))
	}
	p, err := paths.New(os.Getenv, os.Getuid())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err = Run(context.Background(), Options{Paths: p, UID: os.Getuid(), Env: os.Environ(), Shim: os.Getenv("CCDIR_TEST_DAEMON"),
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Ready: func(api.Server) { fmt.Println("ready") }, Reserve: testReserve, Pause: dieAt(os.Getenv("CCDIR_TEST_DIE")), TaskTimes: testTimes()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// testReserve is small, because each test makes one.
const testReserve = 256 << 10

// testTimes are the queue's times in tests: a turn's end settles quickly.
func testTimes() *orchestrator.Times {
	times := orchestrator.DefaultTimes()
	times.Settle, times.Backoff = 200*time.Millisecond, 200*time.Millisecond
	return &times
}

// dieAt kills the process at a point: the first time, or with "point:3" the
// third.
func dieAt(spec string) func(string) {
	point, count, _ := strings.Cut(spec, ":")
	nth, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		nth = 1
	}
	var seen atomic.Int64
	return func(at string) {
		if at == point && seen.Add(1) == nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// patience is what no step takes unless something is wrong.
const patience = 60 * time.Second

// place is one installation: directories, and the daemon in them.
type place struct {
	t     testing.TB
	paths paths.Paths
	http  *http.Client
	// cmd is a daemon in its own process, cancel and ended one in this.
	cmd    *exec.Cmd
	stderr *bytes.Buffer // cmd's
	env    []string      // more of cmd's environment
	stale  time.Duration // Options.StaleLook of run
	boot   string        // Options.Boot
	pause  func(string)  // Options.Pause
	cancel context.CancelFunc
	ended  chan error
}

// newPlace makes the directories; at the end every session is killed.
func newPlace(t testing.TB) *place {
	t.Helper()
	// Not t.TempDir: its name is long, and hosts may write while it is removed.
	home, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := paths.New(func(k string) string { return map[string]string{"CCDIR_HOME": home, "HOME": home}[k] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	pl := &place{t: t, paths: p}
	pl.http = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket())
	}}}
	t.Cleanup(func() {
		if t.Failed() && (pl.cmd != nil || pl.cancel != nil) {
			for _, e := range pl.events() {
				t.Logf("%d %s %s %s %s→%s %.60q", e.Seq, e.At.Format("05.000"), e.Session, e.Type, e.StateFrom, e.StateTo, e.Message)
			}
		}
		if pl.cmd == nil && pl.cancel == nil {
			pl.run()
		}
		pl.call("POST", "/v1/shutdown", api.Stop{KillSessions: true}, nil)
		pl.waitEnd()
		pl.http.CloseIdleConnections()
		if left, _ := filepath.Glob(filepath.Join(p.Runtime, "*")); len(left) > 0 {
			t.Errorf("sockets are left over: %v", left)
		}
		os.RemoveAll(p.Runtime)
		os.RemoveAll(home)
	})
	return pl
}

// config writes config.toml.
func (p *place) config(text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.paths.Config, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.paths.ConfigFile(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run starts a daemon in this process.
func (p *place) run() {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan struct{})
	p.cancel, p.ended = cancel, make(chan error, 1)
	go func() {
		p.ended <- Run(ctx, Options{Paths: p.paths, UID: os.Getuid(), Env: os.Environ(), Shim: shimPath, Home: p.paths.Home,
			Logger: slog.New(slog.NewTextHandler(testWriter{p.t}, nil)), Signals: make(chan os.Signal),
			Ready: func(api.Server) { close(ready) }, StaleLook: p.stale, Reserve: testReserve, Boot: p.boot, Pause: p.pause, TaskTimes: testTimes()})
	}()
	select {
	case <-ready:
	case err := <-p.ended:
		p.t.Fatal("the daemon did not start:", err)
	case <-time.After(patience):
		p.t.Fatal("the daemon did not start")
	}
}

// testWriter is the test's log.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// spawn starts a daemon in a process of its own.
func (p *place) spawn() {
	p.t.Helper()
	p.spawnDying("")
}

// spawnDying starts one that kills itself at a point of a delivery.
func (p *place) spawnDying(point string) {
	p.t.Helper()
	if !p.spawnUnless(point) {
		p.t.Fatalf("the daemon did not start:\n%s", p.stderr)
	}
}

// spawnUnless reports false if the daemon ended before it was ready.
func (p *place) spawnUnless(point string) bool {
	p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = exec.Command(exe)
	p.cmd.Env = append(os.Environ(), "CCDIR_TEST_DAEMON="+shimPath, "CCDIR_HOME="+p.paths.Home, "CCDIR_TEST_DIE="+point)
	p.cmd.Env = append(p.cmd.Env, p.env...)
	p.stderr = &bytes.Buffer{}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		p.cmd.Wait()
		return false
	}
	return true
}

// kill9 kills the spawned daemon.
func (p *place) kill9() {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGKILL)
	p.cmd.Wait()
	p.cmd = nil
	p.http.CloseIdleConnections()
}

// died waits for the end of a daemon that kills itself.
func (p *place) died() {
	p.t.Helper()
	p.cmd.Wait()
	p.cmd = nil
	p.http.CloseIdleConnections()
}

// stopDaemon stops the daemon and leaves its hosts.
func (p *place) stopDaemon() {
	p.t.Helper()
	p.call("POST", "/v1/shutdown", api.Stop{}, nil)
	p.waitEnd()
	p.http.CloseIdleConnections()
}

func (p *place) waitEnd() {
	p.t.Helper()
	if p.cmd != nil {
		if err := p.cmd.Wait(); err != nil {
			p.t.Error("the daemon ended badly:", err)
		}
		p.cmd = nil
		return
	}
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Error("the daemon ended badly:", err)
		}
	case <-time.After(patience):
		p.t.Error("the daemon did not stop")
	}
	p.cancel()
	p.cancel = nil
}

// sh is the command line of a shell command.
func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

// until polls a condition of other processes.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); {
		if time.Now().After(deadline) {
			t.Fatal("not in time:", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
