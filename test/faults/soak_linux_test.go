package faults

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/internal/disk/paths"
	"ccdir/test/drill"
)

// TestSoakFindsLeaks: a soak whose hosts leak a megabyte per resize, and whose daemon
// gets one more connection before each measurement, fails and names exactly the
// quantities that grew.
func TestSoakFindsLeaks(t *testing.T) {
	home, err := os.MkdirTemp("", "cf")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	points := t.TempDir()
	if err := os.WriteFile(filepath.Join(points, "leak"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := paths.New(func(k string) string { return map[string]string{"CCDIR_HOME": home}[k] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CCDIR_") {
			env = append(env, kv)
		}
	}
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	result, err := drill.Soak(t.Context(), drill.SoakOptions{
		Options:  drill.Options{Exe: filepath.Join(bin, "ccdir"), Home: home, Env: append(env, "CCDIR_FAULTS="+points), Seed: 1},
		Duration: 12 * time.Second, Work: 500 * time.Millisecond,
		Beside: func(ctx context.Context) error {
			c, err := (&net.Dialer{}).DialContext(ctx, "unix", p.Socket())
			if err != nil {
				return err
			}
			open = append(open, c)
			_, err = c.Write([]byte("GET /v1/events/stream HTTP/1.1\r\nHost: ccdir\r\n\r\n"))
			return err
		},
		Sampled: func(s drill.Sample) { t.Log(s) },
	})
	t.Logf("\n%s", result.Report())
	if err == nil || result.Passed {
		t.Fatal("it passed")
	}
	for _, s := range result.Series {
		switch s.Name {
		case "hosts memory", "daemon files", "daemon goroutines":
			if s.Flat() || !strings.Contains(err.Error(), s.Name+" grew") {
				t.Errorf("%s is said to be flat: %.1f to %.1f", s.Name, s.From, s.To)
			}
		case "hosts files", "grid files", "processes":
			if !s.Flat() {
				t.Errorf("%s is said to grow: %.1f to %.1f", s.Name, s.From, s.To)
			}
		}
	}
}
