package fleet_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

// natsEnv has the configuration of a NATS server: the test's program is that server then.
const natsEnv = "CCDIR_TEST_NATS"

// beNATS does as `nats-server -c FILE`, until its standard input ends.
func beNATS(file string) error {
	opts, err := natsserver.ProcessConfigFile(file)
	if err != nil {
		return err
	}
	opts.NoSigs = true
	s, err := natsserver.NewServer(opts)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	return nil
}

// startNATS starts a NATS server of others with the fleet's rights; kill ends it without a word to it.
func startNATS(t *testing.T, dir, config string) (kill func()) {
	t.Helper()
	rights, err := engine.RightsConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(config+rights), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), natsEnv+"="+file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = in.Close() }
	t.Cleanup(kill)
	return kill
}

// reach connects with the fleet's own key once the server is there.
func reach(t *testing.T, o engine.Outside, dir string) (nc *nats.Conn) {
	t.Helper()
	var err error
	until(t, "the NATS server", func() bool { nc, err = o.Connect(dir); return err == nil })
	t.Cleanup(nc.Close)
	return nc
}

// TestOutside: the queue is kept by a NATS server of others, over its end, with the same rights; a machine whose key may
// do more than it needs does not join.
func TestOutside(t *testing.T) {
	t.Parallel()
	dir, listen, monitor := t.TempDir(), freeAddress(t), freeAddress(t)
	o := engine.Outside{URL: "nats://" + listen, Monitor: []string{"http://" + monitor}}
	config := fmt.Sprintf("listen: %q\nhttp: %q\nmax_payload: 8MB\nlog_file: %q\njetstream {store_dir: %q, sync_interval: always}\n", listen, monitor, dir+"/log", dir+"/streams")
	dial := func(m engine.Member) func() *nats.Conn {
		i, err := engine.Invite(dir, m, []string{o.URL})
		if err != nil {
			t.Fatal(err)
		}
		return func() *nats.Conn {
			nc, err := engine.Dial(i, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(nc.Close)
			until(t, m.Name, nc.IsConnected)
			return nc
		}
	}
	asMe, asNode := dial(engine.Member{Name: "me", Asks: true}), dial(engine.Member{Name: "n1", Runs: true})
	kill := startNATS(t, dir, config)
	own := reach(t, o, dir)
	if unknown, err := o.Check(t.Context(), own); err != nil || !strings.Contains(unknown, "encrypt") || strings.Contains(unknown, "sync") {
		t.Errorf("%q, %v", unknown, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	quiet := slog.New(slog.DiscardHandler)
	go func() {
		ended <- fleet.Lead(ctx, fleet.Options{Conn: own, Name: "one", Replicas: engine.Replicas(own), Mark: engine.MarkFile(dir), Times: orchestrator.DefaultTimes(), Log: quiet})
	}()
	t.Cleanup(func() { stop(); <-ended })
	me, n1 := asMe(), asNode()
	join(t, n1, "n1", nil, 1, newDaemon(true))
	for want := 1; want <= 2; want++ {
		addOnce(t, me, fmt.Sprintf("p%d", want))
		until(t, "the task", func() bool { return states(t, me)[api.TaskDone] == want })
		if want == 1 { // what it keeps in memory alone is gone then
			kill()
			startNATS(t, dir, config)
		}
	}
	refused := make(chan error, 10)
	n1.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	if err := n1.Publish("claim.n2", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-refused:
	case <-time.After(time.Minute):
		t.Error("it claims for another machine")
	}
	err := fleet.Join(t.Context(), fleet.MemberOptions{Conn: own, Name: "n2", Slots: 1, Daemon: newDaemon(true), Log: quiet})
	if err == nil || !strings.Contains(err.Error(), "ccdir-fleet rights") {
		t.Errorf("a machine with every right joins: %v", err)
	}
}

// TestOutsideRefused: servers whose settings lose tasks, or cannot carry them.
func TestOutsideRefused(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]string{
		"sync_interval: always": "max_payload: 8MB\njetstream {store_dir: %q}\n",
		"max_payload":           "jetstream {store_dir: %q, sync_interval: always}\n",
		"no JetStream":          "max_payload: 8MB\nserver_tags: [%q]\njetstream: disabled\n",
	} {
		dir, listen, monitor := t.TempDir(), freeAddress(t), freeAddress(t)
		o := engine.Outside{URL: "nats://" + listen, Monitor: []string{"http://" + monitor}}
		startNATS(t, dir, fmt.Sprintf("listen: %q\nhttp: %q\nlog_file: %q\n"+config, listen, monitor, dir+"/log", dir+"/streams"))
		if _, err := o.Check(t.Context(), reach(t, o, dir)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}
