package codex

import (
	"slices"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/agents/payload"
)

// Outputs of codex exec --json (0.169.0).
const (
	printedGood = `{"type":"thread.started","thread_id":"01a21543-a68d-78c3-aae9-58dd564d0cb6"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for x not found."}}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'echo hi'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'echo hi'","aggregated_output":"hi\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Tool finished."}}
{"type":"turn.completed","usage":{"input_tokens":2000,"cached_input_tokens":200,"cache_write_input_tokens":0,"output_tokens":40,"reasoning_output_tokens":0}}
`
	printedBad = `{"type":"thread.started","thread_id":"01a21543-c6a5-7482-9222-d10e18c48dfe"}
{"type":"turn.started"}
{"type":"error","message":"unexpected status 429 Too Many Requests: slow down"}
{"type":"turn.failed","error":{"message":"unexpected status 429 Too Many Requests: slow down"}}
`
)

func TestPrintResult(t *testing.T) {
	r, ok := Adapter{}.PrintResult([]byte(printedGood))
	if !ok || r.Text != "Tool finished." || r.Failed || r.Tokens != 2040 || r.Turns != 1 || r.Conversation != "01a21543-a68d-78c3-aae9-58dd564d0cb6" {
		t.Errorf("%+v, %v", r, ok)
	}
	r, ok = Adapter{}.PrintResult([]byte(printedBad))
	if !ok || !r.Failed || r.Status != 429 || !strings.Contains(r.Text, "slow down") {
		t.Errorf("%+v, %v", r, ok)
	}
	for _, cut := range []string{"", "no JSON", printedGood[:strings.Index(printedGood, `{"type":"turn.completed`)]} {
		if r, ok := (Adapter{}).PrintResult([]byte(cut)); ok {
			t.Errorf("%q has the result %+v", cut, r)
		}
	}
}

func TestPreparePrint(t *testing.T) {
	s := start(t)
	s.Args = []string{"-p", "mine"}
	l, err := Adapter{}.PreparePrint(s, agents.Bounds{})
	if err != nil || !slices.Equal(l.Argv[:6], []string{"/bin/codex", "exec", "--json", "--skip-git-repo-check", "-p", "mine"}) || l.Argv[len(l.Argv)-1] != "-" {
		t.Errorf("%q, %v", l.Argv, err)
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add([]byte(printedGood))
	f.Add([]byte(printedBad))
	f.Fuzz(func(t *testing.T, out []byte) {
		r, _ := Adapter{}.PrintResult(out)
		if len(r.Text) > payload.MaxReply+64 || r.Tokens < 0 || r.Turns < 0 {
			t.Errorf("%+v", r)
		}
	})
}
