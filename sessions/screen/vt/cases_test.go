package vt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// vtCase is one line of testdata/vt-cases.jsonl. input and input2 are in Go's
// escapes; resize is applied between them.
type vtCase struct {
	Name       string
	Cols, Rows int
	Input      string
	Input2     string
	Chunk      int
	Resize     []int
	Grid       []string
	Cursor     [2]int
	Attrs      []cellAttrs
	Reply      *string
	ReplyRE    string `json:"reply_re"`
	Title      *string
	Scrollback []string
	AlsoOK     []struct {
		Grid   []string
		Cursor [2]int
	} `json:"also_ok"`
}

type cellAttrs struct {
	X, Y   int
	FG, BG string
	Flags  string
}

func loadJSONL[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s is empty", path)
	}
	return out
}

func unquote(t *testing.T, s string) []byte {
	t.Helper()
	out, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		t.Fatalf("unquote %q: %v", s, err)
	}
	return []byte(out)
}

// feed writes p in pieces of chunk bytes (all at once if chunk is 0).
func feed(term screen.Engine, p []byte, chunk int) {
	if chunk <= 0 {
		term.Feed(p)
		return
	}
	for piece := range slices.Chunk(p, chunk) {
		term.Feed(piece)
	}
}

func gridText(term screen.Engine) []string {
	_, rows := term.Size()
	out := make([]string, rows)
	for y := range out {
		out[y] = string(term.Table().AppendText(nil, term.Row(y).Cells))
	}
	return out
}

func historyText(term screen.Engine) []string {
	out := []string{}
	for i := range term.HistoryLen() {
		row := term.HistoryRow(i)
		out = append(out, string(term.Table().AppendText(nil, row.Cells)))
	}
	return out
}

func cursorOf(term screen.Engine) [2]int {
	c := term.State().Cursor
	return [2]int{c.X, c.Y}
}

func attrsAt(term screen.Engine, x, y int) cellAttrs {
	s := term.Table().Style(term.Row(y).Cells[x].Style)
	return cellAttrs{X: x, Y: y, FG: colorText(s.FG), BG: colorText(s.BG), Flags: flagText(s)}
}

func colorText(c cells.Color) string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}

func flagText(s cells.Style) string {
	out := ""
	add := func(on bool, name string) {
		if on && out != "" {
			out += ","
		}
		if on {
			out += name
		}
	}
	add(s.Attrs&cells.Bold != 0, "bold")
	add(s.Attrs&cells.Dim != 0, "dim")
	add(s.Attrs&cells.Italic != 0, "italic")
	add(s.Underline != 0, "underline")
	add(s.Attrs&cells.Blink != 0, "blink")
	add(s.Attrs&cells.Inverse != 0, "inverse")
	add(s.Attrs&cells.Hidden != 0, "hidden")
	add(s.Attrs&cells.Strike != 0, "strike")
	return out
}

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*-cases.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		for _, c := range loadJSONL[vtCase](t, file) {
			t.Run(c.Name, func(t *testing.T) { runCase(t, c) })
		}
	}
}

func runCase(t *testing.T, c vtCase) {
	term := New(screen.Options{Cols: c.Cols, Rows: c.Rows, HistoryLines: 1000})
	feed(term, unquote(t, c.Input), c.Chunk)
	if len(c.Resize) == 2 {
		term.Resize(c.Resize[0], c.Resize[1])
	}
	feed(term, unquote(t, c.Input2), c.Chunk)

	got, cursor := gridText(term), cursorOf(term)
	ok := slices.Equal(got, c.Grid) && cursor == c.Cursor
	for _, alt := range c.AlsoOK {
		ok = ok || slices.Equal(got, alt.Grid) && cursor == alt.Cursor
	}
	if !ok {
		t.Errorf("input %s\n got %q %v\nwant %q %v", c.Input, got, cursor, c.Grid, c.Cursor)
	}
	for _, want := range c.Attrs {
		if got := attrsAt(term, want.X, want.Y); got != want {
			t.Errorf("attrs: got %+v, want %+v", got, want)
		}
	}
	reply := string(term.TakeReplies(nil))
	if c.Reply != nil && reply != string(unquote(t, *c.Reply)) {
		t.Errorf("reply %q, want %s", reply, *c.Reply)
	}
	if c.ReplyRE != "" && !regexp.MustCompile(string(unquote(t, c.ReplyRE))).MatchString(reply) {
		t.Errorf("reply %q does not match %s", reply, c.ReplyRE)
	}
	if c.Title != nil && term.State().Title != *c.Title {
		t.Errorf("title %q, want %q", term.State().Title, *c.Title)
	}
	if c.Scrollback != nil && !slices.Equal(historyText(term), c.Scrollback) {
		t.Errorf("scrollback %q, want %q", historyText(term), c.Scrollback)
	}
}

// checkpoint is one line of testdata/recordings/checkpoints.jsonl: what xterm
// shows after a prefix of a recording.
type checkpoint struct {
	File       string
	Cols, Rows int
	Upto       int
	Grid       []string
	Cursor     [2]int
	Type       string // normal or alternate
}

// TestRecordings: what agents and other programs printed, at many points, shows
// what it shows in xterm. programs holds vim, less, htop, git log, tmux and a
// progress bar (recorded with 0.4 s between keys); see vtdiff for how the
// checkpoints were made.
func TestRecordings(t *testing.T) {
	for _, dir := range []string{"testdata/recordings", "testdata/programs"} {
		for _, c := range loadJSONL[checkpoint](t, filepath.Join(dir, "checkpoints.jsonl")) {
			t.Run(fmt.Sprintf("%s/%d", c.File, c.Upto), func(t *testing.T) {
				raw, err := os.ReadFile(filepath.Join(dir, c.File))
				if err != nil {
					t.Fatal(err)
				}
				for _, chunk := range []int{0, 1, 7} {
					checkRecording(t, c, raw[:c.Upto], chunk)
				}
			})
		}
	}
}

func checkRecording(t *testing.T, c checkpoint, raw []byte, chunk int) {
	term := New(screen.Options{Cols: c.Cols, Rows: c.Rows, HistoryLines: 100})
	feed(term, raw, chunk)
	if got := gridText(term); !slices.Equal(got, c.Grid) {
		t.Errorf("chunk %d: grid differs\n got %q\nwant %q", chunk, got, c.Grid)
	}
	if got := cursorOf(term); got != c.Cursor {
		t.Errorf("chunk %d: cursor %v, want %v", chunk, got, c.Cursor)
	}
	if alt := term.State().Alt; alt != (c.Type == "alternate") {
		t.Errorf("chunk %d: alternate screen %v, want %s", chunk, alt, c.Type)
	}
	checkInvariants(t, term)
}
