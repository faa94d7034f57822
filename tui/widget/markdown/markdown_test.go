package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

var dark = theme.New("dark", nil)

// plainOf are the lines of a text without styles.
func plainOf(text string, w int) string {
	var out []string
	for _, l := range Lines(dark, text, w) {
		out = append(out, strings.TrimRight(ansi.Strip(l.Text), " "))
	}
	return strings.Join(out, "\n")
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"heading", "# One\ntext\n\n## Two ##\n\nThree\n=====\n#no\n####### no", "One\ntext\n\nTwo\n\nThree\n#no\n####### no"},
		{"emphasis", "**b** and *i* and ***both*** and __b__ _i_ ~~gone~~ and `a*b*c`", "b and i and both and b i gone and\na*b*c"},
		{"unanswered", "a \\*b* c*", "a *b* c*"},
		{"no emphasis", "2 * 3 * 4, a_b_c, **kwargs, f(*args), a ** b ** c, \\*this\\*", "2 * 3 * 4, a_b_c, **kwargs,\nf(*args), a ** b ** c, *this*"},
		{"emphasis over lines", "**one\ntwo** three", "one\ntwo three"},
		{"cut while streamed", "see **the bold", "see **the bold"},
		{"list", "- one\n- two\n  goes on\n  - inner\n    text\n\n* three\n1. a\n10. b\n- [ ] open\n- [x] done\n-", "• one\n• two\n  goes on\n  • inner\n    text\n\n• three\n1. a\n10. b\n☐ open\n☑ done\n•"},
		{"list in prose", "It was 5 - 3\n2021. Then it ended\n- item", "It was 5 - 3\n2021. Then it ended\n• item"},
		{"lazy item", "- one\ngoes on\n\nafter", "• one\n  goes on\n\nafter"},
		{"code in an item", "1. do:\n   ```sh\n   ls -l\n   ```\n2. next", "1. do:\n     ls -l\n2. next"},
		{"code", "text:\n```go\nfunc *a* {\n\n\treturn `x`\n}\n```\nafter", "text:\n  func *a* {\n\n      return `x`\n  }\nafter"},
		{"open code", "~~~\n```\nx", "  ```\n  x"},
		{"indented", "a\n\n    code  |\n\n    more\n\nb", "a\n\n  code  |\n\n  more\n\nb"},
		{"quote", "> said *so*\n> > twice\n\nx", "▎ said so\n▎ ▎ twice\n\nx"},
		{"rule", "a\n\n---\n***\nb", "a\n\n" + strings.Repeat("─", 36) + "\n" + strings.Repeat("─", 36) + "\nb"},
		{"link", "[docs](https://a.example/x) [a.go](a.go) <https://b.example> ![pic](p.png)", "docs (https://a.example/x) a.go\nhttps://b.example pic (p.png)"},
		{"entities", "a &lt;b&gt; &amp; &copy;", "a <b> & &copy;"},
		{"blank lines", "\n\na\n\n\n\nb\n\n", "a\n\nb"},
		{"html", "<b>x</b>\n<!-- y -->", "<b>x</b>\n<!-- y -->"},
	} {
		if got := plainOf(c.in, 36); got != c.want {
			t.Errorf("%s:\n%s\n\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestTables(t *testing.T) {
	in := "| name | `n` | what |\n|:--|--:|:-:|\n| a | 1 | **x** |\n| long \\| one | 1000 | it is `a|b` |\n| short |\nafter"
	want := "name       │    n │   what\n───────────┼──────┼──────────\na          │    1 │     x\nlong | one │ 1000 │ it is a|b\nshort      │      │\nafter"
	if got := plainOf(in, 60); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	narrow := "name   │    n │  what\n───────┼──────┼───────\na      │    1 │   x\nlong   │ 1000 │ it is\n| one  │      │  a|b\nshort  │      │\nafter"
	if got := plainOf(in, 22); got != narrow {
		t.Errorf("got\n%s\nwant\n%s", got, narrow)
	}
	if got := plainOf(in, 12); !strings.HasPrefix(got, "name: a\nn: 1\nwhat: x\n\nname: long") {
		t.Errorf("no room: got\n%s", got)
	}
	if got := plainOf("a | b\nno table", 40); got != "a | b\nno table" {
		t.Errorf("got %q", got)
	}
}

// TestStyles: signs become styles, and styles end where they should.
func TestStyles(t *testing.T) {
	style := func(text, of string) cells.Style {
		for _, w := range inline(dark, text, cells.Style{}) {
			if w.text == of {
				return w.st
			}
		}
		t.Errorf("%q has no part %q: %v", text, of, inline(dark, text, cells.Style{}))
		return cells.Style{}
	}
	text := "a **b *c* d** `e` [f](https://f.example) ~~g~~"
	for of, want := range map[string]cells.Style{
		"a ": {}, "b ": {Attrs: cells.Bold}, "c": {Attrs: cells.Bold | cells.Italic}, " d": {Attrs: cells.Bold},
		"e": dark.Code, "f": {FG: dark.Accent, Underline: cells.UnderlineSingle}, " (https://f.example)": {FG: dark.Dim}, "g": {Attrs: cells.Strike},
	} {
		if got := style(text, of); got != want {
			t.Errorf("%q is %+v, want %+v", of, got, want)
		}
	}
	for text, of := range map[string]string{
		"see https://a.example/b_c_d?x=1.": "https://a.example/b_c_d?x=1", "(http://a.example)": "http://a.example", "**http://a.example/**": "http://a.example/",
	} {
		if got := style(text, of); got.Underline != cells.UnderlineSingle {
			t.Errorf("%q in %q is %+v", of, text, got)
		}
	}
	code := Lines(dark, "```\nx\n```", 20)
	if len(code) != 1 || paint.Width(ansi.Strip(code[0].Text)) != 20 {
		t.Errorf("code has no background over the width: %v", code)
	}
}

// TestLinksLead: a link leads to its address, and words that name another one show it.
func TestLinksLead(t *testing.T) {
	for text, leads := range map[string]bool{"[a](https://b.example)": true, "see https://b.example.": true, "[https://a.example](https://b.example)": true, "[a](vscode://b)": false, "[a](b.go)": false} {
		got := Lines(dark, text, 60)[0].Text
		if strings.Contains(got, "\x1b]8;;https://b.example\x1b\\") != leads || strings.Contains(got, "\x1b]8;;\x1b\\") != leads {
			t.Errorf("%q: %q", text, got)
		}
		if leads && !strings.Contains(ansi.Strip(got), "https://b.example") {
			t.Errorf("%q does not show where it leads: %q", text, got)
		}
	}
}

// TestWrappedJoins: rows that go on join to the words as they were.
func TestWrappedJoins(t *testing.T) {
	said := "the quick  brown **fox** 日本語日本語日本語 jumps over " + strings.Repeat("x", 70)
	var b strings.Builder
	for _, l := range Lines(dark, said, 20) {
		if b.WriteString(ansi.Strip(l.Text)); !l.Wrapped {
			b.WriteString("\n")
		}
	}
	if got, want := b.String(), strings.ReplaceAll(said, "*", "")+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlain(t *testing.T) {
	in := "## Done\n\n- **all** tests [pass](x.md)\n> see `a`\n```go\nx := 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |"
	if got, want := Plain(in), "Done all tests pass (x.md) see a x := 1 a · b 1 · 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHostileLengths: nothing takes longer than in proportion to its length.
func TestHostileLengths(t *testing.T) {
	for _, part := range []string{"*a ", "*", "**a", "`", "`a", "``a`", "[", "[a](", "](", "<a", "http://", "|", "- ", "> ", "1. ", "_a", "~~", "&", "\\", "#", "a|", "a\n|", "|\n|-|\n", "- a\n\n", "x", "> - ", "    x\n", "```\n", "a\n- \n"} {
		text := strings.Repeat(part, 200_000/len(part))
		begun := time.Now() // of each: in proportion to its square it would take minutes
		Lines(dark, text, 80)
		Plain(text)
		if took := time.Since(begun); took > 20*time.Second {
			t.Fatalf("%q takes %v", part, took)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"# h\n\n**b** *i* `c` [l](u)\n\n- a\n  - b\n\n1. x\n", "```go\nx\n```\n> q\n> > r\n", "| a | b |\n|--|:-:|\n| 1 | `x|y` |\n",
		"a\x1b]0;x\x07\u009b2J\u202e\t日本\r\n- [ ] 👩‍👩‍👧", "***a** b* __c_ ~~d~~", "-\n-\n\n\n  x", "> - > - > - > - > - x", "a\n===\nb\n---\n",
	} {
		f.Add(seed, 30)
	}
	f.Fuzz(func(t *testing.T, text string, w int) {
		if len(text) > 1<<14 {
			return
		}
		w = min(max(w, 0), 200)
		for _, l := range Lines(dark, text, w) {
			plain := ansi.Strip(l.Text)
			if n := paint.Width(plain); n > max(w, minWidth) {
				t.Errorf("a line of %d columns, want %d: %q", n, w, plain)
			}
			if strings.ContainsAny(plain, "\x1b\x07\n\r\t\u009b\u202e") {
				t.Errorf("not harmless: %q", plain)
			}
		}
		if one := Plain(text); strings.ContainsAny(one, "\x1b\n\r\u202e") {
			t.Errorf("not harmless: %q", one)
		}
	})
}
