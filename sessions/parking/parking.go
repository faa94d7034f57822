// Package parking decides whether the process of an idle agent may be ended to free its memory, and
// what of its input line has to be kept meanwhile. It is pure: callers gather the facts.
//
// Contract: nothing is lost by parking. So whatever is not known for certain (an input line that
// cannot be read, a panel that nothing reports) is a reason to leave the process alone.
package parking

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
)

// Facts are what the decision rests on. The zero value may not be parked.
type Facts struct {
	// Name is the session's, State its state.
	Name  string
	State api.State
	// Agent: it runs an agent, and not a shell or a command; Outside: one that was started outside
	// ccdir; OneShot: one that runs one prompt and ends. Resumes: its kind takes up conversations.
	Agent, Outside, OneShot, Resumes bool
	// Conversation: there is one with content, and its id is known. Used: the process has taken a
	// prompt; one that was never used begins anew.
	Conversation, Used bool
	// Starting: a call is starting or ending the process. Settled: nothing is about to change its
	// state, and its last report is some time ago.
	Starting, Settled bool
	// Background counts activities that go on, Crons prompts that the agent gives itself later. File
	// is what the agent's session file says, "" if there is none.
	Background, Crons int
	File              string
	// Requests are the open permission requests, Prompts those on their way into the agent, in its
	// own queue, or kept for it.
	Requests, Prompts int
	// Typing: ccdir is typing into it, or has a draft of before to put back.
	Typing bool
	// Task is the queue's task that runs in it, "" for none.
	Task string

	// Line is the input line.
	Line Line

	// ByHand: a person asks for it. Then these do not hinder: Watched, that somebody looks at it;
	// Typed, the time since a person's last input, negative for never.
	ByHand  bool
	Watched bool
	Typed   time.Duration

	// Other is who else runs its conversation, for people; "" for nobody.
	Other string
}

// Times since a person's last input below which it counts as typed in.
const (
	typingByHand = 2 * time.Second
	typingByRule = time.Minute
)

// row is one reason not to park, in the order in which they are told.
type row struct {
	name  string
	holds func(*Facts) bool
	why   func(*Facts) string
}

// say is a reason without values.
func say(text string) func(*Facts) string { return func(*Facts) string { return text } }

// rows is the table: the first reason that holds is told.
var rows = []row{
	{"outside", func(f *Facts) bool { return f.Outside }, say("it was started outside ccdir")},
	{"no-agent", func(f *Facts) bool { return !f.Agent }, say("it runs no agent whose conversation could be taken up again")},
	{"one-shot", func(f *Facts) bool { return f.OneShot }, say("it is a one-shot run")},
	{"parked", func(f *Facts) bool { return f.State == api.StateParked }, say("it is parked already")},
	{"ended", func(f *Facts) bool { return f.State.Ended() }, func(f *Facts) string { return "it is " + string(f.State) }},
	{"asks", func(f *Facts) bool { return f.State.NeedsPerson() || f.Requests > 0 }, say("it waits for an answer")},
	{"busy", func(f *Facts) bool { return f.State != api.StateIdle }, func(f *Facts) string { return "it is " + string(f.State) }},
	{"starting", func(f *Facts) bool { return f.Starting }, say("its process is being started or ended")},
	{"task", func(f *Facts) bool { return f.Task != "" }, func(f *Facts) string { return "task " + f.Task + " runs in it" }},
	{"prompts", func(f *Facts) bool { return f.Prompts > 0 }, say("a prompt for it is on its way or kept")},
	{"typing", func(f *Facts) bool { return f.Typing }, say("ccdir is typing into it: a prompt, or the draft that it kept")},
	{"background", func(f *Facts) bool { return f.Background > 0 }, func(f *Facts) string {
		if f.Background == 1 {
			return "something runs in its background"
		}
		return fmt.Sprintf("%d things run in its background", f.Background)
	}},
	{"crons", func(f *Facts) bool { return f.Crons > 0 }, say("it has set itself prompts for later, which would be lost")},
	{"file", func(f *Facts) bool { return f.File != "" && f.File != "idle" }, func(f *Facts) string { return "its session file says " + f.File }},
	{"no-resume", func(f *Facts) bool { return !f.Resumes }, say("agents of its kind do not take up a conversation again")},
	{"no-conversation", func(f *Facts) bool { return f.Used && !f.Conversation }, say("its conversation is not known, so that it could not be taken up again")},
	{"other", func(f *Facts) bool { return f.Other != "" }, func(f *Facts) string { return "its conversation also runs in " + f.Other }},
	{"line", func(f *Facts) bool { return f.Line.Why != "" }, func(f *Facts) string { return f.Line.Why }},
	{"watched", func(f *Facts) bool { return !f.ByHand && f.Watched }, say("somebody looks at it")},
	{"typed", func(f *Facts) bool {
		limit := typingByRule
		if f.ByHand {
			limit = typingByHand
		}
		return f.Typed >= 0 && f.Typed < limit
	}, say("somebody has typed in it a moment ago")},
	{"unsettled", func(f *Facts) bool { return !f.Settled }, say("it has only just come to rest")},
}

