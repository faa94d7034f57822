package claude

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ccdir/agents"
)

// TestInputLines reads screens of the real CLI (2.1.329).
func TestInputLines(t *testing.T) {
	co := []string{"/copy", "/color", "/config", "/compact", "/context"}
	for name, want := range map[string]*agents.Screen{
		"empty":      {},
		"draft":      {Input: "first line\nsecond 日本語 line"},
		"stashed":    {Stashed: true},
		"onechar":    {Input: "x"},
		"bang":       {Input: "!ls"},
		"menu":       {Input: "/co", Menu: co, Chosen: []string{"/copy"}},
		"menuclosed": {Input: "/co"},
		"nomatch":    {Input: "/unknown", NoMatch: true},
		"unknown":    {Refused: "Unknown command: /unknown"},
		"queue":      {Queued: []string{"queued number 1\nwith a second line", "queued number 2\nwith a second line", "queued number 3\nwith a second line", "!ls q"}},
		"pulled":     {Input: "queued number 1\nwith a second line\nqueued number 2\nwith a second line\nqueued number 3\nwith a second line", Queued: []string{"!ls q"}},
		"transcript": nil, "history": nil, "panel": nil,
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "screens", name+".ansi"))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Adapter{}.ReadScreen(string(data))
		if ok != (want != nil) {
			t.Errorf("%s: readable %v: %+v", name, ok, got)
		} else if got.Refusals = 0; ok && !reflect.DeepEqual(got, *want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, *want)
		}
	}
}

// TestInputLineCut: a pane that ends within the input line (28x7, the real CLI).
func TestInputLineCut(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "screens", "cut.ansi"))
	if err != nil {
		t.Fatal(err)
	}
	for typed, empty := range map[string]bool{"": true, "a draft": false, "a draft\n  of two lines": false} {
		text := strings.Replace(string(data), "❯\u00a0", "❯\u00a0"+typed, 1)
		if s, ok := (Adapter{}).ReadScreen(text); ok || !s.Cut || s.CutEmpty != empty {
			t.Errorf("%q: readable %v, %+v", typed, ok, s)
		}
	}
}

func FuzzInputLine(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "screens", "*.ansi"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, ansi string) {
		s, ok := Adapter{}.ReadScreen(ansi)
		if s.Cut, s.CutEmpty = false, false; !ok && !reflect.DeepEqual(s, agents.Screen{}) {
			t.Errorf("not readable, but %+v", s)
		}
	})
}
