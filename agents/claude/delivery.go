package claude

import (
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// The first versions of Claude Code that report their state in other ways than by hooks
// (bisected).
var (
	sinceFileStatus = agents.Version{2, 1, 119}
	sincePSP        = agents.Version{2, 1, 295}
)

// ReadySigns of an unknown version are those of the newest.
func (Adapter) ReadySigns(version string) agents.ReadySigns {
	v, known := agents.ParseVersion(version)
	return agents.ReadySigns{
		Status: !known || !v.Before(sincePSP),
		File:   !known || !v.Before(sinceFileStatus),
		Title:  true,
		Tools:  true,
	}
}

// ownCommands are commands of Claude Code itself (2.1.329) with their acknowledgement.
// Others open a panel, or are the user's own and act as prompts, or are unknown and
// leave no trace.
var ownCommands = map[string]agents.Ack{
	"/clear":   {Kinds: []api.EventKind{api.KindConversationEnds, api.KindConversationBegins}, Idle: true, Queues: true, Command: true},
	"/reset":   {Kinds: []api.EventKind{api.KindConversationEnds, api.KindConversationBegins}, Idle: true, Queues: true, Command: true},
	"/new":     {Kinds: []api.EventKind{api.KindConversationEnds, api.KindConversationBegins}, Idle: true, Queues: true, Command: true},
	"/compact": {Kinds: []api.EventKind{api.KindCompactionBegins}, Idle: true, Queues: true, Command: true},
	"/exit":    {Kinds: []api.EventKind{api.KindConversationEnds}, Exit: true, Idle: true, Command: true},
	"/quit":    {Kinds: []api.EventKind{api.KindConversationEnds}, Exit: true, Idle: true, Command: true},
}

// AckOf maps typed texts to their acknowledgement, as seen with 2.1.329.
func (Adapter) AckOf(text string) agents.Ack {
	word := text
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		word = text[:i]
	}
	switch {
	case strings.HasPrefix(text, "!"):
		// A shell command: no hook but Stop. During a turn it is queued.
		return agents.Ack{Kinds: []api.EventKind{api.KindTurnEnds}, Working: true, Idle: true, Queues: true, Shell: true}
	case !strings.HasPrefix(text, "/") || strings.Contains(word[1:], "/"):
		// Including #, @, and texts that look like a path.
		return agents.Ack{Prompt: true, Again: true}
	}
	if a, ok := ownCommands[word]; ok {
		return a
	}
	// No second Enter: in a panel it would choose an entry.
	return agents.Ack{Prompt: true, Kinds: []api.EventKind{api.KindCommand, api.KindCompactionBegins, api.KindConversationBegins}, Dialog: true, Idle: true, Queues: true, Command: true}
}

// clearing clears the input: after Esc before any output the old prompt is in it, with
// all its lines. Ctrl-U deletes the text before the cursor on its line, and at the
// beginning of a line the end of the line above.
func clearing(lines int) []agents.Step {
	if lines == 0 {
		return nil
	}
	return []agents.Step{{Keys: slices.Repeat([]string{"C-u"}, min(max(2*lines-1, 1), maxClearing))}}
}

// maxClearing bounds the keys that clear the input.
const maxClearing = 64

// echoTime bounds the wait until a pasted text is shown.
const echoTime = time.Second
