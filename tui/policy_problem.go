package tui

import (
	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// policyProblem is what is wrong with the policy, as the newest event about it
// says; "" for nothing.
func policyProblem(events []api.Event) string {
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Type {
		case api.EventPolicyError:
			return textsafe.Line(events[i].Message)
		case api.EventPolicyLoaded, api.EventDaemonStarted:
			return ""
		}
	}
	return ""
}
