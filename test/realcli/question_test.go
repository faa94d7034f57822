package realcli

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// oneQuestion is one question of the AskUserQuestion tool.
func oneQuestion(text string, multiple bool, labels ...string) map[string]any {
	var options []any
	for _, l := range labels {
		options = append(options, map[string]any{"label": l, "description": "the choice " + l})
	}
	return map[string]any{"question": text, "header": "Choice", "options": options, "multiSelect": multiple}
}

// TestProductQuestions: the agent's questions are answered from outside the pane:
// by a choice, by several, by free text, and several questions at once; what the
// model reads are the answers.
func TestProductQuestions(t *testing.T) {
	t.Parallel()
	Claude(t)
	ask := func(questions ...any) fakeapi.Reply {
		return fakeapi.Tool("AskUserQuestion", map[string]any{"questions": questions})
	}
	fake := fakeapi.New(fakeapi.Turns(
		ask(oneQuestion("Which database?", false, "Postgres", "SQLite")),
		ask(oneQuestion("Which days?", true, "Monday", "Tuesday", "Friday")),
		ask(oneQuestion("Which name?", false, "alpha", "beta")),
		ask(oneQuestion("First?", false, "one", "two"), oneQuestion("Second?", false, "three", "four"))))
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	seq := int64(0)
	for _, c := range []struct {
		questions, choices int
		multiple           bool
		answers, want      []string
	}{
		{1, 2, false, []string{"SQLite"}, []string{`Which database?\"=\"SQLite`}},
		{1, 3, true, []string{"Monday", "Friday"}, []string{`Which days?\"=\"Monday, Friday`}},
		{1, 2, false, []string{"a name of mine"}, []string{`Which name?\"=\"a name of mine`}},
		{2, 0, false, []string{"two", "three"}, []string{`First?\"=\"two`, `Second?\"=\"three`}},
	} {
		r, at := p.Request(ctx, id, seq)
		seq = at
		if r.Questions != c.questions || len(r.Choices) != c.choices || r.Multiple != c.multiple {
			t.Errorf("the request is %+v", r)
		}
		if _, err := p.Client.Answer(ctx, r.ID, api.Answer{Behavior: api.AnswerAllow}); api.CodeOf(err) != api.CodeInvalid {
			t.Errorf("without an answer: %v", err)
		}
		args := []string{"approve", r.ID}
		for _, a := range c.answers {
			args = append(args, "--answer", a)
		}
		p.Run(ctx, args...)
		if _, err := fake.Await(ctx, func(q fakeapi.Request) bool {
			for _, w := range c.want {
				if !strings.Contains(string(q.Body), w) {
					return false
				}
			}
			return true
		}); err != nil {
			for _, q := range fake.Requests() {
				if i := strings.LastIndex(string(q.Body), "tool_result"); i >= 0 {
					t.Logf("…%.400s", q.Body[i:])
				}
			}
			t.Fatalf("the model never read %q: %v\n%s", c.want, err, p.Dump())
		}
	}
	p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)
}
