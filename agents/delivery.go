package agents

import "ccdir/api"

// Ack lists the acknowledgements of a delivered text: any one is enough. The zero
// value: there is none.
type Ack struct {
	// Prompt: the agent reports that it took a prompt which contains the text.
	Prompt bool
	// Kinds: one of these reports about the conversation itself.
	Kinds []api.EventKind
	// Working: the agent reports that it works.
	Working bool
	// Dialog: a dialog or panel opens.
	Dialog bool
	// Exit: its process ends.
	Exit bool
	// Idle: the agent accepts the text only at its prompt, so it is not typed during a
	// turn.
	Idle bool
	// Command: the text is a command of the agent, which may be unknown. Shell: it is a
	// shell command. Queues: during a turn the agent queues it; then Idle applies only
	// to versions whose screen cannot be read.
	Command, Shell, Queues bool
	// Again: without an acknowledgement, Enter is pressed once more. Soon: after a moment
	// already, since the agent takes an Enter for a part of a paste while it is busy.
	Again, Soon bool
	// Wiped: an agent that takes up a conversation may wipe its input line once more; so the
	// first text must stand there for a moment before Enter.
	Wiped bool
}

// None reports whether nothing acknowledges the text.
func (a Ack) None() bool {
	return !a.Prompt && len(a.Kinds) == 0 && !a.Working && !a.Dialog && !a.Exit
}

// Deliverer is an adapter whose agent acknowledges typed text.
type Deliverer interface {
	// AckOf returns the acknowledgements of a text.
	AckOf(text string) Ack
	// ReadySigns returns the signs by which an agent of that version shows that it
	// accepts input.
	ReadySigns(version string) ReadySigns
}

// ReadySigns are the signs that an agent accepts its first input.
type ReadySigns struct {
	// Status: a program status (OSC 7501), if the query is answered. File: a status
	// file. Title: a mark in the title.
	Status, File, Title bool
	// Tools: it lists our tools. What it sends to its model before that lacks them.
	Tools bool
}
