package engine_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"ccdir/fleet/engine"
)

// TestOneServerADirectory: a second server of a directory is refused before it touches the first one's streams, and
// the directory is free when the first one has ended.
func TestOneServerADirectory(t *testing.T) {
	o := engine.Options{Dir: t.TempDir(), Name: "hub", Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	first, err := engine.Serve(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			first.Close()
		}
	}()
	if second, err := engine.Serve(t.Context(), o); err == nil {
		second.Close()
		t.Error("a second server runs in the directory")
	}
	nc, err := first.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "x", []byte("kept")); err != nil {
		t.Error(err)
	}
	first.Close()
	ended = true
	third, err := engine.Serve(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	third.Close()
}

// TestPortInUse: whose port is taken is told at once, and its directory stays as it was.
func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dir := t.TempDir()
	e, err := engine.Serve(t.Context(), engine.Options{Dir: dir, Name: "hub", Listen: l.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		e.Close()
		t.Fatal("it serves at a port of somebody else")
	}
	if streams, _ := filepath.Glob(filepath.Join(dir, "streams", "*")); len(streams) > 0 {
		t.Errorf("%v made %v", err, streams)
	}
}

// TestOneJoinAMachine: a machine takes part once, and whoever is refused hears which process does; another state
// directory is another machine's.
func TestOneJoinAMachine(t *testing.T) {
	dir := t.TempDir()
	first, err := engine.LockJoin(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := engine.LockJoin(dir)
	if err == nil {
		_ = second.Close()
		t.Fatal("a machine joins twice")
	}
	if want := fmt.Sprintf("pid %d", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %s", err, want)
	}
	other, err := engine.LockJoin(t.TempDir())
	if err := errors.Join(err, first.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := engine.LockJoin(dir)
	if err := errors.Join(err, other.Close()); err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}
