package syntax

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "copy the lexers of the pinned chroma")

// TestLexers: the lexers are those of the pinned chroma, and each is made and belongs to a language.
func TestLexers(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	have, err := fs.Glob(files, "lexers/*.xml")
	if err != nil || len(have) < 40 {
		t.Fatal(have, err)
	}
	for _, name := range have {
		language := strings.TrimSuffix(filepath.Base(name), ".xml")
		if !slices.ContainsFunc(languages, func(l struct{ lexer, names string }) bool { return l.lexer == language }) {
			t.Errorf("no file has the lexer %s", language)
		}
		want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lexers", "embedded", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
		} else if got, _ := files.ReadFile(name); !bytes.Equal(got, want) {
			t.Errorf("%s is not that of chroma: go test ./tui/widget/syntax -update", name)
		}
	}
	for _, l := range languages {
		parts, ok := Lines("x"+strings.Fields(l.names)[0], []string{"a = \"text\" 1", "b"}, never)
		if lexer(l.lexer) == nil || !strings.HasPrefix(strings.Fields(l.names)[0], ".") || !ok || len(parts) != 2 || sum(parts[0]) != 12 {
			t.Errorf("%s: %v, %v", l.lexer, parts, ok)
		}
	}
}

func never() time.Time { return time.Time{} }

func sum(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Len
	}
	return n
}

// TestLines: parts cover each line, over line breaks, and text without a language or with too long lines has none.
func TestLines(t *testing.T) {
	text := []string{"package x // é", "", "/* a", "b */ func f(s string) { return \"é\" + 0x1f }", "\t`raw", "string`"}
	parts, ok := Lines("dir/a.go", text, never)
	if !ok {
		t.Fatal("Go has no parts")
	}
	for i, l := range text {
		if sum(parts[i]) != len(l) {
			t.Errorf("the parts of %q are %v", l, parts[i])
		}
	}
	if got := parts[0]; len(got) != 3 || got[0] != (Part{7, Keyword}) || got[2].Kind != Comment {
		t.Errorf("%v", got)
	}
	if parts[3][0] != (Part{4, Comment}) || parts[5][0].Kind != String {
		t.Errorf("%v", parts)
	}
	if _, ok := Lines("a.unknown", text, never); ok {
		t.Error("no language, and it has parts")
	}
	if _, ok := Lines("a.go", []string{strings.Repeat("x", maxLine+1)}, never); ok {
		t.Error("a line of that length has parts")
	}
}

// TestTooLong: what takes longer than its budget has no parts.
func TestTooLong(t *testing.T) {
	at := time.Time{}
	slow := func() time.Time { at = at.Add(time.Second); return at }
	if _, ok := Lines("a.go", slices.Repeat([]string{"a b c d e f g h"}, 100), slow); ok {
		t.Error("it has parts")
	}
}

// FuzzLines: any text in any language has parts that cover it, or none.
func FuzzLines(f *testing.F) {
	f.Add("a.go", "/* \x00 \"")
	f.Add("a.html", "<script>x</script><style>")
	f.Add("Dockerfile", "RUN echo \\\n \"")
	f.Fuzz(func(t *testing.T, name, text string) {
		lines := strings.Split(strings.ToValidUTF8(text, "\ufffd"), "\n")
		parts, ok := Lines(name, lines, time.Now)
		for i := range parts {
			if ok && sum(parts[i]) > len(lines[i]) {
				t.Errorf("%q has %v", lines[i], parts[i])
			}
		}
	})
}

func BenchmarkScreen(b *testing.B) {
	lines := slices.Repeat([]string{"	if n := len(text); n > 0 && strings.HasPrefix(text, \"x\") { return n, nil } // why"}, 60)
	for b.Loop() {
		if _, ok := Lines("a.go", lines, time.Now); !ok {
			b.Fatal("it took too long")
		}
	}
}
