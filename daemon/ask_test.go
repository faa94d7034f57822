package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// askStream is the answer to POST …/ask.
func (p *place) askStream(ref string, a api.Ask) (list []api.AskEvent) {
	p.t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := p.http.Post("http://ccdir/v1/sessions/"+ref+"/ask", "application/json", bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.t.Fatalf("the answer is %s", resp.Status)
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e api.AskEvent
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				p.t.Fatal(err)
			}
			list = append(list, e)
		}
	}
	return list
}

// TestAskStream: one call has the acknowledgement, tool calls, texts and the end.
func TestAskStream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
	p.run()
	s := p.create(api.NewSession{Agent: "demo", Cols: 100, Rows: 30})
	p.wait(s.ID, api.StateIdle)
	ask := api.Ask{Text: "say a word", ID: "ask-1"}
	list := p.askStream(s.ID, ask)
	last := list[len(list)-1]
	if list[0].After == nil || list[1].Status == "" || last.End != api.AskDone || !strings.Contains(last.Answer, "a word") {
		t.Errorf("%+v", list)
	}
	if !slices.ContainsFunc(list, func(e api.AskEvent) bool { return e.Turn != nil && e.Turn.Prompt == "say a word" }) {
		t.Errorf("no turn: %+v", list)
	}
	ask.After = list[0].After
	if again := p.askStream(s.ID, ask); again[len(again)-1] != last || len(p.prompts(s.ID)) != 1 {
		t.Errorf("made again: %+v, prompts %q", again, p.prompts(s.ID))
	}
	list = p.askStream(s.ID, api.Ask{Text: "permit Bash ls"})
	if last := list[len(list)-1]; last.End != api.AskAsks || !strings.Contains(last.Reason, "ls") {
		t.Errorf("with a permission in between: %+v", list)
	}
	for wait, end := range map[bool]api.AskEnd{false: api.AskUndelivered, true: api.AskAsks} {
		list = p.askStream(s.ID, api.Ask{Text: "while it asks", Wait: wait})
		if last := list[len(list)-1]; last.End != end || last.Reason == "" {
			t.Errorf("while it asks, %v: %+v", wait, list)
		}
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil)
	p.wait(s.ID, api.StateIdle)
	list = p.askStream(s.ID, api.Ask{Text: "fail broken"})
	if last := list[len(list)-1]; last.End != api.AskFailed || !strings.Contains(last.Reason, "broken") {
		t.Errorf("a turn that fails: %+v", list)
	}
}

// TestTurnsAndHooksAgree: what hooks tell of prompts and answers, the transcript tells, too.
func TestTurnsAndHooksAgree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=20ms\"]\n")
	p.run()
	s := p.create(api.NewSession{Agent: "demo", Cols: 100, Rows: 30})
	p.wait(s.ID, api.StateIdle)
	words := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		text := fmt.Sprintf([]string{"say %d", "say %d\nsay twice", "think 20ms", "say 日本 %d\tx", "say " + strings.Repeat("long ", 200) + "%d"}[words.IntN(5)], i)
		text = strings.ReplaceAll(text, "%!(EXTRA int="+fmt.Sprint(i)+")", "")
		if _, err := p.send(s.ID, api.SendPrompt{Text: text, Wait: true}); err != nil {
			t.Fatal(err)
		}
		if words.IntN(2) == 0 {
			p.wait(s.ID, api.StateIdle)
		}
	}
	p.wait(s.ID, api.StateIdle)
	var list []api.Turn
	until(t, "the end of the last turn", func() bool {
		p.call("GET", "/v1/sessions/"+s.ID+"/transcript", nil, &list)
		return len(list) > 0 && list[len(list)-1].State == api.TurnDone
	})
	var prompts, said []string
	for _, turn := range list {
		prompts = append(prompts, turn.Prompt)
		for _, i := range turn.Items {
			if i.Kind == api.ItemPrompt {
				prompts = append(prompts, i.Text)
			}
		}
		said = append(said, turn.Answer)
	}
	var answers []string // of the hooks
	until(t, "the hook of the last answer", func() bool {
		answers = nil
		for _, e := range p.events() {
			var data struct {
				Last string `json:"last_assistant_message"`
			}
			if e.Session == s.ID && e.Type == claude.HookStop && json.Unmarshal(e.Data, &data) == nil {
				answers = append(answers, data.Last)
			}
		}
		return len(answers) >= len(said)
	})
	if hooks := p.prompts(s.ID); !slices.Equal(hooks, prompts) {
		t.Errorf("the hooks have the prompts\n%q, the transcript\n%q", hooks, prompts)
	}
	if !slices.Equal(answers, said) {
		t.Errorf("the hooks have the answers\n%q, the transcript\n%q", answers, said)
	}
}