// Why returns the reason not to park, "" if it may be parked.
func (f Facts) Why() string {
	for i := range rows {
		if rows[i].holds(&f) {
			return rows[i].why(&f)
		}
	}
	return ""
}

// OnlyUnsettled reports whether a person who waits a moment may park it: as soon as it has come to
// rest, which its session file tells late, and nobody has typed for a while.
func (f Facts) OnlyUnsettled() bool {
	now := f.Why()
	f.Settled = true
	if f.ByHand {
		f.Typed, f.Typing = -1, false
		if f.File == "busy" {
			f.File = "idle"
		}
	}
	return now != "" && f.Why() == ""
}

// maxDraft bounds a draft that is kept, in lines and bytes: an agent scrolls a longer one.
const (
	maxDraftLines = 6
	maxDraftBytes = 16 << 10
)

// margin is how many columns an agent may leave free at the right of its input line, besides its
// mark at the left.
const margin = 8

// Line is what an input line holds: a draft to keep ("" for none), or Why that is not known.
type Line struct {
	Draft string
	Why   string
}

// Screen is what an adapter has read of the screen.
type Screen struct {
	// Reads: the adapter reads screens. Readable: it has found the input line.
	Reads, Readable bool
	Input           string
	// Stashed: the agent keeps another draft. Queued counts prompts in its queue.
	Stashed bool
	Queued  int
	// Cols is the width of the terminal. Typed: text was typed and not submitted, as far as the host
	// has seen.
	Cols  int
	Typed bool
	// Ago is the time since a person's last input.
	Ago time.Duration
}

// drawTime is how long an agent on a busy machine, or one that was just woken, may take to show what was typed.
const drawTime = 15 * time.Second

// Read returns what the input line holds.
func (s Screen) Read() Line {
	switch {
	case !s.Reads && s.Typed:
		return Line{Why: "there may be a draft in its input line, which ccdir cannot read"}
	case !s.Reads:
		return Line{}
	case !s.Readable:
		return Line{Why: "it does not show its input line (a panel or dialog?)"}
	case s.Queued > 0:
		return Line{Why: "a prompt waits in its queue"}
	case s.Stashed:
		return Line{Why: "it keeps a stashed draft, which would be lost"}
	case s.Input == "" && s.Typed && s.Ago < drawTime:
		return Line{Why: "something was typed a moment ago that its input line does not show yet"}
	case s.Input == "":
		return Line{}
	}
	return readDraft(s.Input, s.Cols)
}

// readDraft returns a draft if the text of the screen is surely what was typed.
func readDraft(input string, cols int) Line {
	lower := strings.ToLower(input)
	lines := strings.Split(input, "\n")
	switch {
	case strings.Contains(lower, "[pasted "), strings.Contains(lower, "[image"):
		return Line{Why: "there is a paste in its input line, of which the screen shows no text"}
	case strings.HasPrefix(input, "!"):
		return Line{Why: "its input line is that of a shell command: submit or remove it"}
	case len(lines) > maxDraftLines, len(input) > maxDraftBytes:
		return Line{Why: "the draft in its input line is too long to be read from the screen"}
	}
	for i := range len(lines) - 1 {
		// A break where the next word would not have fitted may be the terminal's or the person's.
		word, _, _ := strings.Cut(strings.TrimLeft(lines[i+1], " "), " ")
		if len([]rune(lines[i]))+1+len([]rune(word)) > cols-margin {
			return Line{Why: "the draft in its input line is wrapped, so that the screen does not tell where its lines end"}
		}
	}
	for _, l := range lines {
		if len([]rune(l)) > cols-margin {
			return Line{Why: "the draft in its input line fills it, so that the screen does not tell where it ends"}
		}
		for _, r := range l {
			if r < ' ' || r == '\ufffd' || wide(r) {
				return Line{Why: "the draft in its input line has signs that the screen does not tell for sure"}
			}
		}
	}
	return Line{Draft: input}
}

// wide reports whether a sign may take other than one column or be joined with its neighbours, so
// that the screen may show it in another way than it was typed.
func wide(r rune) bool { return r >= 0x300 && r < 0x370 || r >= 0x1100 && r != '\u00a0' && !narrow(r) }

// narrow are the signs above that which terminals show in one column.
func narrow(r rune) bool {
	return r >= 0x1e00 && r < 0x2000 || r >= 0x2010 && r < 0x2028 || r >= 0x2030 && r < 0x205f || r >= 0x20a0 && r < 0x20d0 || r >= 0x2190 && r < 0x2600
}
