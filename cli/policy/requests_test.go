package policy

import (
	"testing"

	"ccdir/api"
)

// TestQuestionInWords: a question stands in lists with its choices, once, and with what
// was chosen; a command is never hidden behind one.
func TestQuestionInWords(t *testing.T) {
	input := []byte(`{"questions":[{"question":"Which hash should I use?","options":[{"label":"Yes"},{"label":"No"}]}]}`)
	const question = "Which hash should I use? (Yes / No)"
	asks := api.Request{Kind: api.RequestQuestion, Tool: "AskUserQuestion", Question: question, Choices: []string{"Yes", "No"}, Input: input}
	if got := requestText(asks); got != question {
		t.Errorf("approvals: %q", got)
	}
	row := api.LedgerRow{Tool: "AskUserQuestion", Input: input, Decision: api.EffectAllow, By: api.ByPerson, Reason: "No"}
	if got := rowText(row); got != question+" → No" {
		t.Errorf("decisions: %q", got)
	}
	row.Decision, row.By, row.Reason = api.EffectNone, "", "the turn ended"
	if got := rowText(row); got != question {
		t.Errorf("not answered: %q", got)
	}
	for _, r := range []api.Request{
		{Kind: api.RequestPermission, Tool: "Bash", Input: []byte(`{"question":"harmless?","command":"rm -rf /"}`)},
		{Tool: "Bash", Input: []byte(`{"question":"harmless?","command":"rm -rf /"}`)},
	} {
		if got := requestText(r); got != "rm -rf /" {
			t.Errorf("%s %s: %q", r.Kind, r.Tool, got)
		}
	}
}
