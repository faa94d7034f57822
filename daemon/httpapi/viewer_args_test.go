package httpapi

import (
	"testing"

	"ccdir/api"
)

// TestArgumentsOfOthers: a session does not see the arguments with which others run.
func TestArgumentsOfOthers(t *testing.T) {
	v := &viewer{}
	s := v.of(api.Session{ID: "other", Argv: []string{"claude", "-x"}, Args: []string{"-x"}, ChosenModel: "opus"})
	p := v.past(api.OfferedSession{PastSession: api.PastSession{ID: "other", Argv: []string{"claude", "-x"}, Args: []string{"-x"}}})
	if s.Argv != nil || s.Args != nil || p.Argv != nil || p.Args != nil || s.ChosenModel != "opus" {
		t.Errorf("shown: %+v, %+v", s, p)
	}
}
