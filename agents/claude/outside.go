package claude

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// OutsideHook is a hook in the user's own settings of Claude Code, for sessions that
// ccdir did not start. Inside a session of ccdir it does nothing, since that has hooks
// of its own.
type OutsideHook struct {
	Event string
	// Command is the shim and Args its arguments, or Command is a whole command
	// line for /bin/sh and Args is nil (versions before 2.1.139).
	Command string
	Args    []string
	// Timeout is in seconds.
	Timeout int
}

// outsideFlag marks the hooks in the user's own settings.
const outsideFlag = "--external"

// The hooks outlive the shim if ccdir is removed without `ccdir hooks uninstall`. The
// CLI (2.1.329) reports a failure in the conversation for each call of a missing
// command, so the shell checks first, and then execs the shim: no process stays between
// it and the agent.
const (
	guardShell = "/bin/sh"
	guardLine  = `test ! -x "$0" || exec "$0" "$@"`
	guardHead  = "test ! -x "
	guardTail  = " || exec "
)

// shimName is the file name of the shim.
const shimName = "ccdir-shim"

// OutsideHooks are the hooks for the user's own settings: the same events and form as
// those of a session. They do not wait for an answer, so all have the ordinary
// timeouts. The zero version, unknown, gets every event in the form that all versions
// accept.
func OutsideHooks(shim string, version agents.Version) []OutsideHook {
	var out []OutsideHook
	for _, event := range Hooks(version) {
		h := OutsideHook{Event: event, Timeout: int(api.HookTimeout / time.Second)}
		if event == "SessionEnd" {
			h.Timeout = int(api.HookTimeoutEnding / time.Second)
		}
		if version.Before(sinceHookArgs) {
			h.Command = guardHead + agents.ShellQuote(shim) + guardTail + agents.ShellQuote(shim) + " hook " + event + " " + outsideFlag
		} else {
			h.Command, h.Args = guardShell, []string{"-c", guardLine, shim, "hook", event, outsideFlag}
		}
		out = append(out, h)
	}
	return out
}

// Shim returns the path of the shim that the hook calls; ok is false if the hook is not
// one of OutsideHooks, of any version and path.
func (h OutsideHook) Shim() (path string, ok bool) {
	want := []string{"hook", h.Event, outsideFlag}
	path = h.Command
	args := h.Args
	if path == guardShell && len(args) > 3 && args[0] == "-c" && args[1] == guardLine {
		path, args = args[2], args[3:]
	}
	if h.Args == nil {
		if rest, ok := strings.CutPrefix(path, guardHead); ok {
			quoted, call, ok := strings.Cut(rest, guardTail)
			if !ok || !strings.HasPrefix(call, quoted+" ") {
				return "", false
			}
			path = call
		}
		if path, ok = strings.CutSuffix(path, " "+strings.Join(want, " ")); !ok {
			return "", false
		}
		if inner, ok := strings.CutPrefix(path, "'"); ok {
			if path, ok = strings.CutSuffix(inner, "'"); !ok {
				return "", false
			}
			path = strings.ReplaceAll(path, `'\''`, "'")
		}
	} else if !slices.Equal(args, want) {
		return "", false
	}
	return path, filepath.Base(path) == shimName
}
