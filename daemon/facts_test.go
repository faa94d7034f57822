package daemon

import (
	"testing"

	"ccdir/api"
)

// TestLabelsReachThePolicy: a condition sees the label of the task that runs in
// the session.
func TestLabelsReachThePolicy(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.config("[agents.claude]\nkind = \"claude\"\ncommand = \"/bin/cat\"\n")
	p.policy("[[roles.dev.rule]]\nmatch = \"Bash\"\neffect = \"deny\"\nwhen = '\"frozen\" in labels'\nreason = \"not now\"\n")
	p.run()
	list := p.addTasks(api.NewTask{Prompt: "x", Agent: "claude", Labels: []string{"a", "frozen"}}, api.NewTask{Prompt: "y", Agent: "claude"})
	for i, want := range []string{"deny", ""} {
		p.call("POST", "/v1/tasks/"+list[i].ID+"/start", nil, nil)
		var session string
		until(t, "its session", func() bool { session = p.task(list[i].ID).Session; return session != "" })
		until(t, "the session to know its task", func() bool { return p.get(session).Task == list[i].ID })
		if got := decision(p.pretool(p.get(session), "f", "ls")); got != want {
			t.Errorf("task %d: %q, want %q", i, got, want)
		}
	}
}
