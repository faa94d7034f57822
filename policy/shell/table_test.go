package shell

import (
	"flag"
	"os"
	"strings"
	"testing"

	"ccdir/policy/glob"
)

var update = flag.Bool("update", false, "write testdata/split.txt anew: read the difference, each line is what rules will see")

// TestTable: what Split finds in each command of testdata/split.txt. A line that begins with # is
// a heading, one that begins with a tab is a part of the command above it; "\n" in a command is a
// new line, "*" in a part is unknown text. After a part stand its marks: unclear, covered, barred.
func TestTable(t *testing.T) {
	const path = "testdata/split.txt"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		now.WriteString(line)
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			now.WriteString(partsOf(strings.ReplaceAll(line, `\n`, "\n")))
		}
	}
	if now.String() == string(file) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, is := strings.Split(string(file), "\n"), strings.Split(now.String(), "\n")
	for i := range is {
		if i >= len(was) || is[i] != was[i] {
			t.Fatalf("from line %d on Split finds other parts: %q, the table has %q", i+1, is[i], was[min(i, len(was)-1)])
		}
	}
	t.Fatal("Split finds fewer parts than the table has")
}

// partsOf are the lines of a command's parts.
func partsOf(command string) string {
	var out strings.Builder
	parts, err := Split(command, everything, nil)
	for _, p := range parts {
		out.WriteString("\t" + strings.ReplaceAll(show([]Part{p})[0], glob.Wild, "*"))
		for _, mark := range []struct {
			is   bool
			word string
		}{{p.Unclear, " (unclear)"}, {p.Covered, " (covered)"}, {p.Barred != "", " (barred: " + p.Barred + ")"}} {
			if mark.is {
				out.WriteString(mark.word)
			}
		}
		out.WriteString("\n")
	}
	if err != nil {
		out.WriteString("\terror: " + err.Error() + "\n")
	}
	return out.String()
}
