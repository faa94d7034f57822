package request

import (
	"encoding/json"
	"strings"
	"testing"

	"ccdir/api"
)

// TestPlan: a plan is text, of which every word is shown, and not JSON.
func TestPlan(t *testing.T) {
	plan := "# Orders\n\nMove **orders** to `a**b**`.\n## Steps\n1. one, which is a longer line\n- [ ] two\n  * three\n**bold**\n```sql\n# no heading\nSELECT  1;\n```\nend"
	input, _ := json.Marshal(map[string]string{"plan": plan, "planFilePath": "/home/me/.claude/plans/a.md"})
	r := api.Request{Tool: api.ToolPlan, Kind: api.RequestPlan, Input: input}
	var got []string
	for _, l := range linesOf(r, 20) {
		got = append(got, l.Text)
	}
	want := "Orders||Move **orders** to|`a**b**`.|Steps|1. one, which is a|   longer line|☐ two|  • three|bold|```sql|  # no heading|  SELECT  1;|end"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if PlanLine(input) != "Orders" || PlanLine(json.RawMessage(`{"plan":"\n# \n"}`)) != "" || PlanLine(nil) != "" {
		t.Errorf("its line is %q", PlanLine(input))
	}
	r.Kind = api.RequestPermission // of a tool of that name, nobody knows what it is
	if l := linesOf(r, 300); !strings.HasPrefix(l[0].Text, "plan:") {
		t.Errorf("begins with %q", l[0].Text)
	}
}
