package attention

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
	"ccdir/tui/ui"
)

// Limits tells of what new events say of accounts' limits and budgets: here, and to a person who looks
// elsewhere. What became of a single session is told of its pane.
func (s *State) Limits(how Notify, events []api.Event) (effects []ui.Effect) {
	for _, e := range events {
		if e.Session != "" {
			continue
		}
		switch e.Type {
		case api.EventLimitNear, api.EventLimitMet, api.EventBudgetSpent:
			effects = append(effects, ui.Warn{Text: textsafe.Line(e.Message)})
		case api.EventLimitRolled, api.EventLimitOver:
			effects = append(effects, ui.Say{Text: textsafe.Line(e.Message)})
		default:
			continue
		}
		if len(how.Ways[eventLimit]) > 0 && len(s.tasks) < maxTasks {
			s.tasks = append(s.tasks, notify.Message{Key: fmt.Sprintf("%s/%s/%d", eventLimit, e.Node, e.Seq), Event: eventLimit, Name: "limits", Text: textsafe.Line(e.Message)})
		}
	}
	return effects
}

// eventLimit is the name of such events in the configuration.
const eventLimit = "limit"
