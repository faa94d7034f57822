package state

import (
	"slices"
	"strings"

	"ccdir/api"
)

// Answered is the decision for an answer of by (a word of api.Decision.By).
func Answered(a api.Answer, by string) api.Decision {
	return api.Decision{Outcome: api.OutcomeAnswered, Answer: &a, By: by, Reason: a.Message}
}

// maxMessage bounds the text of a denial, in bytes.
const maxMessage = 16 << 10

// ValidAnswer returns an error if the answer does not fit the request.
func ValidAnswer(a api.Answer, r api.Request) error {
	switch {
	case a.Behavior != api.AnswerAllow && a.Behavior != api.AnswerDeny:
		return api.Errorf(api.CodeInvalid, "an answer is %q or %q, found %.40q", api.AnswerAllow, api.AnswerDeny, a.Behavior)
	case len(a.Message) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the message is longer than %d KiB", maxMessage>>10)
	case a.Behavior == api.AnswerDeny && a.Always:
		return api.Errorf(api.CodeInvalid, "only an approval can be for always")
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion && r.Origin == api.OriginMCP:
		return validText(a.Text, r)
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion && r.Questions > 0:
		return validReply(a, r)
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion:
		return api.Errorf(api.CodeInvalid, "request %s is a question: choose the answer in the pane, or deny it", r.ID)
	case len(a.Input) > 0 && (!r.Editable || a.Behavior != api.AnswerAllow || len(a.Input) > maxRequestInput):
		return api.Errorf(api.CodeInvalid, "the input of request %s cannot be replaced", r.ID)
	case len(a.Input) > 0 && a.Always:
		return api.Errorf(api.CodeInvalid, "an edited command is approved once: --always is for the command that was asked for")
	case a.Mode != "" && (a.Behavior != api.AnswerAllow || !slices.Contains(r.Modes, a.Mode)):
		return invalidMode(a, r)
	case a.Always && r.AlwaysRule == "":
		return api.Errorf(api.CodeInvalid, "no rule is narrow enough to always allow this %.40s call: approve it without --always", r.Tool)
	}
	return nil
}

// invalidMode is the error for a mode that does not fit the request.
func invalidMode(a api.Answer, r api.Request) error {
	if a.Behavior != api.AnswerAllow || len(r.Modes) == 0 {
		return api.Errorf(api.CodeInvalid, "a mode goes with the approval of a plan, whose request says which there are: request %s has none", r.ID)
	}
	return api.Errorf(api.CodeInvalid, "after this plan the agent goes on in one of the modes %s, found %.40q", strings.Join(r.Modes, ", "), a.Mode)
}

// validText returns an error if a text does not answer a question of the ask_person tool.
func validText(text string, r api.Request) error {
	lines := strings.Split(text, "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return api.Errorf(api.CodeInvalid, "request %s is a question: the answer is missing", r.ID)
	case len(text) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the answer is longer than %d KiB", maxMessage>>10)
	case len(r.Choices) == 0:
		return nil
	case len(lines) > 1 && !r.Multiple:
		return api.Errorf(api.CodeInvalid, "request %s takes one of its choices", r.ID)
	}
	for _, line := range lines {
		if !slices.Contains(r.Choices, line) {
			return api.Errorf(api.CodeInvalid, "%.40q is none of the choices: %s", line, strings.Join(r.Choices, ", "))
		}
	}
	return nil
}

// validReply returns an error if an answer does not fit the questions of an agent's own
// dialog, which also takes free text.
func validReply(a api.Answer, r api.Request) error {
	lines := strings.Split(a.Text, "\n")
	switch {
	case a.Always || len(a.Input) > 0:
		return api.Errorf(api.CodeInvalid, "request %s is a question: answer it with a text alone", r.ID)
	case strings.TrimSpace(a.Text) == "":
		return api.Errorf(api.CodeInvalid, "request %s is a question: give the answer (`ccdir approve %s --answer TEXT`), or deny it", r.ID, r.ID)
	case len(a.Text) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the answer is longer than %d KiB", maxMessage>>10)
	case r.Questions > 1 && (len(lines) != r.Questions || slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })):
		return api.Errorf(api.CodeInvalid, "request %s asks %d questions: give %d answers, in their order", r.ID, r.Questions, r.Questions)
	}
	return nil
}

// DescribeEnd says how a request ended, for callers that came late.
func DescribeEnd(d api.Decision) string {
	if d.Outcome == api.OutcomeAnswered {
		word := "approved"
		if d.Answer.Behavior == api.AnswerDeny {
			word = "denied"
		}
		return "it was " + word + " (" + d.By + ")"
	}
	return d.Reason
}
