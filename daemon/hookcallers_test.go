package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// hooked calls a hook of the session s by a process inside this one, and waits for its
// end.
func (i *inner) hooked(how string, s api.Session, name, payload string) {
	i.p.t.Helper()
	script := i.hookScript(s, name, payload)
	i.p.call("POST", "/v1/sessions/"+i.s.ID+"/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, "sh "+script) + "\n")}, nil)
	until(i.p.t, "the hook from inside", func() bool {
		_, err := os.Stat(script + ".done")
		return err == nil
	})
}

// hookScript is a script that calls a hook of s, with what its environment has.
func (i *inner) hookScript(s api.Session, name, payload string) string {
	i.p.t.Helper()
	i.n++
	script := filepath.Join(i.dir, fmt.Sprint("hook", i.n))
	env := strings.Join([]string{"CCDIR_SESSION=" + s.ID, "CCDIR_TOKEN=" + i.p.token(s), "CCDIR_SOCKET=" + i.p.paths.Socket(), "CCDIR_DIR=" + i.p.paths.SessionDir(s.ID)}, " ")
	text := fmt.Sprintf("printf %%s %s | %s %s hook %s >%s.out 2>&1\n: >%s.done\n", quoted(payload), env, shimPath, name, script, script)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		i.p.t.Fatal(err)
	}
	return script
}

// newest is the last row, the zero value if there is none.
func newest(rows []api.LedgerRow) (row api.LedgerRow) {
	if n := len(rows); n > 0 {
		row = rows[n-1]
	}
	return row
}

// TestHookOfAnother: by the token of another session no process makes its hooks; that
// is refused before anything changes, and recorded. Its own go on.
func TestHookOfAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	in, other := p.inner(api.NewSession{Name: "one", Agent: "claude"}), p.agentSession("two")
	if err := p.hook(other, claude.HookSessionStart, "s1", hookJSON(claude.HookSessionStart, `"source":"startup"`)); err != nil {
		t.Fatal(err)
	}
	before, events := p.get("two"), p.eventTypes(other.ID)
	unchanged := func(what string) {
		t.Helper()
		if v := p.get("two"); v.State != before.State || v.Prompt != before.Prompt || p.eventTypes(other.ID) != events {
			t.Errorf("%s: %s %q, events %s", what, v.State, v.Prompt, p.eventTypes(other.ID))
		}
		if left, _ := os.ReadDir(p.spoolDir(other)); len(left) > 0 {
			t.Errorf("%s: in the spool: %v", what, left)
		}
	}
	for _, how := range ways() {
		for _, c := range [][2]string{
			{claude.HookUserPromptSubmit, `"prompt":"forged"`},
			{claude.HookPreToolUse, `"tool_name":"Bash","tool_use_id":"f1","tool_input":{"command":"git push"}`},
			{claude.HookPermissionRequest, `"tool_name":"Bash","tool_input":{"command":"git push"}`},
			{claude.HookSessionEnd, `"reason":"other"`},
		} {
			in.hooked(how, other, c[0], hookJSON(c[0], c[1]))
			unchanged(how + " " + c[0])
			rows := p.decisions("decision=refused&session=one")
			if last := newest(rows); !strings.HasSuffix(last.Tool, c[0]) || !strings.Contains(last.Reason, "the token of another session, two") {
				t.Errorf("%s %s: the last of %d rows: %+v", how, c[0], len(rows), last)
			}
		}
	}
	// A command of a tool is run by the daemon, and is the agent's all the same.
	b := p.bridge(in.s, "/")
	input, err := json.Marshal(map[string]string{"command": "sh " + in.hookScript(other, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"forged"`))})
	if err != nil {
		t.Fatal(err)
	}
	b.call("bash", string(input))
	unchanged("a tool's command")
	if last := newest(p.decisions("decision=refused")); !strings.Contains(last.Reason, "started by a tool of ccdir") {
		t.Errorf("a tool's command: %+v", last)
	}
	if rows := p.decisions("session=two"); len(rows) > 0 {
		t.Errorf("the other session has rows: %+v", rows)
	}

	for n, how := range ways() {
		text := fmt.Sprint("own ", n)
		in.hooked(how, in.s, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"`+text+`"`))
		v := p.get("one")
		if got := append([]string{v.Prompt}, v.QueuedPrompts...); v.State != api.StateWorking || len(got) != n+1 || got[n] != text { // the first is in hand
			t.Errorf("its own hook: %s %q", v.State, got)
		}
	}
	// And one from no session, as of a process that another server started.
	p.called(other, p.token(other), claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"from outside"`))
	if v := p.get("two"); v.Prompt != "from outside" {
		t.Errorf("from outside: %s %q", v.State, v.Prompt)
	}
}
