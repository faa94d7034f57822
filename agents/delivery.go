package agents

import (
	"slices"
	"strings"
	"time"
)

// Ack is what shows that an agent took a text: one of its parts is enough. The
// zero value: nothing does.
type Ack struct {
	// Prompt: a UserPromptSubmit hook whose prompt contains the text.
	Prompt bool
	// Hooks: one of these hooks of the agent itself.
	Hooks []string
	// Working: it reports that it works.
	Working bool
	// Dialog: a dialog or panel opens.
	Dialog bool
	// Exit: its process ends.
	Exit bool
	// Idle: the text is taken only by an agent at its prompt, so it is not
	// typed while a turn runs.
	Idle bool
	// Command: it is a command of the agent, which it may not know. Shell: it is
	// a shell command. Queues: while a turn runs it is queued, where Idle holds
	// only for versions whose screen cannot be read.
	Command, Shell, Queues bool
	// Again: if nothing shows it, Enter is pressed once more.
	Again bool
}

// None reports whether nothing shows it.
func (a Ack) None() bool {
	return !a.Prompt && len(a.Hooks) == 0 && !a.Working && !a.Dialog && !a.Exit
}

// Deliverer is an adapter whose agent acknowledges what is typed.
type Deliverer interface {
	// AckOf tells what acknowledges a text.
	AckOf(text string) Ack
	// ReadySigns tells what an agent of that version shows when it takes input.
	ReadySigns(version string) ReadySigns
}

// ReadySigns are the signs of an agent that takes its first input.
type ReadySigns struct {
	// Status: a program status (OSC 7501), if the query is answered. File: a
	// status file. Title: a sign in the title.
	Status, File, Title bool
}

// Versions of Claude Code since which it tells its state in other ways than
// hooks (bisected).
var (
	claudeFileStatus = Version{2, 1, 119}
	claudePSP        = Version{2, 1, 295}
)

// ReadySigns of a version that is not known are those of the newest.
func (Claude) ReadySigns(version string) ReadySigns {
	v, known := ParseVersion(version)
	return ReadySigns{
		Status: !known || !v.Before(claudePSP),
		File:   !known || !v.Before(claudeFileStatus),
		Title:  true,
	}
}

// claudeCommands are commands of Claude Code itself (2.1.329) with what shows
// that they were taken. Others open a panel, or are the user's own and act as
// prompts, or are unknown and leave no trace.
var claudeCommands = map[string]Ack{
	"/clear":   {Hooks: []string{"SessionEnd", "SessionStart"}, Idle: true, Queues: true, Command: true},
	"/reset":   {Hooks: []string{"SessionEnd", "SessionStart"}, Idle: true, Queues: true, Command: true},
	"/new":     {Hooks: []string{"SessionEnd", "SessionStart"}, Idle: true, Queues: true, Command: true},
	"/compact": {Hooks: []string{"PreCompact"}, Idle: true, Queues: true, Command: true},
	"/exit":    {Hooks: []string{"SessionEnd"}, Exit: true, Idle: true, Command: true},
	"/quit":    {Hooks: []string{"SessionEnd"}, Exit: true, Idle: true, Command: true},
}

// AckOf is the table of what typed texts do, as seen with 2.1.329.
func (Claude) AckOf(text string) Ack {
	word := text
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		word = text[:i]
	}
	switch {
	case strings.HasPrefix(text, "!"):
		// A shell command: no hook but Stop. While busy it is queued.
		return Ack{Hooks: []string{"Stop"}, Working: true, Idle: true, Queues: true, Shell: true}
	case !strings.HasPrefix(text, "/") || strings.Contains(word[1:], "/"):
		// Also #, @, and what looks like a path.
		return Ack{Prompt: true, Again: true}
	}
	if a, ok := claudeCommands[word]; ok {
		return a
	}
	// No second Enter: in a panel it would choose something.
	return Ack{Prompt: true, Hooks: []string{"UserPromptExpansion", "PreCompact", "SessionStart"}, Dialog: true, Idle: true, Queues: true, Command: true}
}

// AckOf is Claude Code's for plain texts: the demo agent has no commands.
func (Demo) AckOf(text string) Ack {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") {
		return Ack{}
	}
	return Ack{Prompt: true, Again: true}
}

// ReadySigns: the demo agent may have been told to report no status.
func (Demo) ReadySigns(string) ReadySigns { return ReadySigns{} }

// clearing empties the input line: after Esc before any output the old prompt
// is in it, with all its lines. Ctrl-U takes what is before the cursor on its
// line, and at the beginning of a line the end of the line above.
func clearing(lines int) []Step {
	if lines == 0 {
		return nil
	}
	return []Step{{Keys: slices.Repeat([]string{"C-u"}, min(max(2*lines-1, 1), maxClearing))}}
}

// maxClearing bounds the keys that empty the input line.
const maxClearing = 64

// echoTime is how long a pasted text may take to be shown.
const echoTime = time.Second
