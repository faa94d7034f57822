package repositories

import (
	"testing"

	"ccdir/api"
	"ccdir/config"
)

// TestPullRequestsOff: nothing is looked at, and what was shown goes.
func TestPullRequestsOff(t *testing.T) {
	c := config.Loaded{Config: config.Default()}
	c.PullRequests = false
	o := &Options{Config: func() *config.Loaded { return &c }}
	at := &pulled{pr: &api.PullRequest{Number: 1}}
	if again, err := newPulls(o, nil).look(t.Context(), "/nowhere", at); err != nil || again != pullsNone || at.pr != nil {
		t.Errorf("%v %v %+v", again, err, at.pr)
	}
}
