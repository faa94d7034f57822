package policy_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"ccdir/policy"
)

// TestDocs runs the examples of docs/policy.md: each policy, then what follows
// from it.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	var p *policy.Policy
	ran := 0
	for i, block := range strings.Split(string(data), "```") {
		kind, text, _ := strings.Cut(block, "\n")
		switch {
		case i%2 == 0:
		case kind == "toml":
			p = mustParse(t, text)
		case kind == "decisions":
			for line := range strings.Lines(text) {
				// The input may contain " | " itself.
				tool, rest, _ := strings.Cut(line, "|")
				at := strings.LastIndex(rest, "|")
				role, tool, found := strings.Cut(strings.TrimSpace(tool), " ")
				if !found {
					role, tool = "dev", role
				}
				input, err := policy.InputOf(tool, strings.TrimSpace(rest[:at]))
				if err != nil {
					t.Fatal(err)
				}
				d := p.Decide(policy.Request{Role: role, Tool: tool, Input: input, Root: "/home/u/project", Home: "/home/u", FS: memFS{},
					Facts: policy.Facts{Branch: "main", Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}})
				if want := strings.TrimSpace(rest[at+1:]); string(d.Decision) != want {
					t.Errorf("%sgot %s (%s)", line, d.Decision, d.Reason)
				}
				ran++
			}
		}
	}
	if ran < 20 {
		t.Errorf("only %d examples ran", ran)
	}
}
