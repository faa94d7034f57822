package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// teller is a client with a conversation.
type teller struct {
	ui.Client
	turns []api.Turn
	err   error
	asked []int
	slow  bool // tells nothing by itself
}

func (c *teller) FollowTurns(_ context.Context, _ string, last int, each func(api.Turn) error) error {
	c.asked = append(c.asked, last)
	if c.slow {
		return nil
	}
	list := c.turns
	if last > 0 && len(list) > last {
		list = list[len(list)-last:]
	}
	for _, t := range list {
		if err := each(t); err != nil {
			return err
		}
	}
	if c.err == nil {
		return each(api.Turn{})
	}
	return c.err
}

// day is a conversation with everything in it.
func day() []api.Turn {
	at := uitest.Epoch
	tool := func(name, argument string, outcome api.ToolOutcome) api.TurnTool {
		input, _ := json.Marshal(map[string]string{"command": argument})
		return api.TurnTool{Name: name, Argument: argument, Input: input, Outcome: outcome, MS: 1200, Result: "exit status 1\nresult of " + argument}
	}
	return []api.Turn{
		{Turn: 1, At: at, Ended: at.Add(75 * time.Second), State: api.TurnDone, Conversation: "c-1", Prompt: "fix the flaky test in the pool package",
			Answer: "The test waited for a fixed time. It waits for the event now.", Tokens: api.TurnTokens{Output: 4200},
			Items: []api.TurnItem{{Kind: api.ItemThinking, Text: "I should look at the test first.\nThen run it."}, {Kind: api.ItemText, Text: "I look at the test first."},
				{Kind: api.ItemTool}, {Kind: api.ItemTool, Tool: 1}, {Kind: api.ItemTool, Tool: 2},
				{Kind: api.ItemText, Text: "The test waited for a fixed time. It waits for the event now."}},
			Tools: []api.TurnTool{tool("Bash", "go test ./pool -run TestBusy -count 100", api.ToolError),
				{Name: "Edit", Argument: "/repo/pool/pool_test.go", Outcome: api.ToolOK, MS: 210, Added: 1, Removed: 1,
					Diff: []api.DiffHunk{{Old: 41, New: 41, Lines: []string{" func TestBusy(t *testing.T) {", "-\ttime.Sleep(time.Second)", "+\t<-pool.Busy"}}}},
				tool("Bash", "go test ./pool", api.ToolOK)}},
		{Turn: 2, At: at.Add(2 * time.Minute), State: api.TurnFailed, Conversation: "c-1", Prompt: "now the others", Failure: &api.TurnFailure{Kind: api.FailureLimit, Message: "the limit was reached"},
			Items: []api.TurnItem{{Kind: api.ItemError, Text: "the limit was reached"}}, Tools: []api.TurnTool{}},
	}
}

func subject() Subject { return Subject{ID: "aaaa1111", Name: "api"} }

func rig(t *testing.T, cols, rows int, c *teller, s Subject) *uitest.Rig {
	t.Helper()
	env := uitest.Env(cols, rows)
	env.Sessions = []api.Session{{ID: "aaaa1111", Name: "api", Agent: "claude", State: api.StateWorking}}
	return uitest.NewRig(t, env, c, New(s))
}

func TestPictures(t *testing.T) {
	for _, size := range uitest.Sizes {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		r := rig(t, size[0], size[1], &teller{turns: day()}, subject())
		uitest.Golden(t, r.Env, r.C, "end-"+name)
		r.Do("[", "[", "n", "Enter")
		uitest.Golden(t, r.Env, r.C, "failed-"+name)
		r.Do("Enter", "Down", "Down", "Enter")
		uitest.Golden(t, r.Env, r.C, "edit-"+name)
	}
}

// TestTurnsAndFailedCalls: the keys go to the beginnings of turns and to calls that failed,
// and Enter opens and closes.
func TestTurnsAndFailedCalls(t *testing.T) {
	r := rig(t, 80, 24, &teller{turns: day()}, subject())
	r.Do("[")
	if at := r.C.(dialog).here(); at.turn != 2 || at.off != 1 {
		t.Errorf("[ leads to %+v", at)
	}
	r.Do("[", "n")
	if at := r.C.(dialog).here(); at.path != "1.2" {
		t.Errorf("n leads to %+v", at)
	}
	r.Do("Enter")
	r.Shows("│ result of go test ./pool -run TestBusy")
	r.Do("Enter")
	if strings.Contains(r.Dump(), "│ result") {
		t.Errorf("it does not close:\n%s", r.Dump())
	}
	r.Do("n")
	if r.Said() != "no later tool call failed" {
		t.Errorf("said %q", r.Said())
	}
	r.Do("]", "]", "y")
	if r.Asks(ui.Copy{Text: ""}) || r.Said() == "" {
		t.Errorf("a turn without an answer: %v", r.Asked)
	}
	r.Do("[", "[", "y")
	if !r.Asks(ui.Copy{Text: day()[0].Answer}) {
		t.Errorf("y asks for %v", r.Asked)
	}
}

// TestSearch: what is in closed calls is found, and they are opened.
func TestSearch(t *testing.T) {
	r := rig(t, 80, 24, &teller{turns: day()}, subject())
	r.Do("/")
	r.C = r.C.(ui.Paster).Paste(r.Env, "RESULT of go test ./pool -run")
	r.Do("Enter")
	r.Shows("│ result of go test ./pool -run TestBusy")
	r.Do("Escape", "/")
	r.C = r.C.(ui.Paster).Paste(r.Env, "no such words")
	r.Do("Enter")
	if !strings.Contains(r.Said(), "nothing of it is in this conversation") {
		t.Errorf("said %q", r.Said())
	}
	r.Do("Escape", "Escape")
	if r.C != nil {
		t.Error("Escape does not close it")
	}
}

