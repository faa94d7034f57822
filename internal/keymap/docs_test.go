package keymap

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table in docs/keys.md")

// tablesBegin is the line of docs/keys.md after which the tables stand.
const tablesBegin = "<!-- Written by `go test ./internal/keymap -update`. -->\n"

// tables are the bindings in Markdown, a table for each group.
func tables(m *Map) string {
	var b strings.Builder
	group := ""
	for _, row := range m.Bindings() {
		if row.Group != group {
			group = row.Group
			where := "after the prefix key"
			if mode := ModeOf(group); mode != ModePrefix {
				where = "without the prefix key," + mode.where()
			}
			fmt.Fprintf(&b, "\n### %s (%s)\n\n| keys | does | name |\n|---|---|---|\n", group, where)
		}
		var keys []string
		for _, k := range row.Keys {
			keys = append(keys, "`"+strings.ReplaceAll(k, "|", "\\|")+"`")
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(keys, " "), strings.ReplaceAll(row.Text, "|", "\\|"), row.Action)
	}
	return b.String()
}

// TestDocs: docs/keys.md has the table as it is.
func TestDocs(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "keys.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := Make("", nil)
	before, after, found := strings.Cut(string(data), tablesBegin)
	if !found {
		t.Fatalf("%s lacks the line %q", file, tablesBegin)
	}
	want := tables(m)
	if *update {
		if err := os.WriteFile(file, []byte(before+tablesBegin+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if after != want {
		t.Errorf("%s is not the table of keys: `go test ./internal/keymap -update` writes it", file)
	}
}

// TestReadme: the keys that the README has in its table do what it says: each of a
// line belongs to an action whose text or name has a word of the line's.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, keys, found := strings.Cut(string(data), "\n## Keys\n")
	keys, _, _ = strings.Cut(keys, "\n## ")
	if !found {
		t.Fatal("the README has no table of keys")
	}
	m, _ := Make("", nil)
	rows := 0
	for line := range strings.Lines(keys) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		for i, name := range strings.Split(cells[1], "`") {
			if name = strings.ReplaceAll(name, "Ctrl-B", "C-b"); i%2 == 0 {
				continue
			}
			b, ok := m.Lookup(name)
			if name == m.Prefix() { // twice is itself
				b, ok = m.Of(Literal), true
			}
			said := strings.ToLower(b.Text + " " + strings.ReplaceAll(string(b.Action), "-", " "))
			if !ok || !shareWord(strings.ToLower(cells[2]), said) {
				t.Errorf("`%s`: the README says %q, it is %q", name, strings.TrimSpace(cells[2]), said)
			}
		}
	}
	if rows < 15 {
		t.Errorf("only %d lines of keys were found", rows)
	}
}

// shareWord reports whether two texts have a word of more than three letters in common.
func shareWord(a, b string) bool {
	words := map[string]bool{}
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
	}
	for _, w := range split(a) {
		words[w] = len(w) > 3
	}
	for _, w := range split(b) {
		if words[w] {
			return true
		}
	}
	return false
}
