package agents

import (
	"encoding/json"
	"strings"

	"ccdir/internal/api"
)

// askInput is the input of Claude Code's AskUserQuestion tool. Answers, which
// the hook may add, are by the question's text (2.1.329).
type askInput struct {
	Questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
		Multiple bool `json:"multiSelect"`
	} `json:"questions"`
}

// describeQuestions fills in what a question offers, if it can be answered: its
// questions must have texts, and different ones.
func describeQuestions(r *api.Request) {
	var in askInput
	if json.Unmarshal(r.Input, &in) != nil || len(in.Questions) == 0 {
		return
	}
	seen := map[string]bool{"": true}
	for _, q := range in.Questions {
		if seen[q.Question] {
			return
		}
		seen[q.Question] = true
	}
	r.Questions = len(in.Questions)
	if r.Questions > 1 {
		return
	}
	r.Multiple = in.Questions[0].Multiple
	for _, o := range in.Questions[0].Options {
		r.Choices = append(r.Choices, Visible(o.Label, maxField))
	}
}

// answerQuestions is the tool's input with the answers in it: a line for each of
// several questions; of one question that takes several choices, a line for each
// choice. Nil if the text does not fit.
func answerQuestions(r api.Request, text string) json.RawMessage {
	var in askInput
	var members map[string]json.RawMessage
	if json.Unmarshal(r.Input, &in) != nil || json.Unmarshal(r.Input, &members) != nil || strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	answers := make(map[string]string, len(in.Questions))
	switch {
	case len(in.Questions) == 1 && r.Multiple:
		answers[in.Questions[0].Question] = strings.Join(lines, ", ")
	case len(in.Questions) == 1:
		answers[in.Questions[0].Question] = text
	case len(lines) != len(in.Questions):
		return nil
	default:
		for i, q := range in.Questions {
			answers[q.Question] = lines[i]
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
