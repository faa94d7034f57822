// Package happenings tells what happened in words: it folds the events of the log into
// one row for each thing that a person would tell another ("asks: rm -rf build",
// "done: all tests pass"). One question of an agent is five events and one row; what
// only says how a state was found out is no row.
//
// It is pure. Rows keep the order of their events, and each names the event that stands
// for it. The words for an agent's hooks are in tools.go.
package happenings

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// Row is one thing that happened.
type Row struct {
	// Event stands for it: the newest of those that it was made of.
	Event api.Event
	// Standing gives the row its colour; "" has none.
	Standing api.Standing
	// Text is the event in words, in one line. It may hold anything that an agent sent.
	Text string
	// Known: the person did it, or it is a step on the way of what will be told (News).
	Known bool
}

// sameAsk is how long after the first sign of a question its hook may come.
const sameAsk = 5 * time.Second

// Of folds events, oldest first. dirs are the directories of sessions, by id: paths below
// them are told from there.
func Of(events []api.Event, dirs map[string]string) []Row {
	f := fold{asked: map[string]int{}, asks: map[string]string{}, dirs: dirs, starts: map[string]start{}}
	for i := range events {
		f.take(&events[i])
	}
	return f.rows
}

// fold holds the rows so far.
type fold struct {
	rows []Row
	// asked is the row of a session's newest question that no hook has told of yet.
	asked map[string]int
	// asks is what a session has asked last.
	asks map[string]string
	dirs map[string]string
	// starts are the starts of daemons, by node: the newest of each.
	starts map[string]start
}

// start is a daemon's start.
type start struct {
	row     int
	adopted int // how many sessions it took over
}

func (f *fold) add(e *api.Event, standing api.Standing, text string) {
	f.rows = append(f.rows, Row{Event: *e, Standing: standing, Text: text})
}

// known adds what a person knows or need not know.
func (f *fold) known(e *api.Event, text string) {
	f.rows = append(f.rows, Row{Event: *e, Text: text, Known: true})
}

func (f *fold) take(e *api.Event) {
	switch e.Type {
	case api.EventSessionState:
		f.state(e)
	case api.EventSessionCreated:
		f.created(e)
	case api.EventSessionStarted:
		f.known(e, "started again")
	case api.EventSessionParked:
		f.known(e, "parked")
	case api.EventSessionExited:
		f.exited(e)
	case api.EventSessionLost:
		f.add(e, api.StandingFailed, cmp.Or("lost: "+e.Message, "lost"))
	case api.EventPermissionEnded:
		f.answered(e)
	case api.EventDaemonStarted:
		f.starts[e.Node] = start{row: len(f.rows)}
		f.known(e, "daemon started")
	case api.EventSessionAdopted:
		f.adopt(e.Node)
	case api.EventTaskState:
		f.task(e)
	case api.EventTaskAdded, api.EventQueue, api.EventPolicyLoaded, api.EventSessionSnoozed, api.EventSessionRemoved, api.EventSessionRenamed,
		api.EventSessionModel, api.EventWorktree:
		f.known(e, e.Message)
	case api.EventPending:
		f.pending(e)
	case api.EventTaskStalled, api.EventTaskParked, api.EventTaskStage, api.EventMessage, api.EventRestoreOffered, api.EventSessionPolicy, api.EventLimitOpen, api.EventLimitOver, api.EventLimitRolled:
		f.add(e, "", e.Message)
	case api.EventConfigError, api.EventPolicyError, api.EventStoreMoved, api.EventStoreHeld, api.EventCallRefused, api.EventHookRejected, api.EventHookFailed, api.EventSessionStale, api.EventLimitMet, api.EventLimitNear, api.EventBudgetSpent:
		f.add(e, api.StandingFailed, e.Message)
	case api.EventNode:
		standing := api.StandingFailed
		if strings.HasSuffix(e.Message, " is online again") {
			standing = ""
		}
		f.add(e, standing, e.Message)
	case api.EventMCPCall, api.EventPermissionOpen, api.EventDaemonStopped, api.EventSessionFocus, api.EventSpoolDrained:
		// Other rows tell of them, or they tell a person nothing.
	case api.EventPrompt:
		if rest, failed := strings.CutPrefix(e.Message, "not delivered"); failed && f.just(e, api.StandingFailed) == nil {
			f.add(e, api.StandingFailed, "prompt not delivered"+rest) // else it has ended, and that says it
		}
	default:
		f.hook(e)
	}
}

// pending is a prompt that is kept for later: what fails is news.
func (f *fold) pending(e *api.Event) {
	text := "prompt for later: " + e.Message
	if strings.Contains(e.Message, "failed") || strings.Contains(e.Message, "not delivered") {
		f.add(e, api.StandingFailed, text)
		return
	}
	f.known(e, text)
}

// created is a session that began: ccdir has started it, or has found it.
func (f *fold) created(e *api.Event) {
	if e.Message == "" || strings.HasPrefix(e.Message, "created: ") {
		f.known(e, "started")
		return
	}
	f.add(e, "", e.Message)
}

