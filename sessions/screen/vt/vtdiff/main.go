// Command vtdiff compares package vt with another emulator on random streams, by
// default with xterm.js headless:
// a development tool, not part of the product and not run by the tests. It
// needs node and, in NODE_PATH, the packages that oracle.js names:
//
//	npm install --prefix DIR @xterm/headless@6.0.0 @xterm/addon-unicode11 @xterm/addon-unicode-graphemes
//	NODE_PATH=DIR/node_modules go run ./sessions/screen/vt/vtdiff -n 20000 -profile edit
//
// With -oracle ghostty it compares with Ghostty's terminal core, which needs bun and
// the package libghostty-vt instead (its scrollback is not compared).
//
// Differences are shrunk to a short input and printed; the exit code tells
// whether there were any. With -record, cases on which both agree are written
// in the format of testdata/vt-cases.jsonl.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 2000, "number of streams")
	seed := flag.Uint64("seed", 1, "seed of the first stream")
	profile := flag.String("profile", "edit", "what to generate: "+strings.Join(profileNames(), ", "))
	record := flag.String("record", "", "append agreeing cases to this file")
	maxDiffs := flag.Int("diffs", 10, "stop after so many differences")
	which := flag.String("oracle", "xterm", "what to compare with: xterm or ghostty")
	file := flag.String("file", "", "compare on prefixes of this recording (NAME-COLSxROWS.raw) instead")
	points := flag.Int("points", 20, "how many prefixes")
	flag.Parse()

	gen, ok := profiles[*profile]
	if !ok {
		log.Fatalf("vtdiff: no profile %q", *profile)
	}
	o, err := startOracle(*which)
	if err != nil {
		log.Fatal("vtdiff: ", err)
	}
	defer o.close()
	var rec io.Writer = io.Discard
	if *record != "" {
		f, err := os.OpenFile(*record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		rec = f
	}
	if *file != "" {
		if !compareFile(o, *file, *points, rec) {
			os.Exit(1)
		}
		return
	}
	diffs := 0
	for i := range *n {
		c := gen(rand.New(rand.NewPCG(*seed+uint64(i), 7)))
		want := o.play(c)
		what := compare(c, run(c), want)
		if what == "" {
			if want.Error == "" {
				writeCase(rec, fmt.Sprintf("x-%s-%d", *profile, *seed+uint64(i)), *profile, c, want)
			}
			continue
		}
		diffs++
		c = shrink(o, c)
		got, want := run(c), o.play(c)
		fmt.Printf("--- seed %d %dx%d resize %v: %s\n in  %s | %s\n got %q %v sb %q re %q\nwant %q %v sb %q re %q\n", *seed+uint64(i), c.Cols, c.Rows, c.Resize, compare(c, got, want),
			strconv.QuoteToASCII(strings.Join(c.Parts, "")), strconv.QuoteToASCII(strings.Join(c.Parts2, "")), got.Grid, got.Cursor, got.Scrollback, got.Reply, want.Grid, want.Cursor, want.Scrollback, want.Reply)
		if diffs >= *maxDiffs {
			break
		}
	}
	fmt.Printf("%d differences\n", diffs)
	if diffs > 0 {
		os.Exit(1)
	}
}

// stream is one case: pieces of input, so that shrinking can drop whole ones.
type stream struct {
	Cols, Rows    int
	Parts, Parts2 []string
	Resize        []int
	Chunk         int
	Graphemes     bool
	NoScrollback  bool // the two differ by design in what goes to the history
	NoAttrs       bool
	ReflowCursor  bool // re-wrap the cursor's line too, as vt does
}

// result is what both sides report.
type result struct {
	Grid       []string   `json:"grid"`
	Cells      [][]string `json:"cells"`
	Cursor     [2]int     `json:"cursor"`
	Alt        bool       `json:"alt"`
	Title      string     `json:"title"`
	Reply      string     `json:"reply"`
	Scrollback []string   `json:"scrollback"`
	Error      string     `json:"error"`
}

// compare names the first difference; "" is none.
func compare(c stream, got, want result) string {
	switch {
	case want.Error != "": // xterm.js failed: nothing to compare
		return ""
	case !slices.Equal(got.Grid, want.Grid):
		return "grid"
	case got.Cursor != want.Cursor && !c.ReflowCursor: // xterm.js does not keep it at its character
		return "cursor"
	case got.Alt != want.Alt:
		return "alt"
	case got.Title != want.Title:
		return "title"
	case got.Reply != want.Reply:
		return "reply"
	case !c.NoScrollback && want.Scrollback != nil && !slices.Equal(got.Scrollback, want.Scrollback):
		return "scrollback"
	}
	if c.NoAttrs {
		return ""
	}
	for y := range want.Cells {
		for x := range want.Cells[y] {
			if got.Cells[y][x] != want.Cells[y][x] {
				return fmt.Sprintf("cell %d,%d is %s, want %s", x, y, got.Cells[y][x], want.Cells[y][x])
			}
		}
	}
	return ""
}

