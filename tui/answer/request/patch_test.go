package request

import (
	"encoding/json"
	"strings"
	"testing"

	"ccdir/api"
)

// TestPatch: a patch is shown file by file, as what goes and what comes; with a member that
// this would hide it is shown as it stands.
func TestPatch(t *testing.T) {
	shown := func(input string) string {
		var lines []string
		for _, l := range Lines(api.Request{Tool: api.ToolPatch, Input: json.RawMessage(input)}, Present{}, 80) {
			lines = append(lines, l.Text)
		}
		return strings.Join(lines, "\n")
	}
	const files = `[{"path":"a.go","change":"update","move_to":"b.go","edits":[{"old_string":"x\nold\n","new_string":"x\nnew <&\n"}]},{"path":"c","change":"delete"}]`
	if got, want := shown(`{"files":`+files+`}`), "a.go\nupdate, and move to\nb.go\n  x\n- old\n+ new <&\nc\ndelete"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := shown(`{"files":[{"path":"a","change":"add","mode":"0777"}]}`); !strings.Contains(got, "0777") {
		t.Errorf("hidden: %s", got)
	}
}
