package nodes

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// waits are the texts of the prompts that the node keeps and has not delivered.
func (r *rig) waits() (texts []string) {
	r.Helper()
	var list []struct {
		Node string
		api.PendingPrompt
	}
	r.decode(r.ok("pending", "box/worker", "--json"), &list)
	for _, p := range list {
		if p.Node != "box" || p.Name != "worker" {
			r.Errorf("listed is %+v", p)
		}
		if p.State == api.PendingWaits {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// TestLater: a node keeps prompts for its session, which are listed, changed and taken back from
// here, by verbs and in the grid, and delivers them.
func TestLater(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "worker", "-a", "demo", "box/")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	request := r.asks("box/worker", "touch later")
	ids := map[string]string{}
	for _, word := range []string{"one", "two", "three", "four"} {
		ids[word] = r.ok("send", "--later", "box/worker", "say "+word)
	}
	r.ok("pending", "edit", ids["two"], "say 2")
	r.ok("pending", "cancel", ids["three"])
	if got := r.waits(); !slices.Equal(got, []string{"say one", "say 2", "say four"}) {
		t.Errorf("the node keeps %q", got)
	}
	if out := r.ok("pending", "--json"); out != "[]" {
		t.Errorf("this machine keeps %s", out)
	}

	g := r.grid()
	g.shows("box/worker", "3 later")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.keys("C-t") // for the session: what is for the focused pane answers its request
	g.shows(" to: ")
	g.keys("worker", "Enter")
	g.shows("to box/worker")
	g.keys("say five", "Enter")
	g.shows("kept for later: box/worker", "4 later")
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.keys("C-l")
	g.shows("say four  for box/worker", "say five  for box/worker")
	g.keys("four", "C-x") // the one that the text chooses is cancelled
	g.shows("3 later")
	if got := r.waits(); !slices.Equal(got, []string{"say one", "say 2", "say five"}) {
		t.Errorf("the node keeps %q", got)
	}

	r.ok("approve", request)
	r.until("all to be delivered", func() bool { return len(r.waits()) == 0 })
	r.until("the last answer", func() bool { return strings.Contains(r.ok("transcript", "box/worker", "--turns", "1"), "say five") })
	var turns []api.Turn
	r.decode(r.ok("transcript", "box/worker", "--json"), &turns)
	var told []string
	for _, turn := range turns {
		told = append(told, turn.Prompt)
	}
	if want := []string{"permit Bash touch later", "say one", "say 2", "say five"}; !slices.Equal(told, want) {
		t.Errorf("it was told %q, not %q", told, want)
	}
}

// TestFarCopyMode: copy mode in a pane of a node's agent on the alternate screen goes on into
// its conversation.
func TestFarCopyMode(t *testing.T) {
	r := newRig(t)
	if err := os.WriteFile(r.far.ConfigFile(), []byte("[agents.demo]\nargs = [\"--alt\", \"--delay=1ms\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.addHere()
	r.ok("new", "-n", "teller", "-a", "demo", "box/")
	r.ok("wait", "box/teller", "--state", "idle", "--timeout", "60s")
	var story strings.Builder
	for i := range 80 {
		fmt.Fprintf(&story, "say it was day %d\n", i)
	}
	r.ok("ask", "box/teller", story.String())
	g := r.grid()
	g.shows("box/teller", "it was day 79")
	if strings.Contains(g.text(), "it was day 7\n") {
		t.Fatalf("all of it is on the screen:\n%s", g.text())
	}
	g.keys("C-b", "[")
	g.shows("COPY")
	g.keys("g")
	g.shows("it was day 7\n")
	g.keys("q")
	g.shows("it was day 79")
}