// run plays c in package vt.
func run(c stream) result {
	t := vt.New(screen.Options{Cols: c.Cols, Rows: c.Rows, HistoryLines: 1000})
	feed := func(s string) {
		if c.Chunk == 0 {
			t.Feed([]byte(s))
			return
		}
		for p := range slices.Chunk([]byte(s), c.Chunk) {
			t.Feed(p)
		}
	}
	feed(strings.Join(c.Parts, ""))
	if c.Resize != nil {
		t.Resize(c.Resize[0], c.Resize[1])
		feed(strings.Join(c.Parts2, ""))
	}
	st := t.State()
	r := result{Cursor: [2]int{st.Cursor.X, st.Cursor.Y}, Alt: st.Alt, Title: st.Title, Reply: string(t.TakeReplies(nil)), Scrollback: []string{}}
	_, rows := t.Size()
	for y := range rows {
		line := t.Row(y).Cells
		r.Grid = append(r.Grid, rowText(t.Table(), line))
		row := make([]string, len(line))
		for x, cell := range line {
			s := t.Table().Style(cell.Style)
			if cell.Glyph == 0 {
				s = cells.Style{BG: s.BG}
			}
			row[x] = colorName(s.FG) + "|" + colorName(s.BG) + "|" + flagNames(s)
		}
		r.Cells = append(r.Cells, row)
	}
	for i := range t.HistoryLen() {
		r.Scrollback = append(r.Scrollback, rowText(t.Table(), t.HistoryRow(i).Cells))
	}
	return r
}

func rowText(t *cells.Table, cells []cells.Cell) string {
	return strings.TrimRight(string(t.AppendText(nil, cells)), " ")
}

func colorName(c cells.Color) string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}

func flagNames(s cells.Style) string {
	var names []string
	for i, name := range []string{"bold", "dim", "italic", "", "blink", "inverse", "hidden", "strike"} {
		switch {
		case name == "":
			if s.Underline != 0 {
				names = append(names, "underline")
			}
		case i < 3 && s.Attrs&(cells.Bold<<i) != 0, i > 3 && s.Attrs&(cells.Blink<<(i-4)) != 0:
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// shrink drops pieces while the difference stays.
func shrink(o *oracle, c stream) stream {
	differs := func(c stream) bool { return compare(c, run(c), o.play(c)) != "" }
	for again := true; again; {
		again = false
		for i := 0; i < len(c.Parts); i++ {
			try := c
			try.Parts = slices.Delete(slices.Clone(c.Parts), i, i+1)
			if differs(try) {
				c, again = try, true
				i--
			}
		}
		for i := 0; i < len(c.Parts2); i++ {
			try := c
			try.Parts2 = slices.Delete(slices.Clone(c.Parts2), i, i+1)
			if differs(try) {
				c, again = try, true
				i--
			}
		}
	}
	return c
}

// oracle is the running node process.
type oracle struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// oracles are the programs that play cases, and what runs them.
var oracles = map[string][2]string{"xterm": {"node", "oracle.js"}, "ghostty": {"bun", "ghostty.js"}}

func startOracle(which string) (*oracle, error) {
	program, ok := oracles[which]
	if !ok {
		return nil, fmt.Errorf("no oracle %q", which)
	}
	_, file, _, _ := runtime.Caller(0)
	cmd := exec.Command(program[0], filepath.Join(filepath.Dir(file), program[1]))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &oracle{cmd, in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

func (o *oracle) close() {
	o.in.Close()
	_ = o.cmd.Wait()
}

func (o *oracle) play(c stream) result {
	data, err := json.Marshal(map[string]any{
		"cols": c.Cols, "rows": c.Rows, "input": []byte(strings.Join(c.Parts, "")), "chunk": c.Chunk,
		"resize": c.Resize, "input2": []byte(strings.Join(c.Parts2, "")), "graphemes": c.Graphemes, "reflowCursor": c.ReflowCursor,
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := o.in.Write(append(data, '\n')); err != nil {
		log.Fatal("vtdiff: oracle: ", err)
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		log.Fatal("vtdiff: oracle: ", err)
	}
	var r result
	if err := json.Unmarshal(line, &r); err != nil {
		log.Fatal("vtdiff: oracle: ", err)
	}
	return r
}

func writeCase(w io.Writer, name, tag string, c stream, want result) {
	escape := func(parts []string) string {
		s := strconv.QuoteToASCII(strings.Join(parts, ""))
		return s[1 : len(s)-1]
	}
	m := map[string]any{"name": name, "tag": tag, "cols": c.Cols, "rows": c.Rows, "input": escape(c.Parts), "grid": want.Grid, "cursor": want.Cursor}
	if c.Resize != nil {
		m["resize"], m["input2"] = c.Resize, escape(c.Parts2)
	}
	if want.Reply != "" {
		r := strconv.QuoteToASCII(want.Reply)
		m["reply"] = r[1 : len(r)-1]
	}
	if !c.NoScrollback {
		m["scrollback"] = want.Scrollback
	}
	var attrs []map[string]any
	for y, row := range want.Cells {
		for x, cell := range row {
			if p := strings.SplitN(cell, "|", 3); !c.NoAttrs && (p[0] != "" || p[2] != "") {
				attrs = append(attrs, map[string]any{"x": x, "y": y, "fg": p[0], "bg": p[1], "flags": p[2]})
			}
		}
	}
	if len(attrs) > 0 {
		m["attrs"] = attrs
	}
	data, err := json.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(w, "%s\n", data)
}
