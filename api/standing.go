package api

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Standing is what the state of a session means to the person who looks at many of
// them: who needs me, what failed, what is done and unseen, what still works.
type Standing string

// The standings, in the order in which lists show them.
const (
	// StandingAsks: it waits for a person.
	StandingAsks Standing = "asks"
	// StandingFailed: its last turn failed or its process ended badly, and nobody has looked at
	// it since; or it is lost.
	StandingFailed Standing = "failed"
	// StandingDone: the agent finished a turn, and nobody has looked at it since.
	StandingDone Standing = "done"
	// StandingWorking: it starts, is in a turn, or ends.
	StandingWorking Standing = "working"
	// StandingIdle: it is at its prompt and was looked at or interrupted, or is a plain
	// command.
	StandingIdle Standing = "idle"
	// StandingParked: it rests without a process until somebody needs it.
	StandingParked Standing = "parked"
	// StandingSettled: it failed, and a person has seen that.
	StandingSettled Standing = "settled"
	// StandingSnoozed: it waits for a person, who has put that off.
	StandingSnoozed Standing = "snoozed"
	// StandingEnded: its process ended well, or because it was asked to.
	StandingEnded Standing = "ended"
)

// Signs is a set of signs of standings.
type Signs string

// The sets of signs.
const (
	// SignsUnicode are of Unicode, which most fonts have.
	SignsUnicode Signs = "unicode"
	// SignsNerd are icons of Nerd Fonts (nf-fa, the same in their versions 2 and 3), in its private
	// use area: other fonts show boxes.
	SignsNerd Signs = "nerd"
	// SignsASCII are for terminals and fonts that have nothing else.
	SignsASCII Signs = "ascii"
)

// standings has the standings in order, each with its sign of each set.
var standings = []struct {
	standing          Standing
	sign, nerd, ascii string
}{
	{StandingAsks, "✋", "\uf256", "[!]"},    // hand_paper
	{StandingFailed, "✗", "\uf057", "[x]"},  // times_circle
	{StandingDone, "✓", "\uf058", "[+]"},    // check_circle
	{StandingWorking, "◐", "\uf251", "[~]"}, // hourglass_start
	{StandingIdle, "○", "\uf10c", "[ ]"},    // circle_o
	{StandingParked, "◌", "\uf236", "[p]"},  // bed
	{StandingSettled, "×", "\uf00d", "(x)"}, // times
	{StandingSnoozed, "☾", "\uf186", "[z]"}, // moon_o
	{StandingEnded, "▪", "\uf04d", "[-]"},   // stop
}

// TurnedSign is the sign of work in the second half of its turn; where nothing turns, the same.
func (s Signs) TurnedSign() string {
	switch s {
	case SignsASCII:
		return StandingWorking.Sign(s)
	case SignsNerd:
		return "\uf252" // hourglass_half
	}
	return "◑"
}

// Rank is the place of the standing in lists: what needs a person first.
func (s Standing) Rank() int {
	for i, row := range standings {
		if row.standing == s {
			return i
		}
	}
	return len(standings)
}

// Sign is the standing where colour might not be seen: one character, which takes one or two
// columns, or three of ASCII. "" are the signs of Unicode.
func (s Standing) Sign(set Signs) string {
	for _, row := range standings {
		switch {
		case row.standing != s:
		case set == SignsASCII:
			return row.ascii
		case set == SignsNerd:
			return row.nerd
		default:
			return row.sign
		}
	}
	return "?"
}

// Failed reports whether it is a failure, looked at or not.
func (s Standing) Failed() bool { return s == StandingFailed || s == StandingSettled }

// Exit codes of processes that ended on request: by a hang-up, an
// interrupt or a termination signal.
const (
	exitHangUp     = 128 + 1
	exitInterrupt  = 128 + 2
	exitTerminated = 128 + 15
)

// endedBadly reports whether an exit code is neither a success nor the answer to a
// signal that asks to end.
func endedBadly(code int) bool {
	return code != 0 && code != exitHangUp && code != exitInterrupt && code != exitTerminated
}

