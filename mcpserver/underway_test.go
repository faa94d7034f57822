package mcpserver

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCancelAtOnce: a cancellation right behind its request is not lost, and a command
// that was given up before it began does not begin.
func TestCancelAtOnce(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, Options{}, Caller{Role: "dev", Dir: dir})
	c.initialize()
	const rounds = 30
	for i := range rounds {
		id := 1000 + i
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"bash","arguments":{"command":"touch began; sleep 600","timeout_seconds":900}}}`, id) + "\n" +
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		if a := c.receive(); a.ID != id || !strings.Contains(string(a.Result), "cancelled") {
			t.Fatalf("%+v %s", a, a.Result)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Logf("of %d commands some had begun", rounds) // that is allowed, if they ended
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	if r := ran(t, c.call("bash", map[string]any{"command": "echo on"})); r.Status != "ok" {
		t.Errorf("%+v", r)
	}
}