// TestFollows: what comes is shown as long as the cursor is at the end, else the view stays.
func TestFollows(t *testing.T) {
	r := rig(t, 80, 12, &teller{turns: day()}, subject())
	turn := api.Turn{Turn: 3, State: api.TurnRunning, Prompt: "go on", Conversation: "c-1", Tools: []api.TurnTool{}}
	say := func(from int, text string) {
		turn.From, turn.Items = from, []api.TurnItem{{Kind: api.ItemText, Text: text}}
		r.Tell(ui.Told{Values: []any{turn}}, nil)
		r.Settle()
	}
	say(0, "first\n"+strings.Repeat("line\n", 30)+"words of the end")
	r.Shows("words of the end")
	r.Do("PPage", "PPage")
	before := r.Dump()
	say(1, "more words")
	if after := r.Dump(); strings.Split(after, "\n")[3] != strings.Split(before, "\n")[3] {
		t.Errorf("the view moved:\n%s\nwas\n%s", after, before)
	}
	r.Do("G")
	r.Shows("more words", "following")
	r.Env.Rows, r.Env.Cols = 10, 40
	r.Settle()
	r.Shows("more words")
}

// many are short turns.
func many(n int) (list []api.Turn) {
	for i := range n {
		list = append(list, api.Turn{Turn: i + 1, State: api.TurnDone, Prompt: fmt.Sprintf("prompt %d.", i+1), Tools: []api.TurnTool{},
			Items: []api.TurnItem{{Kind: api.ItemText, Text: fmt.Sprintf("answer %d.", i+1)}}})
	}
	return list
}

// TestOlderTurns: the last turns are asked for, older ones when they are wanted; the place
// stays.
func TestOlderTurns(t *testing.T) {
	c := &teller{turns: many(300)}
	r := rig(t, 80, 24, c, subject())
	r.Shows("turn 300/300")
	if n := len(r.C.(dialog).blocks); n != firstTurns {
		t.Errorf("%d turns at first", n)
	}
	for range firstTurns + 1 {
		r.Do("[")
	}
	if d := r.C.(dialog); len(d.blocks) <= firstTurns {
		t.Fatalf("%d turns, asked %v", len(d.blocks), c.asked)
	}
	r.Do("[")
	r.Shows("prompt 260.")
	r.Do("g")
	r.Shows("prompt 1.")
}

// TestFoundElsewhere: what a search over all conversations found is shown in its turn.
func TestFoundElsewhere(t *testing.T) {
	s := subject()
	s.Turn, s.Words = 1, "result busy"
	r := rig(t, 80, 24, &teller{turns: day()}, s)
	r.Shows("│ result of go test ./pool -run TestBusy")
	s.Turn, s.Words = 250, "answer"
	r = rig(t, 80, 24, &teller{turns: many(300)}, s)
	r.Shows("answer 250.")
}

func TestNoConversation(t *testing.T) {
	r := rig(t, 80, 24, &teller{err: errors.New("its agent's file is gone")}, subject())
	r.Shows("its agent's file is gone")
	r = rig(t, 80, 24, &teller{}, subject())
	r.Shows("nothing was said yet")
	r.Tell(ui.Told{Over: true}, nil)
	r.Shows("nothing was said in this session")
}

func TestMouse(t *testing.T) {
	r := rig(t, 80, 24, &teller{turns: day()}, subject())
	r.Do("[", "[")
	r.ClickOn("▸ Edit")
	r.Shows("+    <-pool.Busy")
	top := r.C.(dialog).top
	c, _ := r.C.(ui.Mouser).Mouse(r.Env, tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
	if c.(dialog).top <= top && c.(dialog).end() > c.(dialog).height {
		t.Errorf("the wheel went from %d to %d", top, c.(dialog).top)
	}
}

// TestEarlyKeys: what is typed before the conversation is here is done when it is; Escape
// takes it back, and then closes the view.
func TestEarlyKeys(t *testing.T) {
	list := day()
	opened := func() *uitest.Rig {
		r := rig(t, 80, 24, &teller{turns: list, slow: true}, subject())
		r.Shows("reading the conversation")
		return r
	}
	r := opened()
	r.Do("[", "[", "n")
	r.Tell(ui.Told{Values: []any{list[0]}}, nil) // not all of it yet
	r.Do("Enter")
	r.Tell(ui.Told{Values: []any{list[1], api.Turn{}}}, nil)
	r.Settle()
	if at := r.C.(dialog).here(); at.path != "1.2" {
		t.Errorf("the keys lead to %+v", at)
	}
	r.Shows("│ result of go test ./pool -run TestBusy")

	r = opened()
	r.Do("/")
	r.C = r.C.(ui.Paster).Paste(r.Env, "flaky test")
	r.Do("Enter")
	r.Tell(ui.Told{Values: []any{list[0], list[1], api.Turn{}}}, nil)
	if d := r.C.(dialog); d.turnAt() != 0 || d.find.query != "flaky test" {
		t.Errorf("the search is for %q, at turn %d", d.find.query, d.turnAt())
	}

	r = opened()
	r.Do("[", "Escape")
	if r.C == nil || len(r.C.(dialog).early) > 0 {
		t.Fatal("Escape does not take back what was typed")
	}
	r.Do("Escape")
	if r.C != nil {
		t.Error("Escape does not close it")
	}
}
