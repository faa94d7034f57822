package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/api"
	"ccdir/internal/disk/logfile"
	"ccdir/internal/proc"
)

// The test binary plays ccdir's daemon and shim: Connect starts it under their
// names, and these variables tell what to do.
const (
	envSocket = "CLIENT_TEST_SOCKET"
	envPlay   = "CLIENT_TEST_PLAY"
	envShim   = "CLIENT_TEST_SHIM"
	envDaemon = "CLIENT_TEST_DAEMON"
)

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case DaemonName:
		if len(os.Args) == 2 && os.Args[1] == "version" {
			fmt.Println("ccdir-daemon " + os.Getenv(envDaemon))
			os.Exit(0)
		}
		os.Exit(playDaemon())
	case ShimName:
		fmt.Println("ccdir-shim " + os.Getenv(envShim))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// playDaemon is a daemon that answers health (with what a test asks about its
// process as the version) and shutdown.
func playDaemon() int {
	switch os.Getenv(envPlay) {
	case "fail":
		fmt.Fprintln(os.Stderr, "first line")
		fmt.Fprintln(os.Stderr, "ccdir: the database is broken")
		return 1
	case "hang":
		if err := os.WriteFile(os.Getenv(envSocket)+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			return 1
		}
		time.Sleep(time.Hour) // the runtime would end what can never go on
	}
	if strings.Join(os.Args[1:], " ") != "run" {
		fmt.Fprintln(os.Stderr, "wrong arguments:", os.Args[1:])
		return 1
	}
	socket := os.Getenv(envSocket)
	if conn, err := net.Dial("unix", socket); err == nil {
		conn.Close()
	} else if errors.Is(err, unix.ECONNREFUSED) {
		os.Remove(socket) // of a daemon that was killed
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir: another daemon runs")
		return 1
	}
	done := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.Server{PID: os.Getpid(), Version: "1.2.3", StateDir: processFacts()})
	})
	mux.HandleFunc("POST /v1/shutdown", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, nil)
		close(done)
	})
	srv := http.Server{Handler: mux}
	go func() {
		<-done
		_ = srv.Shutdown(context.Background()) // removes the socket
	}()
	_ = srv.Serve(l) // ends by Shutdown
	return 0
}

// processFacts tells what a daemon must not inherit.
func processFacts() string {
	sid, _ := unix.Getsid(0)
	dir, _ := os.Getwd()
	marked := "closed"
	if fd, err := strconv.Atoi(os.Getenv("CLIENT_TEST_FD")); err == nil {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && strconv.FormatUint(st.Ino, 10) == os.Getenv("CLIENT_TEST_INO") {
			marked = "inherited"
		}
	}
	return fmt.Sprintf("leader=%t dir=%s fd=%s token=%q", sid == os.Getpid(), dir, marked, os.Getenv(api.EnvToken))
}

// starter is a client that may start the test binary as its daemon.
func starter(t *testing.T, play, shim string, env ...string) *Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{DaemonName, ShimName} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := testPaths(t)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	env = append(env, "GORACE=atexit_sleep_ms=0")
	t.Setenv(envShim, shim) // the programs are asked with our environment
	if os.Getenv(envDaemon) == "" {
		t.Setenv(envDaemon, "1.2.3")
	}
	env = append(env, envSocket+"="+p.Socket(), envPlay+"="+play, "HOME=/")
	c := New(Options{Paths: p, UID: -1, Version: "1.2.3", Exe: filepath.Join(bin, "ccdir"), Env: env, StartTimeout: time.Minute})
	t.Cleanup(func() {
		if data, err := os.ReadFile(p.Socket() + ".pid"); err == nil {
			pid, _ := strconv.Atoi(string(data)) // 0 fails below
			if err := unix.Kill(pid, unix.SIGKILL); err != nil || pid == 0 {
				t.Errorf("killing the hanging daemon %q: %v", data, err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := c.Stop(ctx, api.Stop{}); err != nil && !errors.Is(err, ErrNotRunning) {
			t.Errorf("stopping the daemon: %v", err)
		}
		c.Close()
	})
	return c
}

func TestConnectStartsADaemon(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "open")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// A descriptor as a careless caller leaves it: without close-on-exec.
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 50)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		t.Fatal(err)
	}
	c := starter(t, "", "1.2.3", "CCDIR_TOKEN=secret", fmt.Sprintf("CLIENT_TEST_FD=%d", fd), fmt.Sprintf("CLIENT_TEST_INO=%d", st.Ino))
	ctx := testContext(t)
	srv, err := c.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := `leader=true dir=/ fd=closed token=""`; srv.StateDir != want {
		t.Errorf("got %s, want %s", srv.StateDir, want)
	}
	again, started, err := c.Start(ctx)
	if err != nil || started || again.PID != srv.PID {
		t.Errorf("a second start: pid %d, started %t, %v; want pid %d", again.PID, started, err, srv.PID)
	}
	if err := c.Stop(ctx, api.Stop{}); err != nil {
		t.Fatal(err)
	}
	if proc.Alive(srv.PID, "") {
		t.Errorf("pid %d still runs after Stop", srv.PID)
	}
	if _, err := c.Health(ctx); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after Stop: %v", err)
	}
}

