package keymap

// Action is a command of the grid. Its text is its name in the configuration.
type Action string

// NoDaemon is the reason why an action that needs the daemon is disabled.
const NoDaemon = "the daemon does not answer"

// Facts decide whether an action is possible now.
type Facts struct {
	// Sessions is how many there are, Panes how many the grid can show.
	Sessions, Panes int
	// Focused: a pane has the focus; Ended: its session has no process.
	Focused, Ended bool
	// Parked: its process was ended to rest, and can be started again.
	Parked bool
	// Waiting is how many sessions wait for a person.
	Waiting int
	// PutOff is how many waiting sessions are snoozed.
	PutOff int
	// Hidden is how many panes the user has hidden, Pages how many pages of panes there
	// are.
	Hidden, Pages int
	// Working: a long operation is in flight and can be cancelled.
	Working bool
	// ReadOnly: attached to watch only. Offline: the daemon does not answer.
	ReadOnly, Offline bool
}

// needs are the conditions that an action depends on.
type needs uint16

const (
	needFocus needs = 1 << iota
	needWrite
	needDaemon
	needEnded
	needAlive
	needSeveral
	needWaiting
	needHidden
	needPages
	needWork
)

// reason returns why an action with those needs is not possible, "" if it is.
func (n needs) reason(f Facts) string {
	switch {
	case n&needWrite != 0 && f.ReadOnly:
		return "this grid is attached read-only"
	case n&needFocus != 0 && !f.Focused:
		return "there is no session"
	case n&needDaemon != 0 && f.Offline:
		return NoDaemon
	case n&needEnded != 0 && !f.Ended && !f.Parked:
		return "the session is still running"
	case n&needAlive != 0 && f.Ended:
		return "the session has ended"
	case n&needSeveral != 0 && f.Panes < 2:
		return "there is only one pane"
	case n&needWaiting != 0 && f.Waiting+f.PutOff == 0:
		return "no session waits for you"
	case n&needHidden != 0 && f.Hidden == 0:
		return "no pane is hidden"
	case n&needPages != 0 && f.Pages < 2:
		return "there is only one page"
	case n&needWork != 0 && !f.Working:
		return "nothing is under way"
	}
	return ""
}

// Named is an action with its label in a line of keys.
type Named struct {
	Action Action
	Word   string
}

// As gives an action its label in a line of keys.
func (a Action) As(word string) Named { return Named{a, word} }
