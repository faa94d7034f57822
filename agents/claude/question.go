package claude

import (
	"encoding/json"
	"strings"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// askedQuestion is one question of Claude Code's AskUserQuestion tool.
type askedQuestion struct {
	text     string
	labels   []string // of its options
	multiple bool
}

// askedQuestions are the questions in the tool's input; none if its shape is
// unexpected. Answers, which the hook may add, are keyed by the question's text
// (2.1.329).
func askedQuestions(input json.RawMessage) (asked []askedQuestion) {
	var list, options []json.RawMessage
	if !payload.Of(input).Into("questions", &list) {
		return nil
	}
	for _, raw := range list {
		var q askedQuestion
		in := payload.Of(raw)
		options = nil
		if !in.Into("question", &q.text) || !in.Into("options", &options) || !in.Into("multiSelect", &q.multiple) {
			return nil
		}
		for _, o := range options {
			var label string
			if !payload.Of(o).Into("label", &label) {
				return nil
			}
			q.labels = append(q.labels, label)
		}
		asked = append(asked, q)
	}
	return asked
}

// describeQuestions fills in the choices of a question if it can be answered: the
// questions must have texts, all different.
func describeQuestions(r *api.Request) {
	asked := askedQuestions(r.Input)
	seen := map[string]bool{"": true}
	for _, q := range asked {
		if seen[q.text] {
			return
		}
		seen[q.text] = true
	}
	if r.Questions = len(asked); r.Questions != 1 {
		return
	}
	r.Multiple = asked[0].multiple
	for _, label := range asked[0].labels {
		r.Choices = append(r.Choices, agents.Visible(label, agents.MaxField))
	}
}

// answerQuestions is the tool's input with the answers added: one line per question if
// there are several; one line per choice for a single question that takes several. Nil
// if the text does not fit.
func answerQuestions(r api.Request, text string) json.RawMessage {
	asked, members := askedQuestions(r.Input), payload.Of(r.Input).Members
	if len(asked) == 0 || strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	answers := make(map[string]string, len(asked))
	switch {
	case len(asked) == 1 && asked[0].multiple:
		answers[asked[0].text] = strings.Join(lines, ", ")
	case len(asked) == 1:
		answers[asked[0].text] = text
	case len(lines) != len(asked):
		return nil
	default:
		for i, q := range asked {
			answers[q.text] = lines[i]
		}
	}
	var err error
	if members["answers"], err = json.Marshal(answers); err != nil {
		return nil
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return out
}