// TestConnectAtOnce: clients that start a daemon at the same time end up with
// the same one.
func TestConnectAtOnce(t *testing.T) {
	c := starter(t, "", "1.2.3")
	ctx := testContext(t)
	var wg sync.WaitGroup
	pids := make([]int, 4)
	for i := range pids {
		wg.Go(func() {
			srv, err := c.Connect(ctx)
			if err != nil {
				t.Errorf("client %d: %v", i, err)
			}
			pids[i] = srv.PID
		})
	}
	wg.Wait()
	for _, pid := range pids {
		if pid != pids[0] || pid == 0 {
			t.Fatalf("several daemons: %v", pids)
		}
	}
}

// TestCallAfterACrash: a call that finds the socket of a daemon that was killed
// starts another one; one that was stopped stays stopped.
func TestCallAfterACrash(t *testing.T) {
	c := starter(t, "", "1.2.3")
	ctx := testContext(t)
	srv, err := c.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(srv.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// Until the kernel has taken its descriptors a dead process can accept.
	if err := poll(ctx, func() bool { _, err := c.Health(ctx); return errors.Is(err, errCrashed) }); err != nil {
		t.Fatal(err)
	}
	// The fake daemon has no such route: that it says so is answer enough.
	if err := c.Focus(ctx, "s"); api.CodeOf(err) != api.CodeBadVersion {
		t.Errorf("after a crash: %v", err)
	}
	if err := c.Stop(ctx, api.Stop{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Focus(ctx, "s"); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after a stop: %v", err)
	}
}

// TestWatchUntilItStarts: while no daemon can be started in the place of one that
// crashed, whoever watches is told why, and has the next one when it can.
func TestWatchUntilItStarts(t *testing.T) {
	c := starter(t, "", "1.2.3")
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	srv, err := c.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	works := c.opts.Env
	c.opts.Env = append(slices.Clone(works), envPlay+"=fail") // the last one counts
	if err := unix.Kill(srv.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := poll(ctx, func() bool { _, err := c.Health(ctx); return errors.Is(err, errCrashed) }); err != nil {
		t.Fatal(err)
	}
	told := 0
	err = c.Watch(ctx, Watcher{Message: func(api.WatchMessage) {}, Link: func(err error) {
		if !strings.Contains(err.Error(), "the database is broken") {
			t.Errorf("told: %v", err)
		}
		if told++; told == 2 { // on the goroutine that starts daemons
			c.opts.Env = works
		}
	}})
	// The fake daemon has no such route: its answer is where this watch ends.
	if told < 2 || api.CodeOf(err) != api.CodeBadVersion {
		t.Errorf("told %d times, then %v", told, err)
	}
}

func TestStartFails(t *testing.T) {
	tests := []struct {
		name, play, shim, daemon, want string
		change                         func(*Client)
	}{
		{name: "the daemon says why", play: "fail", shim: "1.2.3", want: "the database is broken"},
		{name: "no answer in time", play: "hang", shim: "1.2.3", want: "said nothing", change: func(c *Client) { c.opts.StartTimeout = 1500 * time.Millisecond }},
		{name: "shim of another version", shim: "0.0.9", want: "is version 0.0.9, this ccdir is 1.2.3"},
		{name: "no shim", shim: "1.2.3", want: "ccdir-shim is missing", change: func(c *Client) { os.Remove(ShimPath(c.opts.Exe)) }},
		{name: "no daemon", shim: "1.2.3", want: "ccdir-daemon is missing", change: func(c *Client) { os.Remove(DaemonPath(c.opts.Exe)) }},
		{name: "daemon of another version", daemon: "0.0.9", shim: "1.2.3", want: "ccdir-daemon is version 0.0.9, this ccdir is 1.2.3"},
		{name: "state not writable", shim: "1.2.3", want: "CCDIR_HOME", change: func(c *Client) { c.opts.Paths.State = "/dev/null/state" }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if tc.daemon != "" {
				t.Setenv(envDaemon, tc.daemon)
			}
			c := starter(t, tc.play, tc.shim)
			if tc.change != nil {
				tc.change(c)
			}
			_, err := c.Connect(testContext(t))
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q, want %q", err, tc.want)
			}
		})
	}
}

func TestLogIsPutAside(t *testing.T) {
	c := New(Options{Paths: testPaths(t), UID: -1})
	name := c.opts.Paths.DaemonLog()
	if err := os.WriteFile(name, make([]byte, logfile.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, from, err := c.openLog()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	old, err := os.Stat(name + ".1")
	if err != nil || old.Size() != logfile.MaxSize+1 || from != 0 {
		t.Errorf("the new log begins at %d; the old one: %v", from, err)
	}
}
