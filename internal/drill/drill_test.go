package drill

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/internal/testbin"
)

// TestTwentyKills is the drill in short form, with the programs as they ship.
func TestTwentyKills(t *testing.T) {
	bin := t.TempDir()
	if err := testbin.Build(bin); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	result, err := Run(ctx, Options{
		Exe: filepath.Join(bin, "ccdir"), Home: t.TempDir(), Env: os.Environ(),
		Kills: 20, Seed: seed, Log: t.Logf,
	})
	t.Logf("seed %d: %+v", seed, result)
	if err != nil {
		t.Fatal(err)
	}
	if result.DaemonKills+result.AttachKills < 20 || result.Lines == 0 || result.Events <= int64(result.DaemonKills) || result.Watched != 10 {
		t.Errorf("the drill did not do its work: %+v", result)
	}
}

func TestNumbered(t *testing.T) {
	tests := []struct {
		name, text string
		last       int
		want       string // "" is complete
	}{
		{"complete", "line 1\r\nline 2\r\nline 3\r\nend 3\r\n", 3, ""},
		{"nothing printed", "end 0\n", 0, ""},
		{"one missing", "line 1\nline 3\n", 3, "line 3 where line 2"},
		{"one twice", "line 1\nline 1\nline 2\n", 2, "line 1 where line 2"},
		{"last missing", "line 1\n", 2, "1 lines, but 2"},
		{"torn", "line 1\nline 2x\n", 2, "broken line"},
	}
	for _, tc := range tests {
		err := numbered(tc.text, tc.last)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}
