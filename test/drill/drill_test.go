package drill

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/test/programs"
)

var kills = flag.Int("kills", 20, "how many processes TestDrill kills")

// TestDrill is a short drill with the real programs.
func TestDrill(t *testing.T) {
	bin := t.TempDir()
	if err := programs.Build(bin); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(*kills)*5*time.Second)
	defer cancel()
	result, err := Run(ctx, Options{
		Exe: filepath.Join(bin, "ccdir"), Home: t.TempDir(), Env: os.Environ(),
		Kills: *kills, Seed: seed, Log: t.Logf,
	})
	t.Logf("\n%s", result.Report())
	if err != nil {
		t.Fatal(err)
	}
	k := result.Kills
	if k.sum() < *kills || k.Daemon == 0 || k.Grid == 0 || k.Hook == 0 || k.Bridge == 0 || k.Host != 2 {
		t.Errorf("not everything was killed: %+v", k)
	}
	if result.GridBack.P50 > 5000 { // make drill asks for one second; tests share the machine
		t.Errorf("attached grids are back after %.0f ms (median)", result.GridBack.P50)
	}
	if result.Lines == 0 || result.Hooks == 0 || result.Messages == 0 || result.Made == 0 || result.MadeTasks == 0 || result.Repeats == 0 || result.Tasks < *kills/taskEvery || result.GridBack.Count == 0 || result.Events == 0 {
		t.Errorf("the drill did not do its work: %+v", result)
	}
}

func TestNumbered(t *testing.T) {
	tests := []struct {
		name, text  string
		last, first int
		want        string // "" is complete
	}{
		{"complete", "line 1\r\nline 2\r\nline 3\r\nend 3\r\n", 3, 1, ""},
		{"nothing printed", "end 0\n", 0, 1, ""},
		{"one missing", "line 1\nline 3\n", 3, 1, "line 3 where line 2"},
		{"one twice", "line 1\nline 1\nline 2\n", 2, 1, "line 1 where line 2"},
		{"last missing", "line 1\n", 2, 1, "lines until 1, but 2"},
		{"first missing", "line 2\nline 3\n", 3, 1, "line 2 where line 1"},
		{"torn", "line 1\nline 2x\n", 2, 1, "broken line"},
		{"as much as is kept", "line 3\nline 4\n", 4, 3, ""},
		{"more than is kept", "line 2\nline 3\nline 4\n", 4, 3, ""},
		{"less than is kept", "line 4\n", 4, 3, "line 4 where line 3"},
	}
	for _, tc := range tests {
		err := numbered(tc.text, tc.last, tc.first)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestTake(t *testing.T) {
	tests := []struct {
		name   string
		pieces []string
		want   string // "" is in order
	}{
		{"pieces", []string{"line 1\r\nli", "ne 2\r", "\nend 2\r\n"}, ""},
		{"a byte lost", []string{"line 1\r\n", "ine 2\r\n"}, `"ine 2" where line 2`},
		{"a line lost", []string{"line 1\r\nline 3\r\n"}, `"line 3" where line 2`},
		{"twice", []string{"line 1\r\nline 1\r\n"}, `"line 1" where line 2`},
		{"more at the end than printed", []string{"line 1\r\nend 2\r\n"}, `"end 2" where line 2`},
	}
	for _, tc := range tests {
		p := &printer{next: 1, end: -1}
		var err error
		for _, piece := range tc.pieces {
			if err == nil {
				err = p.take(piece)
			}
		}
		if tc.want == "" && (err != nil || p.end != 2) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v (end %d), want %q", tc.name, err, p.end, tc.want)
		}
	}
}
