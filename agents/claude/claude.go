package claude

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
)

// Adapter is the adapter of Claude Code. It relies on behaviour seen up to version
// 2.1.329.
type Adapter struct{}

// Kind returns KindClaude.
func (Adapter) Kind() string { return agents.KindClaude }

// Managed is true: the generated settings file installs our hooks.
func (Adapter) Managed() bool { return true }

// The first versions of Claude Code with a feature.
var (
	sinceSettings = agents.Version{1, 0, 61} // --settings
	sinceRequests = agents.Version{2, 0, 45} // the PermissionRequest hook
	// sinceOnFailure: a hook's setting that a failure blocks the call; 2.1.294 ignores it.
	sinceOnFailure = agents.Version{2, 1, 300}
	sinceContinue  = agents.Version{2, 1, 234} // autoContinueAtUsageLimit
	sinceHookArgs  = agents.Version{2, 1, 139} // the args form of hooks; before, args are silently dropped
	// sinceStatusLine: a status line whose input has the account's limits (seen).
	sinceStatusLine = agents.Version{2, 1, 294}
	sinceFork       = agents.Version{2, 0, 0} // --fork-session
)

// Prepare writes the settings file with our hooks and the configuration of our MCP
// server, and returns the command line: the configured one, then --mcp-config,
// --settings, --model and the conversation's id. If the configured arguments choose the
// conversation themselves (--resume, --continue, --session-id), no id is added.
func (Adapter) Prepare(s agents.Start) (agents.Launch, error) {
	if s.Command == "" {
		return agents.Launch{}, errors.New("claude was not found: " + agents.InstallHint(agents.KindClaude))
	}
	if !filepath.IsAbs(s.Shim) || !filepath.IsAbs(s.Dir) {
		return agents.Launch{}, fmt.Errorf("the paths of ccdir-shim (%q) and of the session (%q) must be absolute", s.Shim, s.Dir)
	}
	version, known := agents.ParseVersion(s.Version)
	if known && version.Before(sinceSettings) {
		return agents.Launch{}, fmt.Errorf("claude %s is too old to be managed: update it to %s or later", version, sinceSettings)
	}
	args, own, err := takeSettings(s.Args, s.CWD)
	if err != nil {
		return agents.Launch{}, err
	}
	if s.MCP {
		own = preapprove(own, s.Preapproved)
	}
	if s.NoContinue && !version.Before(sinceContinue) {
		own = withContinue(own, false)
	}
	if s.Walled {
		own = withoutSandbox(own)
	}
	settings, err := managedSettings(s.Shim, version, own, statusLine(s, version, own, args))
	if err != nil {
		return agents.Launch{}, err
	}
	file := filepath.Join(s.Dir, paths.HookConfig)
	if err := atomicfile.WriteUnsynced(file, settings); err != nil {
		return agents.Launch{}, fmt.Errorf("cannot write the agent's settings: %w", err)
	}
	if s.Fresh {
		args = dropConversation(args)
	}
	argv := append([]string{s.Command}, args...)
	if s.MCP {
		mcp := filepath.Join(s.Dir, paths.MCPConfig)
		if err := atomicfile.WriteUnsynced(mcp, mcpConfig(s)); err != nil {
			return agents.Launch{}, fmt.Errorf("cannot write the agent's MCP configuration: %w", err)
		}
		// The flag takes every argument up to the next flag, so it stands before one.
		argv = append(argv, "--mcp-config", mcp)
	}
	// A positional prompt is safe: these flags take one value each.
	argv = append(argv, "--settings", file)
	if s.Model != "" {
		argv = append(argv, "--model", s.Model)
	}
	conversation := ""
	switch {
	case s.Fork:
		conversation = agents.NewUUID()
		argv = append(argv, "--resume", s.Resume, "--fork-session", "--session-id", conversation)
	case s.Resume != "":
		conversation = s.Resume
		argv = append(argv, "--resume", s.Resume)
	case !choosesConversation(args):
		conversation = agents.NewUUID()
		argv = append(argv, "--session-id", conversation)
	}
	launch := agents.Launch{Argv: argv, Env: s.Env, Conversation: conversation}
	if bare(args) {
		launch.Unguarded = "it was started with --bare: it runs no hooks, so no policy holds and its state is known from the screen alone"
	}
	return launch, nil
}

// bare reports whether args switch hooks off (seen with 2.1.329).
func bare(args []string) bool {
	for _, arg := range args {
		if arg == "--bare" || arg == "--" {
			return arg == "--bare"
		}
	}
	return false
}

// KillPlan ends Claude Code from its prompt, from a turn and from a dialog: Esc ends
// the dialog (where 2.1.329 ignores Ctrl-C) or the turn, one Ctrl-C clears the prompt
// if it has text, the next two exit, and HUP follows in case another view took the
// keys.
func (Adapter) KillPlan() agents.KillPlan {
	return agents.KillPlan{
		Keys: [][]string{{"Escape"}, {"C-c"}, {"C-c"}, {"C-c"}},
		// Also the time to exit after the last key, with the SessionEnd hook.
		Pause:  250 * time.Millisecond,
		Signal: "HUP",
	}
}

// PromptSteps clears the input (after Esc the old prompt may be in it), pastes the
// text, always bracketed, waits until it is shown and presses Enter, which must be a
// separate write.
func (Adapter) PromptSteps(text string, leftover int) []agents.Step {
	return append(clearing(leftover), agents.Step{Paste: agents.PromptText(text)}, agents.Step{Echo: echoTime}, agents.Step{Keys: []string{"Enter"}})
}

// CanFork reports whether the version has --fork-session.
func (Adapter) CanFork(version string) bool {
	v, known := agents.ParseVersion(version)
	return !known || !v.Before(sinceFork)
}

// Arguments that choose the conversation: those with a value of their own, those with one
// that may be left out, and those without.
var (
	conversationValues   = []string{"--session-id", "--teleport"}
	conversationOptional = []string{"--resume", "-r", "--from-pr"}
	conversationFlags    = []string{"--continue", "-c", "--fork-session"}
)

// choosesConversation reports whether args choose the conversation.
func choosesConversation(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name != "--fork-session" && slices.Contains(slices.Concat(conversationValues, conversationOptional, conversationFlags), name)
	})
}

// dropConversation removes the arguments that choose the conversation.
func dropConversation(args []string) (kept []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, _, joined := strings.Cut(a, "=")
		value := !joined && i+1 < len(args)
		switch {
		case a == "--":
			return append(kept, args[i:]...)
		case slices.Contains(conversationFlags, name):
		case slices.Contains(conversationValues, name):
			if value {
				i++
			}
		case slices.Contains(conversationOptional, name):
			if value && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
		default:
			kept = append(kept, a)
		}
	}
	return kept
}
