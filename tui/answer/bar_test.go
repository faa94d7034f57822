package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// person is a client that keeps the answers as they came, or fails.
type person struct {
	ui.Client
	got map[string]api.Answer
	err error
}

func (c *person) Answer(_ context.Context, id string, a api.Answer) (api.Decision, error) {
	if c.err != nil {
		return api.Decision{}, c.err
	}
	c.got[id] = a
	return api.Decision{}, nil
}

// session is one of the sessions of the tests.
func session(id, name string, st api.State) api.Session {
	return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/work", Created: uitest.Epoch, Since: uitest.Epoch}
}

// permission is a request that came after seconds after the epoch.
func permission(id, session, tool, input string, after time.Duration) api.Request {
	return api.Request{
		ID: id, Session: session, Tool: tool, Input: json.RawMessage(input), Since: uitest.Epoch.Add(after * time.Second),
		Kind: api.RequestPermission, Question: tool + ": " + input, AlwaysRule: tool + "(x)", Stage: api.StagePerson,
	}
}

// bash is a request to run a command, with rules to choose from.
func bash(id, session, command string, after time.Duration) api.Request {
	in, _ := json.Marshal(map[string]any{"command": command, "timeout": 5})
	r := permission(id, session, "Bash", string(in), after)
	r.Editable = true
	r.AlwaysRules = []string{r.AlwaysRule, "Bash(x y *)", "Bash(x *)"}
	r.Scopes = []api.AlwaysScope{
		{Scope: api.ScopeSession, Rule: r.AlwaysRule}, {Scope: api.ScopeProject, Rule: r.AlwaysRule, File: "/repo/.ccdir/policy.toml"},
		{Scope: api.ScopeUser, Rule: r.AlwaysRule, File: "/home/me/policy.toml", New: true},
	}
	return r
}

// asked is the bar of the first of those requests.
func asked(t *testing.T, all ...api.Request) (*uitest.Rig, *person) {
	t.Helper()
	env := uitest.Env(120, 40)
	env.Sessions = []api.Session{
		session("aaaa1111", "api", api.StateWorking), session("bbbb2222", "web", api.StatePermission), session("cccc3333", "docs", api.StateInput),
	}
	env.Requests = all
	c := &person{got: map[string]api.Answer{}}
	return uitest.NewRig(t, env, c, New(env, all[0])), c
}

// ended has the request of the bar end.
func ended(r *uitest.Rig, d api.Decision) {
	d.Request.ID = r.Env.Requests[0].ID
	r.Env.Requests, r.Env.Ended = r.Env.Requests[1:], append(r.Env.Ended, d)
	r.Settle()
}