// Standing is what the session's state means to a person at that time, until which the
// person may have put off that it waits.
func (s Session) Standing(now time.Time) Standing {
	switch {
	case s.State == StateLost:
		return StandingFailed
	case s.State == StateExited && (s.ExitCode != nil && endedBadly(*s.ExitCode) || s.Task != "" && s.Failure != nil):
		return s.failed()
	case s.State == StateExited:
		return StandingEnded
	case s.State.NeedsPerson() && s.PutOff(now):
		return StandingSnoozed
	case s.State.NeedsPerson():
		return StandingAsks
	case s.State != StateIdle && s.State != StateParked:
		return StandingWorking
	case s.Failure != nil:
		return s.failed()
	case s.Unread && !s.Interrupted && s.Plain == "" && s.Prompt != "":
		return StandingDone // of one that is parked: news all the same
	case s.State == StateParked:
		return StandingParked
	}
	return StandingIdle
}

// failed is the standing of a session that failed.
func (s Session) failed() Standing {
	if s.Unread {
		return StandingFailed
	}
	return StandingSettled
}

// Headline is one line about the session for its standing: what it asks, why it failed,
// its last answer, what it does; "" if nothing is known. Its text comes from agents.
func (s Session) Headline(now time.Time) string {
	switch s.Standing(now) {
	case StandingAsks, StandingSnoozed:
		return cmp.Or(s.Asks, s.Question)
	case StandingFailed, StandingSettled:
		return cmp.Or(s.LimitLine(now), s.Error, s.FailureLine())
	case StandingWorking:
		return cmp.Or(s.RetryLine(now), s.Progress, s.Prompt)
	}
	return cmp.Or(s.Answer, s.Prompt)
}

// StandingWord is the session's standing in a word, more exactly where its state is: an
// exit code, that it starts, that its turn was interrupted, that a usage limit ended it; what
// is idle and no agent is named by what it is. The program in it that reports its state stands
// before it, in that program's own text.
func (s Session) StandingWord(now time.Time) string {
	word := s.standingWord(now)
	switch {
	case s.App != "" && !s.State.Ended():
		return s.App + " " + word
	case s.Plain != "" && s.Standing(now) == StandingIdle:
		return s.Plain
	}
	return word
}

// standingWord is StandingWord of an agent.
func (s Session) standingWord(now time.Time) string {
	switch {
	case s.State == StateLost, s.State == StateStarting, s.State == StateExiting, s.State == StateParked:
		return string(s.State)
	case s.Standing(now).Failed() && s.LimitLine(now) != "":
		return "limit"
	case s.Failure != nil && s.Standing(now).Failed():
		return string(StandingFailed)
	case s.State == StateExited && s.ExitCode != nil:
		return "exit " + strconv.Itoa(*s.ExitCode)
	case s.Interrupted && s.Standing(now) == StandingIdle:
		return "interrupted"
	}
	return string(s.Standing(now))
}

// LinesLine are the lines that the session's work tree has added and removed, each "" for none.
func (s Session) LinesLine() (added, removed string) {
	if s.Added > 0 {
		added = "+" + strconv.Itoa(s.Added)
	}
	if s.Removed > 0 {
		removed = "−" + strconv.Itoa(s.Removed)
	}
	return added, removed
}

// TurnNews is how much its last turn changed, "last turn 3 files +40 −2"; "" if that is nothing, or another turn runs.
func (s Session) TurnNews() string {
	if s.LastTurn == nil || s.LastTurn.Files == 0 || s.State == StateWorking || s.State.NeedsPerson() {
		return ""
	}
	return "last turn " + s.LastTurn.Line()
}

// BranchLine is the session's branch with commits ahead and behind and what has changed, ""
// outside of repositories: lines, or files where no line has. The name comes from the repository.
func (s Session) BranchLine() string {
	text := s.Branch
	if text == "" {
		return ""
	}
	for _, n := range []struct {
		sign  string
		count int
	}{{"↑", s.Ahead}, {"↓", s.Behind}} {
		if n.count > 0 {
			text += " " + n.sign + strconv.Itoa(n.count)
		}
	}
	switch added, removed := s.LinesLine(); {
	case added != "" || removed != "":
		text += " " + strings.TrimSpace(added+" "+removed)
	case s.Changed > 0:
		text += " ±" + strconv.Itoa(s.Changed)
	}
	return text
}

// AgentLine is the session's agent, with the program in it that reports its state. The
// latter's name comes from the program.
func (s Session) AgentLine() string {
	if s.App == "" {
		return s.Agent
	}
	return s.Agent + " (" + s.App + ")"
}

