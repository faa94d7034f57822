package edit

import (
	"strings"
	"testing"
	"time"

	"ccdir/tui/paint"
)

// keys presses keys; single characters type themselves.
func keys(b Buffer, width int, names ...string) Buffer {
	for _, n := range names {
		b, _ = b.Key(n, typedBy(n), width)
	}
	return b
}

// typedBy is what the key of that name types.
func typedBy(name string) string {
	if name == "Space" {
		return " "
	}
	if size, _ := paint.Next(name); size == len(name) {
		return name
	}
	return ""
}

// marked is the text with the cursor as a bar.
func (b Buffer) marked() string {
	lines := append([]string(nil), b.lines...)
	if len(lines) == 0 {
		lines = []string{""}
	}
	l := lines[b.row]
	lines[b.row] = l[:b.off] + "|" + l[b.off:]
	return b.expand(strings.Join(lines, "\n"))
}

func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		text string
		keys []string
		want string
	}{
		{"", []string{"a", "b"}, "ab|"},
		{"ab", []string{"Left", "x", "Right", "Right", "y"}, "axby|"},
		{"one two", []string{"C-w"}, "one |"},
		{"one two", []string{"C-w", "C-w"}, "|"},
		{"one two", []string{"C-w", "Home", "C-y"}, "two|one "},
		{"one two", []string{"M-b", "M-b", "M-f"}, "one| two"},
		{"one two", []string{"M-b", "C-k"}, "one |"},
		{"one\ntwo", []string{"C-u", "BSpace"}, "one|"},
		{"one\ntwo", []string{"Up", "C-k", "DC"}, "one|wo"},
		{"one\ntwo", []string{"Home", "Left", "Left", "Right"}, "one|\ntwo"},
		{"one\ntwo", []string{"C-Home", "M-d"}, "|\ntwo"},
		{"one\ntwo", []string{"C-Home", "C-End", "C-a"}, "one\n|two"},
		{"long line\nab\nlong line", []string{"Up", "Up", "Down", "Down"}, "long line\nab\nlong line|"},
		{"long line\nab\nlong line", []string{"Up"}, "long line\nab|\nlong line"},
		{"ab", []string{"c", "d", "C-_"}, "ab|"},
		{"ab", []string{"C-w", "C-_", "C-_", "C-_"}, "|"}, // the paste, too
		{"日本", []string{"Left", "BSpace"}, "|本"},
		{"a👨‍👩‍👧b", []string{"Left", "Left", "Right", "BSpace"}, "a|b"},
		{"ae\u0301", []string{"BSpace"}, "a|"},
		{"🇩🇪", []string{"Left"}, "|🇩🇪"},
		{"e", []string{"\u0301"}, "e\u0301|"},
		{"ab", []string{"Home", "\u0301"}, "\u0301|ab"},
	} {
		if got := keys(New(tt.text), 20, tt.keys...).marked(); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.text, tt.keys, got, tt.want)
		}
	}
	for _, name := range []string{"Up", "Down", "F5", "Tab"} {
		if _, ok := New("one").Key(name, "", 20); ok {
			t.Errorf("%s means something in one row", name)
		}
	}
}

