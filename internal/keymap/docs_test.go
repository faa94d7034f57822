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
