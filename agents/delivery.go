package agents

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
