package mailbox

import (
	"encoding/json"
	"strings"
	"testing"

	"ccdir/api"
)

// TestLeadText: a lead gets a plan as a plan, and all of it; other inputs are cut.
func TestLeadText(t *testing.T) {
	long := strings.Repeat("step ", 3000) + "last zebra"
	input, err := json.Marshal(map[string]string{"plan": long})
	if err != nil {
		t.Fatal(err)
	}
	r := api.Request{ID: "k3vfa", SessionName: "worker", Tool: "ExitPlanMode", Kind: api.RequestPlan, CWD: "/p", Input: input}
	if text := leadText(r); !strings.Contains(text, "last zebra") || !strings.Contains(text, "has made a plan") {
		t.Errorf("%.200s…", text)
	}
	r.Kind, r.Tool = api.RequestPermission, "Bash"
	if text := leadText(r); strings.Contains(text, "last zebra") || !strings.Contains(text, "wants to use Bash") {
		t.Errorf("%.200s…", text)
	}
}
