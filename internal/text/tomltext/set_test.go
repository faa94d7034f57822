package tomltext

import (
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	for _, tc := range []struct{ name, text, value, path, want string }{
		{"an empty file", "", "5", "most", "most = 5\n"},
		{"in place, with its comment", "# a\nmost = 12 # why\nnext = 1\n", "5", "most", "# a\nmost = 5 # why\nnext = 1\n"},
		{"a string with a mark of comments", "a = \"x # y\" # z\n", `"b"`, "a", "a = \"b\" # z\n"},
		{"a list on several lines", "a = [\n  1, # one\n  2,\n]\nb = 1\n", "[3]", "a", "a = [3]\nb = 1\n"},
		{"a key in a table", "[keys]\n# mine\nnew = \"n\"\n\n[mcp]\nlead = \"x\"\n", `"C-a"`, "keys.prefix", "[keys]\n# mine\nnew = \"n\"\nprefix = \"C-a\"\n\n[mcp]\nlead = \"x\"\n"},
		{"a table without keys", "[keys]\n\n[mcp]\n", `"C-a"`, "keys.prefix", "[keys]\nprefix = \"C-a\"\n\n[mcp]\n"},
		{"a table that is missing", "a = 1\n", `"C-a"`, "keys.prefix", "a = 1\n\n[keys]\nprefix = \"C-a\"\n"},
		{"a dotted key", "keys.prefix = 'C-b'\n", `"C-a"`, "keys.prefix", "keys.prefix = \"C-a\"\n"},
		{"an inline table", "theme = { base = \"dark\", dim = \"x\" }\n", `"light"`, "theme.base", "theme = { base = \"light\", dim = \"x\" }\n"},
		{"above the first table", "a = 1\n\n# of keys\n[keys]\n", "2", "b", "a = 1\nb = 2\n\n# of keys\n[keys]\n"},
		{"nothing above the first table", "# of keys\n[keys]\n", "2", "b", "b = 2\n# of keys\n[keys]\n"},
		{"below its default as a comment", "# most = 3\n# other = 1\nc = 1\n", "5", "most", "# most = 3\nmost = 5\n# other = 1\nc = 1\n"},
		{"no end of line", "a = 1", "2", "b", "a = 1\nb = 2\n"},
		{"a table of a table", "[agents.x]\ncommand = \"x\"\n", `"y"`, "agents.x.kind", "[agents.x]\ncommand = \"x\"\nkind = \"y\"\n"},
		{"lists of tables below", "a = 1\n[[repos]]\nname = \"r\"\n", "2", "b", "a = 1\nb = 2\n[[repos]]\nname = \"r\"\n"},
	} {
		e := NewEditor(tc.text)
		if err := e.Set(tc.value, strings.Split(tc.path, ".")...); err != nil || e.Text() != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.name, err, e.Text(), tc.want)
		}
	}
	if err := NewEditor("theme = { base = \"dark\" }\n").Set("1", "theme", "dim"); err == nil {
		t.Error("a key is added to an inline table")
	}
}
