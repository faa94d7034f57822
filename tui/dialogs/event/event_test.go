package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// TestEvent: an event is shown as harmless JSON that scrolls, and the key that opens it
// closes it.
func TestEvent(t *testing.T) {
	env := uitest.Env(60, 14)
	d := New(api.Event{Seq: 4, At: uitest.Epoch, Session: "bbbb2222", Type: "PermissionRequest", Message: "Bash: \x1b[2J", Data: json.RawMessage(`{"tool":"Bash","held":true}`)}, "web")
	uitest.Everywhere(t, env, d, "event")
	if dump := uitest.Picture(env, d).Dump(); strings.Contains(dump, "\x1b") {
		t.Errorf("it is not harmless:\n%s", dump)
	}
	env.Rows = 8
	d, _ = uitest.Press(env, d, "G")
	uitest.Golden(t, env, d, "event-end-60x8")
	for _, key := range []string{"Escape", "q", "i", "C-c"} {
		if _, effects := uitest.Press(env, d, key); fmt.Sprint(effects) != fmt.Sprint([]ui.Effect{ui.Close{All: true}}) {
			t.Errorf("%s: %v", key, effects)
		}
	}
}