// ClashLine names the sessions whose work would collide with this one's, "" for none. Lines:
// with one of them a merge would conflict.
func (s Session) ClashLine() (text string, lines bool) {
	for _, c := range s.Clashes {
		lines = lines || c.Kind == ConflictLines
	}
	for _, c := range s.Clashes {
		if lines == (c.Kind == ConflictLines) {
			text += " ≠" + c.Name
		}
	}
	return strings.TrimPrefix(text, " "), lines
}

// PullRequestLine is the pull request of the session's branch with what its checks say, "" for
// none: "#12 ✓". Bad: a check failed.
func (s Session) PullRequestLine() (text string, bad bool) {
	p := s.PullRequest
	if p == nil {
		return "", false
	}
	text = "#" + strconv.Itoa(p.Number)
	switch {
	case p.State != PullRequestOpen:
		return text + " " + p.State, false
	case p.Checks == ChecksPassing:
		text += " ✓"
	case p.Checks == ChecksFailing:
		return text + " ✗", true
	case p.Checks == ChecksPending:
		text += " …"
	}
	return text, false
}

// LittleContext is the context left, in percent, below which that is news.
const LittleContext = 40

// UsageNews is UsageLine with the context only once little of it is left: for lists and titles.
func (s Session) UsageNews() string {
	if s.ContextLeft != nil && *s.ContextLeft >= LittleContext {
		s.ContextLeft = nil
	}
	return s.UsageLine()
}

// UsageLine is how much of the model's context is left, and what the conversation has cost,
// as far as that is known: "69% ctx left · $0.12".
func (s Session) UsageLine() string {
	var parts []string
	if s.ContextLeft != nil {
		parts = append(parts, strconv.Itoa(*s.ContextLeft)+"% ctx left")
	}
	if s.CostUSD >= 0.005 {
		about := ""
		if s.CostEstimate {
			about = "~"
		}
		parts = append(parts, about+"$"+strconv.FormatFloat(s.CostUSD, 'f', 2, 64))
	}
	return strings.Join(parts, " · ")
}

// State is what a session is doing, as far as the evidence tells.
type State string

// The states of a session, in the order of its life.
const (
	// StateStarting: the process runs and has not reported anything yet.
	StateStarting State = "starting"
	// StateIdle: at its prompt; a finished turn is idle.
	StateIdle State = "idle"
	// StateWorking: in a turn (thinking, running a tool).
	StateWorking State = "working"
	// StateInput: it asked the person a question and waits.
	StateInput State = "waiting_for_input"
	// StatePermission: it asks for permission and waits.
	StatePermission State = "waiting_for_permission"
	// StateParked: ccdir ended the process of an agent at rest, to free its memory. Whatever
	// needs it starts it again in its conversation; it has not ended.
	StateParked State = "parked"
	// StateExiting: it was asked to end and hasn't yet.
	StateExiting State = "exiting"
	// StateExited: the process ended; Session.ExitCode says how.
	StateExited State = "exited"
	// StateLost: its host died; the events say what became of the process.
	StateLost State = "lost"
)

// States lists every state once, in the order of a session's life.
func States() []State {
	return []State{StateStarting, StateIdle, StateWorking, StateInput,
		StatePermission, StateParked, StateExiting, StateExited, StateLost}
}

// StateFailed is what callers may wait for besides the states: at rest after a turn that
// failed (Session.HasFailed).
const StateFailed State = "failed"

// WaitStates lists what callers may wait for: the states, and StateFailed.
func WaitStates() []State { return append(States(), StateFailed) }

// Ended reports whether the session is over: no process runs, and none is started by itself.
func (s State) Ended() bool { return s == StateExited || s == StateLost }

// Stopped reports whether no process runs in that state: it has ended, or is parked.
func (s State) Stopped() bool { return s == StateParked || s.Ended() }

// NeedsPerson reports whether the session waits for a person.
func (s State) NeedsPerson() bool { return s == StateInput || s == StatePermission }

// Standing is what the state alone means to a person.
func (s State) Standing() Standing { return Session{State: s}.Standing(time.Time{}) }

// Parking says whether a session may be parked.
type Parking struct {
	May bool `json:"may"`
	// Why is why not, "" if it may.
	Why string `json:"why,omitempty"`
}
