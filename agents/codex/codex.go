package codex

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
)

// Adapter is the adapter of Codex.
type Adapter struct{}

// Kind returns KindCodex.
func (Adapter) Kind() string { return agents.KindCodex }

// Managed is true: the arguments of its start install our hooks.
func (Adapter) Managed() bool { return true }

// Prepare returns the command line: the configured one, with the conversation to resume
// before its arguments, and ccdir's own after them.
func (Adapter) Prepare(s agents.Start) (agents.Launch, error) {
	own, err := ownArgs(s)
	if err != nil {
		return agents.Launch{}, err
	}
	argv, conversation := []string{s.Command}, ""
	switch {
	case s.Resume == "":
	case choosesConversation(s.Args):
		return agents.Launch{}, errors.New("the agent's arguments choose a conversation already: leave --resume or them out")
	case s.Fork:
		argv = append(argv, "fork", s.Resume)
	default:
		argv, conversation = append(argv, "resume", s.Resume), s.Resume
	}
	argv = append(argv, s.Args...)
	if s.Resume != "" && !choosesFolder(s.Args) {
		// Else it asks whether to work in the folder where the conversation was.
		argv = append(argv, "-C", s.CWD)
	}
	// Without --no-daemon an app server of the user, if one runs, would host the session, in
	// its own environment and without our hooks.
	argv = append(argv, "--no-daemon")
	return agents.Launch{Argv: append(argv, own...), Env: s.Env, Conversation: conversation}, nil
}

// CanFork is true for every version with which hooks work.
func (Adapter) CanFork(string) bool { return true }

// FailsByStatus: an error of the API calls no hook.
func (Adapter) FailsByStatus() {}

// choosesConversation reports whether the arguments begin with a subcommand that opens a
// conversation.
func choosesConversation(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"resume", "fork", "agents"}, args[0])
}

// choosesFolder reports whether the arguments name the folder to work in.
func choosesFolder(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "-C") || arg == "--cd" || strings.HasPrefix(arg, "--cd=")
	})
}

// choosesSandbox reports whether the arguments say how Codex' own sandbox is.
func choosesSandbox(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "-s") || strings.HasPrefix(arg, "--sandbox") || strings.HasPrefix(arg, "--dangerously-bypass") || arg == "--full-auto" || strings.Contains(arg, "sandbox_mode")
	})
}

// ownArgs are ccdir's own arguments, which every way of running Codex accepts.
func ownArgs(s agents.Start) ([]string, error) {
	if s.Command == "" {
		return nil, errors.New("codex was not found: " + agents.InstallHint(agents.KindCodex))
	}
	if !filepath.IsAbs(s.Shim) || !filepath.IsAbs(s.Dir) {
		return nil, fmt.Errorf("the paths of ccdir-shim (%q) and of the session (%q) must be absolute", s.Shim, s.Dir)
	}
	if slices.Contains(s.Args, "--") {
		return nil, errors.New("ccdir's own arguments follow those of codex: leave -- out of them")
	}
	// Its analytics delay each exit by 5 s without a network, and the notice of an update is
	// a dialog before the first prompt.
	settings := []string{"analytics.enabled=false", "check_for_update_on_startup=false"}
	settings = append(settings, hookSettings(s.Shim)...)
	if trust := trustSetting(s); trust != "" {
		settings = append(settings, trust)
	}
	if s.Walled && !choosesSandbox(s.Args) {
		settings = append(settings, `sandbox_mode="danger-full-access"`)
	}
	if s.MCP {
		settings = append(settings, mcpSetting(s))
	}
	var args []string
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	if s.Model != "" {
		args = append(args, "-m", s.Model)
	}
	return args, nil
}

// Models returns some names; which models there are depends on the user's provider.
func (Adapter) Models() []string { return []string{"gpt-5.2-codex", "gpt-5.2"} }

// KillPlan ends Codex from its prompt, from a turn and from a dialog: Escape ends the turn or
// the dialog, one Ctrl-C empties a draft, the next exits.
func (Adapter) KillPlan() agents.KillPlan {
	return agents.KillPlan{
		Keys: [][]string{{"Escape"}, {"C-c"}, {"C-c"}},
		// Also the time to exit after the last key, with the hook at the end.
		Pause:  400 * time.Millisecond,
		Signal: "TERM",
	}
}

// PromptSteps clears the input, pastes the text, always bracketed (Codex takes text and
// Enter in one write for a paste), and presses Enter in a write of its own.
func (Adapter) PromptSteps(text string, leftover int) []agents.Step {
	return typing(text, leftover, "Enter")
}

// QueueSteps press Tab instead: during a turn Enter would put the text into that turn.
func (Adapter) QueueSteps(text string, leftover int) []agents.Step {
	return typing(text, leftover, "Tab")
}

const (
	// echoTime bounds the wait until a pasted text is shown.
	echoTime = time.Second
	// proposes are the marks of words for which a list of files or skills opens.
	proposes = "@$"
	// maxClearing bounds the keys that clear the input.
	maxClearing = 64
)

func typing(text string, leftover int, key string) []agents.Step {
	var steps []agents.Step
	if leftover > 0 {
		// Ctrl-U deletes the line before the cursor, and then the line's begin.
		steps = []agents.Step{{Keys: slices.Repeat([]string{"C-u"}, min(max(2*leftover-1, 1), maxClearing))}}
	}
	return append(steps, agents.Step{Paste: agents.EndedText(text, proposes)}, agents.Step{Echo: echoTime}, agents.Step{Keys: []string{key}})
}

// AckOf maps typed texts to their acknowledgement.
func (Adapter) AckOf(text string) agents.Ack {
	word, _, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "!"):
		return agents.Ack{Working: true, Idle: true}
	case !strings.HasPrefix(text, "/") || strings.ContainsAny(word[1:], "/\n"):
		return agents.Ack{Prompt: true, Again: true}
	}
	if ack, ok := ownCommands[word]; ok {
		return ack
	}
	return agents.Ack{Idle: true} // it opens a panel, which nothing reports
}

// ReadySigns: Codex reports its status unasked, and when it takes input. The begin of the
// conversation is reported with the first prompt only.
func (Adapter) ReadySigns(string) agents.ReadySigns {
	return agents.ReadySigns{Status: true, Title: true}
}
