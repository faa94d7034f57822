package policy

import (
	"slices"
	"testing"

	"ccdir/api"
)

// TestSumGroups: each count is in one line, those of one decider together.
func TestSumGroups(t *testing.T) {
	counts := []api.LedgerCount{
		{Decision: "none", By: "unasked", Mode: "auto", Rows: 300}, {Decision: "allow", By: "policy", Rows: 90}, {Decision: "none", By: "unasked", Rows: 40},
		{Decision: "none", By: "unasked", Mode: "manual", Rows: 30}, {Decision: "allow", By: "person", Rows: 7}, {Decision: "ask", By: "policy", Rows: 6},
		{Decision: "deny", By: "agent", Rows: 5}, {Decision: "deny", By: "policy", Rows: 4}, {Decision: "none", Rows: 3}, {Decision: "rule", By: "person", Rows: 2}, {Decision: "refused", By: "daemon", Rows: 1},
	}
	var lines []string
	sum, all := 0, 0
	for _, g := range sumGroups() {
		n, text := g.count(counts)
		sum += n
		lines = append(lines, text)
	}
	for _, c := range counts {
		all += c.Rows
	}
	want := []string{"policy 90, person 7", "policy 4", "its own classifier 5", "policy 6", "", "auto 300, mode not known 40, manual 30", "rule 2, refused 1"}
	if !slices.Equal(lines, want) || sum != all {
		t.Errorf("%d of %d rows: %q", sum, all, lines)
	}
	n, text := countRefusals(api.LedgerSum{Refusals: []api.SandboxRefusal{{Host: "evil.example:443", Count: 12}, {Tool: "Bash", Count: 2}}, OtherRefusals: 3})
	if n != 17 || text != "evil.example:443 12, Bash 2, others 3" {
		t.Errorf("refusals: %d, %q", n, text)
	}
	if most := len(sumGroups()) + 2; most > 10 {
		t.Errorf("a sum has %d lines", most)
	}
}
