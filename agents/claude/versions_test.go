package claude

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ccdir/agents"
)

func TestDescribeVersion(t *testing.T) {
	for text, want := range map[string]struct {
		tested, lacks string
		good          bool
	}{
		"2.1.329 (Claude Code)": {"tested with 2.1.294 to 2.1.329", "", true},
		"2.1.300 (Claude Code)": {"tested with 2.1.294 to 2.1.329", "", true},
		"2.1.295 (Claude Code)": {"tested with 2.1.294 to 2.1.329", "no onFailure of hooks (since 2.1.300)", true},
		"2.1.294 (Claude Code)": {"tested with", "no program status (OSC 7501) (since 2.1.295): Esc,", true},
		"2.2.0 (Claude Code)":   {"newer than what was tested", "", true},
		"2.1.130 (Claude Code)": {"older than what was tested", "no hooks without a shell (since 2.1.139)", false},
		"2.1.118":               {"older than", "no status in the session file (since 2.1.119)", false},
		"1.0.60":                {"older than", "no --settings (since 1.0.61): it cannot be managed", false},
		"what?":                 {"tested with", "its version is not known", false},
	} {
		tested, lacks, good := DescribeVersion(text)
		if !strings.HasPrefix(tested, want.tested) || !strings.Contains(lacks, want.lacks) || lacks != "" && want.lacks == "" || good != want.good {
			t.Errorf("%s: %q, %q, %v", text, tested, lacks, good)
		}
		if strings.Contains(tested+lacks, "\n") {
			t.Errorf("%s: more than one line", text)
		}
	}
	if n := len(missing(agents.Version{2, 1, 118})); n != 4 {
		t.Errorf("2.1.118 lacks %d things", n)
	}
}

// TestVersionTable: the page shows the adapter's table.
func TestVersionTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/state.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+versionTable()) {
		t.Errorf("docs/state.md does not show this table:\n%s", versionTable())
	}
	for i := 1; i < len(versionFeatures); i++ {
		if !versionFeatures[i].Since.Before(versionFeatures[i-1].Since) {
			t.Errorf("%s is not older than the one above it", versionFeatures[i].Name)
		}
	}
}

// versionTable is the table of features as Markdown.
func versionTable() string {
	var b strings.Builder
	b.WriteString("| since | what | an older version |\n|---|---|---|\n")
	for _, f := range versionFeatures {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.Since, f.Name, f.Without)
	}
	return b.String()
}
