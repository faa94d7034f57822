package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"

	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

// serverEnv has the options of a server, as JSON: the test's program is that server then.
const serverEnv = "CCDIR_TEST_FLEET_SERVER"

func TestMain(m *testing.M) {
	if text := os.Getenv(serverEnv); text != "" {
		if err := beServer(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if file := os.Getenv(natsEnv); file != "" {
		if err := beNATS(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beServer does as `ccdir-fleet serve`, until its standard input ends.
func beServer(text string) error {
	var o engine.Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := context.WithCancel(context.Background())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); stop() }()
	e, err := engine.Serve(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	nc, err := e.Connect()
	if err != nil {
		return err
	}
	fmt.Println(e.URL())
	replicas := 1
	if o.Cluster != "" {
		replicas = 3
	}
	if err := fleet.Lead(ctx, fleet.Options{Conn: nc, Name: o.Name, Replicas: replicas, Mark: e.MarkFile(), Times: orchestrator.DefaultTimes(), Log: o.Log}); ctx.Err() == nil {
		return err
	}
	return nil
}

// server is a process that serves a fleet.
type server struct {
	t   *testing.T
	o   engine.Options
	cmd *exec.Cmd
	in  io.Closer
}

// start starts the process; it serves soon.
func (s *server) start() {
	s.t.Helper()
	data, err := json.Marshal(s.o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), serverEnv+"="+string(data))
	log, err := os.OpenFile(s.o.Dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	s.cmd.Stderr = log
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// kill ends the process without a word to it.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = s.in.Close()
}

func (s *server) signal(sig syscall.Signal) { _ = s.cmd.Process.Signal(sig) }

// newServers starts the servers of a fleet, one or three, as processes.
func newServers(t *testing.T, count int) (list []*server) {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		list = append(list, &server{t: t, o: engine.Options{Dir: filepath.Join(dir, fmt.Sprintf("s%d", i)), Name: fmt.Sprintf("s%d", i), Listen: freeAddress(t)}})
		if err := os.MkdirAll(list[i].o.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if count > 1 {
			list[i].o.Cluster, list[i].o.Secret = freeAddress(t), "secret"
		}
	}
	for _, s := range list {
		for _, other := range list {
			if count > 1 && other != s {
				s.o.Routes = append(s.o.Routes, "nats-route://"+other.o.Cluster)
			}
		}
		s.start()
		t.Cleanup(func() {
			s.kill()
			if data, err := os.ReadFile(s.o.Dir + ".log"); err == nil && t.Failed() {
				t.Logf("%s:\n%s", s.o.Name, data)
			}
		})
	}
	return list
}

// freeAddress is one of loopback that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// connect invites somebody at all servers and connects.
func connect(t *testing.T, list []*server, m engine.Member) *nats.Conn {
	t.Helper()
	var urls []string
	for _, s := range list {
		urls = append(urls, "nats://"+s.o.Listen)
	}
	i, err := engine.Invite(list[0].o.Dir, m, urls)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(list[0].o.Dir, "members.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list[1:] {
		if err := os.WriteFile(filepath.Join(s.o.Dir, "members.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nc, err := engine.Dial(i, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	until(t, "the key of "+m.Name+" to hold", nc.IsConnected)
	return nc
}