// state is a change of state that no hook explains: an interrupted turn is a row, and a
// question until the hook of the same question comes.
func (f *fold) state(e *api.Event) {
	if e.Kind == api.KindTurnInterrupted {
		f.known(e, "interrupted")
	}
	if e.StateTo.NeedsPerson() && !e.StateFrom.NeedsPerson() {
		f.asked[e.Session] = len(f.rows)
		f.add(e, api.StandingAsks, "asks, in its pane")
	}
}

// ask is a question of which a hook tells.
func (f *fold) ask(e *api.Event, what string) {
	f.asks[e.Session] = what
	if at, open := f.asked[e.Session]; open {
		delete(f.asked, e.Session)
		if e.At.Sub(f.rows[at].Event.At) <= sameAsk {
			f.rows[at] = Row{Event: *e, Standing: api.StandingAsks, Text: "asks: " + what}
			return
		}
	}
	f.add(e, api.StandingAsks, "asks: "+what)
}

// answered is the end of a request: "Bash approved by person", "Bash denied by lead: …".
func (f *fold) answered(e *api.Event) {
	tool, answer, allowed := strings.Cut(e.Message, " approved by ")
	if !allowed {
		var denied bool
		if tool, answer, denied = strings.Cut(e.Message, " denied by "); !denied {
			return // it went away: the agent went on without an answer of ccdir's
		}
	}
	text := answerVerb(tool, allowed) + " by "
	if rest, you := strings.CutPrefix(answer, api.ByPerson); you {
		f.known(e, text+"you"+rest)
		return
	}
	if what := f.asks[e.Session]; what != "" && !strings.Contains(answer, ": ") {
		answer += ": " + what
	}
	f.add(e, "", text+answer)
}

func (f *fold) exited(e *api.Event) {
	code, failed := strings.CutPrefix(e.Message, "exited with code ")
	v := api.Session{State: api.StateExited}
	if n, err := strconv.Atoi(code); failed && err == nil {
		v.ExitCode = &n
	}
	switch {
	case !failed:
		f.add(e, api.StandingFailed, e.Message)
	case code == "0" && f.ofTask(e): // its work has ended, which was told
		f.known(e, "ended")
	case code == "0":
		f.add(e, api.StandingEnded, "ended")
	case v.Standing(e.At) == api.StandingEnded: // somebody asked it to
		f.known(e, "ended")
	default:
		f.add(e, api.StandingFailed, "exit "+code)
	}
}

// adopt counts the sessions that a node's daemon took over, in its own row.
func (f *fold) adopt(node string) {
	s, known := f.starts[node]
	if !known {
		return // its start is older than the events
	}
	s.adopted++
	f.starts[node] = s
	text := "daemon restarted, " + strconv.Itoa(s.adopted) + " sessions taken over"
	if s.adopted == 1 {
		text = "daemon restarted, 1 session taken over"
	}
	f.rows[s.row].Text, f.rows[s.row].Known = text, false
}

// task is a change of a task's state: "task t1: running → done".
func (f *fold) task(e *api.Event) {
	text := e.Message
	_, to, _ := strings.Cut(text, "→ ")
	to, _, _ = strings.Cut(to, " ")
	switch state := api.TaskState(strings.TrimRight(to, ",;:")); state {
	case api.TaskStarting, api.TaskQueued:
		return // it runs, or was added
	case api.TaskWaiting:
		return // its session asks
	case api.TaskDone:
		if row := f.just(e, api.StandingDone); row != nil { // its answer says it
			row.Event = *e
			return
		}
		f.add(e, api.StandingDone, shortTask(e, "done"))
	case api.TaskFailed, api.TaskTimedOut, api.TaskBlocked:
		text = shortTask(e, strings.ReplaceAll(string(state), "_", " "))
		if row := f.just(e, api.StandingFailed); row != nil { // the same, with less words
			row.Event, row.Text = *e, text
			return
		}
		f.add(e, api.StandingFailed, text)
	default:
		f.known(e, text)
	}
}

// sameEnd is how long after the end of a turn or a session what follows from that may come.
const sameEnd = 30 * time.Second

// last is the last row of an event's session, if it is so young that the event follows from it; else nil.
func (f *fold) last(e *api.Event) *Row {
	for i := len(f.rows) - 1; i >= 0 && e.Session != ""; i-- {
		if row := &f.rows[i]; row.Event.Session == e.Session {
			if e.At.Sub(row.Event.At) > sameEnd {
				return nil
			}
			return row
		}
	}
	return nil
}

// just is that row if it has that standing.
func (f *fold) just(e *api.Event, standing api.Standing) *Row {
	if row := f.last(e); row != nil && row.Standing == standing {
		return row
	}
	return nil
}

// ofTask reports whether that row tells of the end of a task.
func (f *fold) ofTask(e *api.Event) bool {
	row := f.last(e)
	return row != nil && row.Event.Type == api.EventTaskState && row.Standing != ""
}

// shortTask is "task t1 failed: it broke" of "task t1: running → failed (it broke)", without the task
// where its session's name stands before it.
func shortTask(e *api.Event, state string) string {
	name, rest, ok := strings.Cut(e.Message, ":")
	if !ok {
		return e.Message
	}
	if _, why, known := strings.Cut(rest, " ("); known && strings.HasSuffix(why, ")") {
		state += ": " + strings.TrimSuffix(why, ")")
	}
	if e.Session != "" {
		return state
	}
	return name + " " + state
}