// of is the answer to a request as a line, "" if there is none.
func (c *person) of(id string) string {
	a, ok := c.got[id]
	if !ok {
		return ""
	}
	return string(a.Behavior) + " " + strconv.FormatBool(a.Always) + " " + a.Message
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"y"}, "allow false "},
		{[]string{"a", "Enter"}, "allow true "}, {[]string{"a"}, ""},
		{[]string{"n", "Enter"}, "deny false "},
		{[]string{"n", "m", "a", "k", "e", "Enter"}, "deny false make"},
		{[]string{"n", "x", "Escape", "y"}, "allow false "},
		{[]string{"Escape"}, ""}, {[]string{"C-c"}, ""}, {[]string{"o"}, ""}, {[]string{"Enter"}, ""}, {[]string{"Space"}, ""},
		{[]string{"n", "Escape", "Escape"}, ""}, {[]string{"1"}, ""}, {[]string{"Y"}, ""}, {[]string{"C-b"}, ""},
	} {
		r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"rm -rf build/"}`, 1))
		r.Shows("web asks for permission: Bash", "rm -rf build/", "[y]es", "[n]o", "[a]lways")
		r.Do(tt.keys...)
		if got := c.of("r1"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.keys, got, tt.want)
		}
	}
}

// TestKeysInFlight: before it was on the screen keys answer nothing, but close it.
func TestKeysInFlight(t *testing.T) {
	r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	r.Env.Early = true
	r.Do("y", "a", "n", "o")
	if r.C == nil || len(c.got) > 0 || r.C.(bar).step != stepChoose {
		t.Fatalf("before the bar was shown: %v", c.got)
	}
	if r.Do("Escape"); r.C != nil {
		t.Fatal("Escape before the bar was shown does not close it")
	}
}

// TestEndedElsewhere: the bar says how, offers nothing more, takes what was meant for it
// until that pauses, and gives the next key on.
func TestEndedElsewhere(t *testing.T) {
	for _, tt := range []struct {
		decision api.Decision
		want     string
	}{
		{api.Decision{Outcome: api.OutcomeElsewhere}, "answered in the pane"},
		{api.Decision{Outcome: api.OutcomeAnswered, By: api.ByPerson, Answer: &api.Answer{Behavior: api.AnswerAllow}}, "approved elsewhere"},
		{api.Decision{Outcome: api.OutcomeAnswered, By: api.ByLead, Answer: &api.Answer{Behavior: api.AnswerDeny}}, "refused by lead"},
		{api.Decision{Outcome: api.OutcomeSession}, "the session has ended"},
		{api.Decision{Outcome: api.OutcomeDeadline}, "nobody answered in time: answer in the pane"},
	} {
		r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
		ended(r, tt.decision)
		r.Shows(tt.want)
		if strings.Contains(r.Dump(), "[y]es") {
			t.Errorf("%s: it still offers an answer", tt.want)
		}
		for range 4 { // meant for the request, and held down
			r.Do("y")
			r.Env.Now = r.Env.Now.Add(pause - 1)
			r.Settle()
		}
		if len(c.got) > 0 || r.C == nil {
			t.Fatalf("%s: a late y went to %v, the bar is %v", tt.want, c.got, r.C)
		}
		if at := r.C.(ui.Waker).NextWake(r.Env); at.Sub(r.Env.Now) > pause {
			t.Errorf("%s: nothing closes it", tt.want)
		}
		r.Env.Now = r.Env.Now.Add(1)
		if r.Settle(); r.C != nil {
			t.Errorf("%s: the bar stays", tt.want)
		}
	}
	r, _ := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	ended(r, api.Decision{Outcome: api.OutcomeElsewhere})
	if r.Do("x"); r.C != nil || !r.Asks(ui.Pass{Key: ui.Key{Name: "x", At: r.Env.Now, Press: tea.Key{Code: 'x', Text: "x"}}}) {
		t.Errorf("a key that was not meant for it: %v", r.Asked)
	}
}

// TestPrefixWhileWriting: the prefix key and the key after it write nothing.
func TestPrefixWhileWriting(t *testing.T) {
	r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	r.Do("n", "n", "o", r.Env.Keys.Prefix(), "a")
	if d := r.C.(bar); d.step != stepMessage || d.text.String() != "no" {
		t.Errorf("written: %q", d.text.String())
	}
	r.Shows("ccdir's keys wait")
	r.Do("t", r.Env.Keys.Prefix(), "Enter", "Enter")
	if got := c.got["r1"]; got.Message != "not" {
		t.Errorf("answered %+v", c.got)
	}
}

// TestAnswerThatFails: what was written is still there, and another answer that came
// before is said.
func TestAnswerThatFails(t *testing.T) {
	r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	c.err = api.Errorf(api.CodeUnavailable, "the daemon is stopping")
	r.Do("n", "n", "o", "Enter")
	if d := r.C.(bar); d.step != stepMessage || d.text.String() != "no" {
		t.Fatalf("what was written is lost: %+v", d)
	}
	r.Shows("the daemon is stopping")
	if r.Said() != "" {
		t.Errorf("it is said twice: %q", r.Said())
	}
	c.err = api.Errorf(api.CodeNotFound, "no such request")
	r.Do("Enter")
	r.Shows("it was answered elsewhere before")
}

// TestSendingTakesNothing: a bar whose answer is on its way waits, and says that the same
// key again is for nobody.
func TestSendingTakesNothing(t *testing.T) {
	r, _ := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	next, _ := uitest.Press(r.Env, r.C, "y") // its call is not made
	d := next.(bar)
	if d.Waits() == "" || d.Asks() || !d.YieldsPrefix() {
		t.Errorf("%+v", d)
	}
	if !d.Repeats(r.Env, ui.Key{Name: "y"}) || d.Repeats(r.Env, ui.Key{Name: "h"}) {
		t.Error("which keys are the same again")
	}
	r.C = d
	r.Shows("answering…", "Esc closes")
	ended(r, api.Decision{Outcome: api.OutcomeAnswered, By: api.ByPerson, Answer: &api.Answer{}})
	if r.C.(bar).step != stepSending {
		t.Error("its own answer ended it before the call did")
	}
}

func TestLongInputScrolls(t *testing.T) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = "line" + strconv.Itoa(i)
	}
	in, _ := json.Marshal(map[string]string{"command": strings.Join(lines, "\n")})
	r, _ := asked(t, permission("r1", "bbbb2222", "Bash", string(in), 0))
	r.Shows("line0", "more lines", "[y]es")
	r.Do("End")
	r.Shows("line99", "[y]es")
	r.Do("Home")
	r.Shows("line0")
}

// TestAlwaysIsShownToItsEnd: how far a rule goes is not cut off on narrow screens.
func TestAlwaysIsShownToItsEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"always means: Bash(make  all)":                        "always means: Bash(make  all)",
		"always means: Edit(//home/me/project/src/**)":         "always means:|Edit(//home/me/project/src/**)",
		"always means: " + strings.Repeat("/deep", 20) + "/**": "always means:/deep/deep/deep/…|/deep/deep/deep/deep/deep/deep|/deep/deep/**",
	} {
		if got := strings.Join(alwaysLines(text, 30), "|"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestAnswerAlways: an approval that lasts is for one of the rules, and as long as one of the
// scopes; Enter alone takes the narrowest of both, and a digit alone writes nothing.
func TestAnswerAlways(t *testing.T) {
	for _, tt := range []struct {
		keys        []string
		scope, rule string
	}{
		{[]string{"a", "Enter"}, api.ScopeSession, ""}, {[]string{"a", "Tab", "Enter"}, api.ScopeProject, ""},
		{[]string{"a", "Tab", "Right", "Enter"}, api.ScopeUser, ""}, {[]string{"a", "BTab", "Enter"}, api.ScopeUser, ""},
		{[]string{"a", "Down", "Enter"}, api.ScopeSession, "Bash(x y *)"}, {[]string{"a", "3", "Tab", "Enter"}, api.ScopeProject, "Bash(x *)"},
		{[]string{"a", "Up", "Enter"}, api.ScopeSession, "Bash(x *)"}, {[]string{"a", "3", "Escape", "a", "Enter"}, api.ScopeSession, ""},
		{[]string{"a", "2"}, "", ""}, {[]string{"a", "Escape", "Enter"}, "", ""}, {[]string{"a", "y"}, "", ""}, {[]string{"a", "4", "Tab"}, "", ""},
	} {
		r, c := asked(t, bash("r1", "bbbb2222", "make", 1))
		r.Do(tt.keys...)
		a, sent := c.got["r1"]
		if sent != (tt.scope != "") || a.Scope != tt.scope || a.Rule != tt.rule || sent && (!a.Always || a.Behavior != api.AnswerAllow) {
			t.Errorf("%q: sent %v, %+v", tt.keys, sent, a)
		}
	}
	r, _ := asked(t, bash("r1", "bbbb2222", "make", 1))
	r.Do("a")
	r.Shows("▸ 1 Bash(x)", "2 Bash(x y *)", "3 Bash(x *)", "☑ until the session ends", "☐ always in this project", "☐ always, everywhere")
	r.Do("Tab")
	r.Shows("☑ always in this project", "writes it to /repo/.ccdir/policy.toml")
	r.Do("Tab")
	r.Shows("☑ always, everywhere", "writes it to a new file, ~/policy.toml")
	// Without a policy the agent keeps the rule: it is asked all the same.
	r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	r.Do("a")
	r.Shows("▸ 1 Bash(x)", "☑ until the session ends")
	if r.Do("Tab"); len(c.got) > 0 {
		t.Errorf("sent %v", c.got)
	}
	if r.Do("Enter"); !c.got["r1"].Always || c.got["r1"].Scope != api.ScopeSession {
		t.Errorf("sent %+v", c.got)
	}
}

// TestPlanWithMode: a plan is approved with the mode in which the agent goes on; a number that
// stands for none answers nothing.
func TestPlanWithMode(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		sent bool
		mode string
	}{{[]string{"y"}, true, ""}, {[]string{"1"}, true, api.ModeManual}, {[]string{"2"}, true, "acceptEdits"}, {[]string{"3"}, false, ""}} {
		plan := permission("r1", "bbbb2222", "ExitPlanMode", `{"plan":"# Do it"}`, 1)
		plan.Kind, plan.Modes = api.RequestPlan, []string{api.ModeManual, "acceptEdits"}
		r, c := asked(t, plan)
		r.Do(tt.keys...)
		if a, sent := c.got["r1"]; sent != tt.sent || a.Mode != tt.mode || sent && (a.Behavior != api.AnswerAllow || a.Always) {
			t.Errorf("%q: sent %v, %+v", tt.keys, sent, a)
		}
	}
}

func TestAnswerEditsTheCommand(t *testing.T) {
	r, c := asked(t, bash("r1", "bbbb2222", "rm -rf /", 1))
	r.Do("e")
	r.Shows("❯ rm -rf /", "Enter allows this command instead")
	r.Do("BSpace", ".", "/", "x", "C-j", "#", "Enter")
	a := c.got["r1"]
	var in struct {
		Command string
		Timeout int
	}
	if err := json.Unmarshal(a.Input, &in); err != nil || in.Command != "rm -rf ./x\n#" || in.Timeout != 5 || a.Always || a.Behavior != api.AnswerAllow {
		t.Errorf("%+v %s %v", a, a.Input, err)
	}
	// As it was it is a plain approval; empty it is none.
	r, c = asked(t, bash("r1", "bbbb2222", "make", 1))
	if r.Do("e", "C-u", "Enter"); len(c.got) != 0 {
		t.Errorf("an empty command: %+v", c.got)
	}
	r.Do("C-y", "Enter")
	if a, ok := c.got["r1"]; !ok || a.Input != nil {
		t.Errorf("unchanged: %+v", a)
	}
	r, c = asked(t, permission("r1", "bbbb2222", "Write", `{"file_path":"/x"}`, 1))
	if r.Do("e", "Enter"); len(c.got) != 0 {
		t.Errorf("a file was edited: %+v", c.got)
	}
}

func TestAnswerAllAlike(t *testing.T) {
	r, c := asked(t, bash("r1", "bbbb2222", "make", 1), bash("r2", "cccc3333", "make", 2), bash("r3", "aaaa1111", "make all", 3), bash("r4", "aaaa1111", "make", 4))
	r.Shows("[A]ll 3 like this", "1 of 4")
	r.Do("A")
	var ids []string
	for id, a := range c.got {
		if a.Behavior != api.AnswerAllow || a.Always {
			t.Errorf("%s: %+v", id, a)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if got := strings.Join(ids, " "); got != "r1 r2 r4" {
		t.Errorf("answered %s", got)
	}
	if r.Said() != "3 of 3 requests approved: Bash" {
		t.Errorf("said %q", r.Said())
	}
	r, c = asked(t, bash("r1", "bbbb2222", "make", 1))
	if r.Do("A"); len(c.got) != 0 {
		t.Errorf("alone: %+v", c.got)
	}
}

// TestWrittenAnswerIsKept: when a request ends while a person writes to it, not even the
// letters that are no answers are for anything else, and what was written is in the
// history of the prompt bar.
func TestWrittenAnswerIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string // after the bar was opened
		kept string
	}{
		"a message":            {[]string{"n", "u", "s", "e", "Space", "m", "a"}, "use ma"},
		"nothing yet":          {[]string{"n"}, ""},
		"a command":            {[]string{"e", "x"}, "rm -rf build/x"},
		"the command unedited": {[]string{"e"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, client := asked(t, bash("r1", "bbbb2222", "rm -rf build/", 1))
			r.Do(c.keys...)
			if !r.C.(bar).writes() {
				t.Fatalf("it is not written: %+v", r.C)
			}
			ended(r, api.Decision{Outcome: api.OutcomeElsewhere})
			r.Shows("answered in the pane")
			if c.kept != "" {
				r.Shows("what you wrote is kept: C-b : Up")
			}
			if kept := r.Asks(ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: c.kept}}); kept != (c.kept != "") || len(r.Asked) > 1 {
				t.Errorf("asked for %v", r.Asked)
			}
			for _, k := range []string{"k", "e", "Space", "2", "Enter", "w", "y"} {
				r.Do(k)
				r.Env.Now = r.Env.Now.Add(pause - 1)
				r.Settle()
			}
			if r.C == nil || len(client.got) > 0 {
				t.Fatalf("answers %v, asked for %v", client.got, r.Asked)
			}
			r.Env.Now = r.Env.Now.Add(1)
			if r.Settle(); r.C != nil {
				t.Fatal("the bar stays")
			}
		})
	}
}

// TestOutlivesTheDaemon: a bar stays, with what is written in it, while the next daemon
// has not been asked again; it goes when the session does not wait any more, or asks
// something else.
func TestOutlivesTheDaemon(t *testing.T) {
	next := func(r *uitest.Rig, all ...api.Request) {
		r.Env.Server, r.Env.Requests, r.Env.Offline = api.Server{PID: 2, Started: uitest.Epoch.Add(time.Hour)}, all, ""
		r.Settle()
	}
	r, c := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	r.Do("n", "h", "a", "l", "f")
	next(r)
	r.Shows("❯ half", "Enter refuses")
	r.Do("Enter")
	if got := c.of("r1"); got != "deny false half" {
		t.Errorf("answered %q", got)
	}

	r, c = asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
	r.Env.Offline, r.Env.Facts.Offline = "gone", true
	r.Do("y")
	r.Shows(keymap.NoDaemon + " ")
	r.Env.Facts.Offline = false
	if next(r); r.C.(bar).problem != "" || r.C.(bar).step != stepChoose {
		t.Fatalf("%+v", r.C)
	}
	next(r, permission("r1", "bbbb2222", "Bash", `{}`, 1))
	r.Do("y")
	if got := c.of("r1"); got != "allow false " {
		t.Errorf("answered %q", got)
	}

	for name, end := range map[string]func(r *uitest.Rig){
		"goes on":             func(r *uitest.Rig) { r.Env.Sessions = []api.Session{session("bbbb2222", "web", api.StateWorking)} },
		"asks something else": func(r *uitest.Rig) { r.Env.Requests = []api.Request{permission("r2", "bbbb2222", "Bash", `{}`, 9999)} },
		"has gone":            func(r *uitest.Rig) { r.Env.Sessions = nil },
	} {
		r, _ := asked(t, permission("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1))
		if next(r); r.C.(bar).step != stepChoose {
			t.Fatalf("%s: %+v", name, r.C)
		}
		end(r)
		if r.Settle(); r.C.(bar).step != stepOver {
			t.Errorf("%s: it still offers an answer: %+v", name, r.C)
		}
	}
}

// TestKeysThatAnswerNothing: such a key says so, and why a digit does not.
func TestKeysThatAnswerNothing(t *testing.T) {
	question := ownQuestion(whichDatabase, "PostgreSQL 16 with logical replication", "SQLite in a file beside the program", "MySQL", "none of them")
	words := ownQuestion(`{"questions":[{"question":"Which?","options":[]}]}`)
	for _, tt := range []struct {
		req       api.Request
		key, want string
	}{
		{bash("r1", "bbbb2222", "make", 1), "2", "2 answers nothing here: it asks for permission, not for a choice"},
		{bash("r1", "bbbb2222", "make", 1), "w", "w answers nothing here"},
		{question, "7", "7 is none of its 4 choices"},
		{words, "1", "1 answers nothing here: it asks for an answer in words"},
	} {
		r, c := asked(t, tt.req)
		r.Do(tt.key)
		if r.Shows(tt.want); len(c.got) > 0 {
			t.Errorf("%s answers: %v", tt.key, c.got)
		}
		if r.Do("Up"); r.C == nil {
			t.Error("the bar has closed")
		}
	}
}

// TestTaskIsShown: what the agent was asked to do stands above what it asks.
func TestTaskIsShown(t *testing.T) {
	r, _ := asked(t, bash("r1", "bbbb2222", "make", 1))
	r.Env.Sessions = []api.Session{session("bbbb2222", "web", api.StatePermission)}
	r.Env.Sessions[0].Prompt = "mend the\nbuild \x1b[31m" + strings.Repeat("of everything ", 30)
	r.Shows("task: mend the build")
	r.Env.Cols, r.Env.Rows, r.Env.Bottom = 40, 10, 9
	r.Shows("make", "[y]es")
}

// TestGolden: the bar alone at four sizes.
func TestGolden(t *testing.T) {
	several := bash("r1", "bbbb2222", "rm -rf build/ && make -j8 all && ./scripts/publish --to staging --verbose", 1)
	several.CWD, several.Rule = "/home/me/code/shop/web", "ask Bash(rm *) (/home/me/policy.toml:12)"
	write := permission("r1", "bbbb2222", "Write", `{"file_path":"/p/a.txt","content":"one\nthree\n"}`, 1)
	planned := permission("r1", "bbbb2222", "ExitPlanMode", `{"plan":"# Orders\n\nMove **orders** to their own table.\n\n## Steps\n\n1. Write the migration, with a way back\n   that is tested\n2. Move the rows\n- [ ] tests\n  * nested, whose line is longer than a small terminal is wide\n\n~~~sql\nSELECT 1;\n~~~\n"}`, 1)
	planned.Kind, planned.AlwaysRule, planned.Modes = api.RequestPlan, "", []string{api.ModeManual, "acceptEdits"}
	multiple := ownQuestion(whichDatabase, "PostgreSQL 16 with logical replication", "SQLite in a file beside the program", "MySQL", "none of them")
	multiple.Multiple = true
	for name, view := range map[string]struct {
		req  api.Request
		show func(r *uitest.Rig)
	}{
		"permission": {several, func(*uitest.Rig) {}},
		"scope":      {several, func(r *uitest.Rig) { r.Do("a", "Down", "Tab") }},
		"edit":       {several, func(r *uitest.Rig) { r.Do("e", "End", "Space", "-", "n") }},
		"refuse":     {several, func(r *uitest.Rig) { r.Do("n", "n", "o", "t", "Space", "n", "o", "w") }},
		"nothing":    {several, func(r *uitest.Rig) { r.Do("2") }},
		"sending": {several, func(r *uitest.Rig) {
			r.C, _ = uitest.Press(r.Env, r.C, "y")
		}},
		"over": {several, func(r *uitest.Rig) { ended(r, api.Decision{Outcome: api.OutcomeElsewhere}) }},
		"write": {write, func(r *uitest.Rig) {
			r.C, _ = r.C.(bar).Receive(r.Env, request.Present{Known: true, Text: "one\ntwo\n"}, nil)
		}},
		"question": {ownQuestion(whichDatabase, multiple.Choices...), func(r *uitest.Rig) { r.Do("Down") }},
		"plan":     {planned, func(*uitest.Rig) {}},
		"pages":    {ownQuestion(threeQuestions), func(r *uitest.Rig) { r.Do("1", "2", "Down") }},
		"several":  {multiple, func(r *uitest.Rig) { r.Do("1", "3") }},
	} {
		for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
			r, _ := asked(t, view.req, bash("r2", "cccc3333", "make", 2))
			r.Env.Cols, r.Env.Rows, r.Env.Bottom = size[0], size[1], size[1]-1
			r.Env.Sessions = slices.Clone(r.Env.Sessions)
			r.Env.Sessions[1].Prompt = "publish the shop to staging when the tests pass"
			view.show(r)
			uitest.Golden(t, r.Env, r.C, name+"-"+strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1]))
		}
	}
}

// TestOfNoUse: what the walls make of a call is said with how to ask for it, also where the path is long.
func TestOfNoUse(t *testing.T) {
	path := "/home/me/" + strings.Repeat("deep/", 20) + "out.txt"
	req := permission("r1", "bbbb2222", "Write", `{"file_path":"`+path+`"}`, 0)
	req.Sandbox = "the session's sandbox worktree hides " + path + ": the person can allow it with `ccdir sandbox allow web " + path + "`"
	r, _ := asked(t, req)
	picture := uitest.Picture(r.Env, r.C).Dump()
	for _, want := range []string{"OF NO USE: the session's sandbox worktree hides", "ccdir sandbox allow"} {
		if !strings.Contains(picture, want) {
			t.Errorf("it does not say %q:\n%s", want, picture)
		}
	}
}
