package daemon

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/listen"
	"ccdir/internal/disk/paths"
	"ccdir/orchestrator"
)

// testReserve is small, because each test makes one.
const testReserve = 256 << 10

const testSettle = 200 * time.Millisecond

// testTimes are the queue's times in tests: a turn's end settles quickly.
func testTimes() *orchestrator.Times {
	times := orchestrator.DefaultTimes()
	times.Settle, times.Backoff = testSettle, testSettle
	return &times
}

// patience is what no step takes unless something is wrong.
const patience = 60 * time.Second

// place is one installation: directories, and the daemon in them.
type place struct {
	t     testing.TB
	paths paths.Paths
	http  *http.Client
	// cmd is a daemon in its own process, cancel and ended one in this.
	cmd     *exec.Cmd
	stderr  *bytes.Buffer // cmd's
	env     []string      // more of cmd's environment
	reserve int64         // 0: testReserve
	boot    string        // Options.Boot
	pause   func(string)  // Options.Pause
	self    int           // Options.Self; 0: the test is the person, not the daemon
	log     *testWriter   // what a daemon in this process logs
	cancel  context.CancelFunc
	ended   chan error
	// calledAt has the time of each hook call, by session and id.
	calledAt *sync.Map
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
	pl := &place{t: t, paths: p, calledAt: &sync.Map{}}
	pl.http = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket())
	}}}
	pl.log = &testWriter{t: t}
	t.Cleanup(func() {
		defer os.RemoveAll(home)
		defer os.RemoveAll(p.Runtime)
		defer pl.log.close()
		pl.end()
	})
	return pl
}

// end kills the sessions, with a daemon of its own if none runs, and looks whether
// sockets are left.
func (p *place) end() {
	p.t.Helper()
	if p.t.Failed() && (p.cmd != nil || p.cancel != nil) {
		var list []api.Event
		if err := p.try("GET", "/v1/events?since=0&limit=10000", nil, &list); err != nil {
			p.t.Log("the events:", err)
		}
		for _, e := range list {
			p.t.Logf("%d %s %s %s %s→%s %.60q", e.Seq, e.At.Format("05.000"), e.Session, e.Type, e.StateFrom, e.StateTo, e.Message)
		}
	}
	if p.cmd == nil && p.cancel == nil {
		p.run()
	}
	if err := p.try("POST", "/v1/shutdown", api.Stop{KillSessions: true}, nil); err != nil {
		p.t.Error("stopping it:", err)
		p.stop()
	}
	p.waitEnd()
	p.http.CloseIdleConnections()
	if left, _ := filepath.Glob(filepath.Join(p.paths.Runtime, "*")); len(left) > 0 {
		p.t.Errorf("sockets are left over: %v", left)
	}
}

// stop ends a daemon that can't be asked to end.
func (p *place) stop() {
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
		return
	}
	p.cancel()
}

// config writes config.toml.
func (p *place) config(text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.paths.Config, 0o700); err != nil {
		p.t.Fatal(err)
	}
	// At once, as editors do: a daemon that reads the file because of the change before must not find
	// half of it.
	file := p.paths.ConfigFile()
	if err := errors.Join(os.WriteFile(file+".new", []byte(text), 0o600), os.Rename(file+".new", file)); err != nil {
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
			Logger: slog.New(slog.NewTextHandler(p.log, nil)), Signals: make(chan os.Signal), Self: cmp.Or(p.self, -1),
			Ready: func(api.Server) { close(ready) }, Reserve: cmp.Or(p.reserve, testReserve), Boot: p.boot, Pause: p.pause, TaskTimes: testTimes(), PullEvery: testSettle})
	}()
	var err error
	select {
	case <-ready:
		return
	case err = <-p.ended:
	case <-time.After(patience):
		// It must not outlive the test.
		cancel()
		err = fmt.Errorf("not in %s, and then %w", patience, <-p.ended)
	}
	cancel()
	p.cancel = nil
	p.t.Fatal("the daemon did not start: ", err)
}

// testWriter is the test's log until its end; what comes later goes to standard
// error, because a test that has ended takes nothing.
type testWriter struct {
	mu    sync.Mutex
	t     testing.TB
	said  strings.Builder
	ended bool
}

func (w *testWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return os.Stderr.Write(b)
	}
	w.said.Write(b)
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// cutOff reports whether the daemon, which has ended, or one before it waited for open
// calls in vain.
func (p *place) cutOff() bool {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return strings.Contains(p.log.said.String(), listen.CutOff) || p.stderr != nil && strings.Contains(p.stderr.String(), listen.CutOff)
}

func (w *testWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}

// spawn starts a daemon in a process of its own, so that it can be killed.
func (p *place) spawn() {
	p.t.Helper()
	p.spawnDying("")
}

// spawnDying starts one that kills itself at a point, the first time that it comes there, or
// with "point:3" the third. What it does before it is ready does not count: by then a queue
// may have come there by itself.
func (p *place) spawnDying(point string) {
	p.t.Helper()
	if !p.spawnArmed(point, "ready") {
		p.t.Fatalf("the daemon did not start:\n%s", p.stderr)
	}
}

// spawnUnless is spawnDying for a daemon that may also die before it is ready; then it
// reports false.
func (p *place) spawnUnless(point string) bool {
	p.t.Helper()
	return p.spawnArmed(point, "")
}

// spawnArmed starts a daemon that dies at a point once it is armed: "ready", or "" at once.
// It reports false if the daemon ended before it was ready.
func (p *place) spawnArmed(point, armed string) bool {
	p.t.Helper()
	p.cmd = exec.Command(mortalPath)
	p.cmd.Env = append(os.Environ(), "CCDIR_HOME="+p.paths.Home, "CCDIR_TEST_SHIM="+shimPath, "CCDIR_TEST_DIE="+point, "CCDIR_TEST_ARMED="+armed,
		fmt.Sprint("CCDIR_TEST_RESERVE=", testReserve), fmt.Sprint("CCDIR_TEST_SETTLE=", testSettle))
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
	process := p.cmd.Process
	lives := time.AfterFunc(2*time.Minute, func() {
		p.t.Error("the daemon lives on: it has not come to the point of its death")
		_ = process.Kill()
	})
	p.cmd.Wait()
	lives.Stop()
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
		p.cancel()
		<-p.ended
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
