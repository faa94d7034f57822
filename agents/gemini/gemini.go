package gemini

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Adapter is the adapter of Gemini CLI.
type Adapter struct{}

// Kind returns KindGemini.
func (Adapter) Kind() string { return agents.KindGemini }

// Managed is true: the settings in the overlay home install our hooks.
func (Adapter) Managed() bool { return true }

// Prepare makes the overlay home and returns the command line. If the configured arguments
// choose the conversation themselves (--resume, --session-id), no id is added.
func (Adapter) Prepare(s agents.Start) (agents.Launch, error) {
	if s.Command == "" {
		return agents.Launch{}, errors.New("gemini was not found: " + agents.InstallHint(agents.KindGemini))
	}
	if !filepath.IsAbs(s.Shim) || !filepath.IsAbs(s.Dir) {
		return agents.Launch{}, fmt.Errorf("the paths of ccdir-shim (%q) and of the session (%q) must be absolute", s.Shim, s.Dir)
	}
	home, err := overlay(s)
	if err != nil {
		return agents.Launch{}, err
	}
	argv := append([]string{s.Command}, s.Args...)
	if s.Model != "" {
		argv = append(argv, "--model", s.Model)
	}
	conversation := s.Resume
	switch {
	case s.Resume != "":
		argv = append(argv, "--resume", s.Resume)
	case !choosesConversation(s.Args):
		conversation = agents.NewUUID()
		argv = append(argv, "--session-id", conversation)
	}
	env := agents.SetEnv(s.Env, append(trustEnv(s.Env), "GEMINI_CLI_HOME="+home)...)
	if s.Walled {
		env = agents.SetEnv(env, "GEMINI_SANDBOX=false") // before --sandbox and its settings
	}
	return agents.Launch{Argv: argv, Env: env, Conversation: conversation, Mode: chosenMode(s.Args)}, nil
}

// chosenMode is the approval mode that args choose, "" for none: no hook reports it.
func chosenMode(args []string) (mode string) {
	for i, arg := range args {
		switch name, value, joined := strings.Cut(arg, "="); {
		case (name == "--yolo" || name == "-y") && value != "false":
			mode = "yolo"
		case name == "--approval-mode" && joined:
			mode = api.PermissionMode(value)
		case name == "--approval-mode" && i+1 < len(args):
			mode = api.PermissionMode(args[i+1])
		}
	}
	return mode
}

// choosesConversation reports whether args choose the conversation.
func choosesConversation(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.Contains([]string{"--session-id", "--resume", "-r"}, name)
	})
}

// Models are names to offer; the CLI takes any.
func (Adapter) Models() []string { return []string{"gemini-2.5-pro", "gemini-2.5-flash"} }

// KillPlan ends Gemini CLI from its prompt, from a turn and from a dialog. The signal goes to
// the process group: the outer of its two processes ignores it.
func (Adapter) KillPlan() agents.KillPlan {
	return agents.KillPlan{Keys: [][]string{{"Escape"}, {"C-c"}, {"C-c"}, {"C-c"}}, Pause: 250 * time.Millisecond, Signal: "HUP"}
}

const (
	// echoTime bounds the wait until a pasted text is shown.
	echoTime = time.Second
	// pasteTime is how long the CLI takes Enter for a part of a paste, and a margin: 40 ms from
	// when it has read it, which it may do after something else has changed the screen.
	pasteTime = 150 * time.Millisecond
)

// proposes are the marks of words for which a list of files opens, and of one after which Enter
// begins another line.
const proposes = "@\\"

// maxClearing bounds the keys that clear the input.
const maxClearing = 64

// PromptSteps clears the input, pastes the text and presses Enter. End, before it, changes
// nothing once the paste is shown, so that the wait for its echo is a pause.
func (Adapter) PromptSteps(text string, leftover int) []agents.Step {
	var steps []agents.Step
	if leftover > 0 {
		steps = append(steps, agents.Step{Keys: slices.Repeat([]string{"C-u"}, min(max(2*leftover-1, 1), maxClearing))})
	}
	steps = append(steps, agents.Step{Paste: agents.EndedText(text, proposes)}, agents.Step{Echo: echoTime})
	for range 3 {
		steps = append(steps, agents.Step{Keys: []string{"End"}}, agents.Step{Echo: pasteTime})
	}
	return append(steps, agents.Step{Keys: []string{"Enter"}})
}

// AckOf: prompts are reported when their turn begins; commands are not reported.
func (Adapter) AckOf(text string) agents.Ack {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") {
		return agents.Ack{Working: true, Dialog: true, Exit: strings.HasPrefix(text, "/quit") || strings.HasPrefix(text, "/exit"), Idle: true}
	}
	return agents.Ack{Prompt: true, Again: true, Soon: true, Wiped: true}
}

// ReadySigns are none: the input line on the screen shows that input is taken.
func (Adapter) ReadySigns(string) agents.ReadySigns { return agents.ReadySigns{} }

// TitleStatus reads the sign in the title, which tells every state at once. A dialog is one
// for permission or a question.
func (Adapter) TitleStatus(title string) string {
	sign, _, _ := strings.Cut(title, " ")
	switch sign {
	case "◇":
		return "idle"
	case "✦", "⏲":
		return "working"
	case "✋":
		return "blocked"
	}
	return ""
}