// TestUpAndDownGoByRows: the rows of a wrapped line count, the column stays.
func TestUpAndDownGoByRows(t *testing.T) {
	b := New("aaa bbb ccc ddd\nx")
	b = keys(b, 9, "Up", "Up", "Up")
	if b.marked() != "a|aa bbb ccc ddd\nx" {
		t.Errorf("%q", b.marked())
	}
	if _, ok := b.Key("Up", "", 9); ok {
		t.Error("there is a row above the first")
	}
	b = keys(New("日本語日本語\nab"), 7, "Up")
	if b.marked() != "日本語日|本語\nab" {
		t.Errorf("%q", b.marked())
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"hello world again", 8, "hello |world |again"},
		{"hello world", 12, "hello world"},
		{"hello world", 11, "hello |world"},
		{"abcdefghij", 5, "abcd|efgh|ij"},
		{"日本語", 4, "日|本|語"},
		{"日本語", 5, "日本|語"},
		{"a  b", 3, "a |" + " b"},
		{"👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧|👨‍👩‍👧"},
	} {
		b := New(tt.text)
		var rows []string
		for _, r := range b.wrapLine(0, tt.width) {
			rows = append(rows, b.lines[0][r.From:r.To])
		}
		if got := strings.Join(rows, "|"); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestFolds(t *testing.T) {
	long := strings.Repeat("line\n", 40)
	b := keys(New("see "), 20).Paste(long)
	b = keys(b, 40, "!", "Left", "Left")
	if b.String() != "see "+long+"!" || b.Len() != len(long)+5 {
		t.Errorf("%d bytes: %q", b.Len(), b.String())
	}
	var shown []string
	for _, r := range b.View(40, 5).Rows {
		for _, p := range b.Pieces(r) {
			shown = append(shown, p.Text)
		}
	}
	if got := strings.Join(shown, ""); got != "see [paste: 40 lines, 200 bytes]!" {
		t.Errorf("shown as %q", got)
	}
	open, ok := b.Unfold()
	if !ok || open.String() != b.String() || open.Lines() != 41 {
		t.Errorf("unfolded %v: %d lines", ok, open.Lines())
	}
	if back := open.Undo(); back.Lines() != 1 {
		t.Error("unfolding cannot be taken back")
	}
	gone := keys(b, 40, "DC")
	if gone.String() != "see !" || gone.Len() != 5 {
		t.Errorf("%q, %d", gone.String(), gone.Len())
	}
	if cut := keys(b, 40, "C-e", "C-u", "C-y"); cut.String() != b.String() || cut.Len() != b.Len() {
		t.Error("cut and put back it is another text")
	}
	// More folds than there are characters for, and text that pretends.
	b = Buffer{}
	for range maxFolds + 3 {
		b = b.Paste(long)
	}
	if b.String() != strings.Repeat(long, maxFolds+3) {
		t.Error("one fold too many loses text")
	}
	if s := New("\ufdd0\ufdefx").String(); s != "\ufffd\ufffdx" {
		t.Errorf("%q", s)
	}
}

// TestLargePasteIsQuick: a megabyte, in lines or in one, folded or not, is
// edited well within the time of a frame or two. The bound is generous: it
// shall tell a millisecond from a second.
func TestLargePasteIsQuick(t *testing.T) {
	for name, text := range map[string]string{
		"lines": strings.Repeat(strings.Repeat("word ", 16)+"\n", 13108), "one line": strings.Repeat("x", 1<<20),
		"wide": strings.Repeat("日本語", 1<<20/9),
	} {
		began := time.Now()
		b := New(text)
		b = keys(b, 80, "a", "Left", "Right", "BSpace")
		b.View(80, 8)
		folded := time.Since(began)
		b, _ = keys(b, 80, "Home").Unfold()
		b = keys(b, 80, "C-End", "b", "Left", "Up")
		b.View(80, 8)
		if took := time.Since(began); folded > time.Second || took > 5*time.Second {
			t.Errorf("%s: %v folded, %v with all", name, folded, took)
		} else {
			t.Logf("%s: folded %v, unfolded and edited %v", name, folded, took)
		}
		if b.Len() < 1<<20-9 || len(b.String()) != b.Len() {
			t.Errorf("%s: %d bytes, said %d", name, len(b.String()), b.Len())
		}
	}
	if _, ok := New("x").TryPaste(strings.Repeat("y", MaxBytes)); ok {
		t.Error("there is no bound")
	}
}

// FuzzEdit: whatever is typed, the cursor is at a border of clusters within the
// text and in view, no row is wider than it may be, and the size is right.
func FuzzEdit(f *testing.F) {
	all := []string{"Left", "Right", "Up", "Down", "Home", "End", "BSpace", "DC", "C-w", "C-k", "C-u", "C-y", "M-b", "M-f", "M-d", "C-_", "C-Home", "C-End", "a", " ", "日", "\u0301", "👨", "\u200d", "\t"}
	f.Add("one two\nthree 日本", []byte{0, 6, 20, 3, 9, 11}, 12)
	f.Add(strings.Repeat("x\n", 20), []byte{0, 6, 20, 15, 21, 18}, 5)
	f.Fuzz(func(t *testing.T, text string, presses []byte, width int) {
		width = 2 + abs(width)%100
		b := New(text).Insert(text)
		for _, p := range presses[:min(len(presses), 60)] {
			n := all[int(p)%len(all)]
			if p > 250 {
				b, _ = b.Unfold()
			}
			b = keys(b, width, n)
			if len(b.String()) != b.Len() {
				t.Fatalf("after %s: %d bytes, said %d", n, len(b.String()), b.Len())
			}
			line := b.Line(b.row)
			if b.off > len(line) || b.off > 0 && b.off < len(line) && startOf(line, b.off+1) != b.off {
				t.Fatalf("after %s: the cursor is at %d in %q", n, b.off, line)
			}
			v := b.View(width, 4)
			if v.Y >= len(v.Rows) || v.X >= max(width, 3) || v.Rows[v.Y].Line != b.row {
				t.Fatalf("after %s: cursor at %d,%d of %v", n, v.X, v.Y, v.Rows)
			}
			for _, r := range v.Rows {
				if w := b.width(b.Line(r.Line)[r.From:r.To]); w > max(width-1, 2) && len(b.folds) == 0 {
					t.Fatalf("a row of %d in %d columns", w, width)
				}
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return max(0, -n)
	}
	return n
}
