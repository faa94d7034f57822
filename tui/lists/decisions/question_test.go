package decisions

import (
	"testing"

	"ccdir/api"
)

// TestQuestionInWords: a question stands there with its choices and with what was chosen,
// and hides no command.
func TestQuestionInWords(t *testing.T) {
	input := []byte(`{"questions":[{"question":"Which hash?","options":[{"label":"Yes"},{"label":"No"}]}]}`)
	for _, tt := range []struct {
		row  api.LedgerRow
		want string
	}{
		{api.LedgerRow{Input: input}, "Which hash? (Yes / No)"},
		{api.LedgerRow{Input: input, Decision: api.EffectAllow, By: api.ByPerson, Reason: "No"}, "Which hash? (Yes / No) → No"},
		{api.LedgerRow{Input: input, Decision: api.EffectDeny, By: api.ByPerson, Reason: "not now"}, "Which hash? (Yes / No)"},
		{api.LedgerRow{Input: []byte(`{"question":"harmless?","command":"rm -rf /"}`)}, "rm -rf /"},
	} {
		if got := decisionText(tt.row); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
