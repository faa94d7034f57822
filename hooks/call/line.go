package call

import (
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// usual is how long a call may last whose reply is not important: it is spooled rather than
// that the agent waits.
const usual = 2 * time.Second

// line is the command line of a hook process, as an adapter wrote it: the hook's name and flags
// (api.HookTimeoutFlag and the ones beside it).
type line struct {
	hook string
	// limit is how long the call may last, measured from the start of the process.
	limit time.Duration
	// sign is how long the call of a hook that decides waits for a daemon that has not
	// said that it works on it; 0: as long as limit.
	sign time.Duration
	// gate is the form of the answer of a hook that decides about a tool; "" for others.
	gate string
	// hold: the call waits for a person.
	hold bool
}

// parseLine reads a command line; ok is false for anything but a hook and its flags.
func parseLine(args []string) (l line, ok bool) {
	if len(args) == 0 || !validName(args[0]) {
		return line{}, false
	}
	if len(args) == 1 {
		return older(args[0]), true
	}
	l = line{hook: args[0], limit: usual}
	if args[0] == holdBefore { // a session of Codex that an older ccdir started
		l.hold = true
	}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name + "=" {
		case api.HookTimeoutFlag:
			seconds, err := strconv.ParseUint(value, 10, 32)
			if err != nil || seconds < 2 || seconds > uint64(api.HookTimeoutPermission/time.Second) {
				return line{}, false
			}
			l.limit = time.Duration(seconds)*time.Second - margin
		case api.HookGateFlag:
			if value != api.GateOutput && value != api.GateDecision {
				return line{}, false
			}
			l.gate, l.sign = value, api.HookSignTime-margin
		case api.HookHoldFlag + "=":
			l.hold = true
		default:
			return line{}, false
		}
	}
	return l, true
}

// Names of hooks whose kind the command lines of older versions did not tell.
const (
	gateBefore = "PreToolUse"
	holdBefore = "PermissionRequest"
	endBefore  = "SessionEnd"
)

// older is the line of a hook without flags: of a session that an older ccdir started, and of
// hooks for which nothing but the name is needed.
func older(hook string) line {
	l := line{hook: hook, limit: usual}
	switch hook {
	case gateBefore:
		l.limit, l.gate = api.HookTimeout-margin, api.GateOutput
	case holdBefore:
		l.limit, l.hold = api.HookTimeoutPermission-10*time.Second, true
	case endBefore:
		l.limit = api.HookTimeoutEnding - 2*margin
	}
	return l
}
