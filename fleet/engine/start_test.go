package engine_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/fleet/engine"
)

// TestInvitedAtStart: who is invited while the server starts is let in, though the list of members was read already.
func TestInvitedAtStart(t *testing.T) {
	dir := t.TempDir()
	invited := make(chan engine.Invitation, 1)
	go func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			if _, err := os.Stat(filepath.Join(dir, "streams")); err == nil { // it has the list, and is not ready yet
				break
			}
		}
		i, err := engine.Invite(dir, engine.Member{Name: "a", Asks: true}, []string{"nats://127.0.0.1:1"})
		if err != nil {
			t.Error(err)
		}
		invited <- i
	}()
	e, err := engine.Serve(t.Context(), engine.Options{Dir: dir, Name: "hub", Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	i := <-invited
	i.URLs = []string{e.URL()}
	nc, err := engine.Dial(i, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for end := time.Now().Add(20 * time.Second); !nc.IsConnected(); time.Sleep(10 * time.Millisecond) { // the server's doing
		if time.Now().After(end) {
			t.Fatalf("the key does not hold: %v", nc.LastError())
		}
	}
}
