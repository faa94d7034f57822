// Package call is the hook process: `ccdir-shim hook NAME`, run by an agent CLI with the
// event's payload on its standard input.
//
// Contract:
//
//   - The agent must not notice ccdir. Unless a daemon's reply says otherwise the process
//     exits with 0 and prints nothing, after every failure: no daemon, a daemon that hangs,
//     a payload that is no JSON, a full disk. The exception is onLoss, which a policy can
//     ask for.
//   - No call lasts longer than its deadline (Deadline, leastRead).
//   - A call that no daemon took in time is written to the session's spool, which the
//     daemon reads at its start and every few seconds. A call is lost only if the spool is
//     full, which leaves a mark there, or if it cannot be written.
//   - A PermissionRequest is retried with the same id until its deadline instead, because
//     the agent waits for its answer.
//   - A call with api.HookTimeoutFlag waits for the daemon's answer as long as that allows; without
//     a daemon it does not wait.
//   - Outside of a session of ccdir (no CCDIR_SESSION) the process ends at once. With
//     externalArg, in a hook of the user's own settings, it reports to a running daemon and
//     waits for no decision; inside a session such a call does nothing, because the
//     session's own hooks report.
//
// The package speaks HTTP by hand because net/http costs more time at start
// than the whole call; it imports the standard library and leaf packages alone.
package call

import (
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/proc"
)

// permissionRequest is the hook that blocks until the request is answered.
const permissionRequest = "PermissionRequest"

// margin is how much earlier than the agent's timeout a hook process gives up.
const margin = time.Second

// leastRead is the least wait for the payload, also if a slow machine let the process run
// only near its deadline or after it: the payload usually is in the pipe, and is spooled.
const leastRead = margin

// drainOutside is how long a hook outside ccdir reads its input before it ends:
// an agent that still writes would get EPIPE otherwise.
const drainOutside = 4 * time.Millisecond

// Deadline is how long a call of the hook may last, measured from the start of
// the process. It is shorter than the timeout in the agent's settings.
func Deadline(hook string) time.Duration {
	switch hook {
	case permissionRequest:
		return api.HookTimeoutPermission - 10*time.Second
	case "SessionEnd":
		return api.HookTimeoutEnding - 2*margin
	case "PreToolUse":
		return api.HookTimeout - margin
	default:
		// The reply is not important: spool the call rather than delay the agent.
		return 2 * time.Second
	}
}

// call is one hook call.
type call struct {
	session, token, socket, dir string
	hook, id                    string
	role                        string // from the environment
	// loss is the answer of a PreToolUse hook without a daemon: "", "ask" or "deny".
	loss     string
	pid      int // of the agent, for calls from outside
	at       time.Time
	payload  []byte
	deadline time.Time
}

// Main runs one hook call: args is the hook's name (and externalArg or api.HookTimeoutFlag), stdin the payload, environ
// the process's environment. It returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	if len(args) == 2 && args[1] == externalArg && validName(args[0]) {
		return external(args[0], stdin, environ, os.Getuid(), os.Getppid(), proc.Began())
	}
	limit, ok := limitOf(args)
	if !ok {
		return 0
	}
	return run(args[0], stdin, stdout, stderr, environ, proc.Began(), limit)
}

// limitOf returns how long the call may last: args is the hook's name, and the agent's timeout
// where that is not the usual one. ok is false for anything else.
func limitOf(args []string) (limit time.Duration, ok bool) {
	switch {
	case len(args) == 0 || len(args) > 2 || !validName(args[0]):
		return 0, false
	case len(args) == 1:
		return Deadline(args[0]), true
	}
	text, ok := strings.CutPrefix(args[1], api.HookTimeoutFlag)
	seconds, err := strconv.ParseUint(text, 10, 16)
	return time.Duration(seconds)*time.Second - margin, ok && err == nil && seconds > 1
}

// run is Main with its start time, from which the agent's timeout counts too, and its
// deadline as parameters.
func run(hook string, stdin io.Reader, stdout, stderr io.Writer, environ []string, start time.Time, limit time.Duration) int {
	c := call{hook: hook, at: start, deadline: start.Add(limit)}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case api.EnvSession:
			c.session = v
		case api.EnvToken:
			c.token = v
		case api.EnvSocket:
			c.socket = v
		case api.EnvDir:
			c.dir = v
		case api.EnvOnLoss:
			c.loss = v
		case api.EnvRole:
			if validHeader(v) {
				c.role = v
			}
		}
	}
	if c.session == "" || !validHeader(c.session) || !validHeader(c.token) {
		discard(stdin, drainOutside)
		return 0
	}
	c.id = newID(start)
	c.loss = onLoss(hook, c.dir, c.loss)
	payload, ok := readPayload(stdin, api.MaxHookPayload, max(time.Until(c.deadline), leastRead))
	if !ok {
		_, _ = io.WriteString(stdout, lossReply(c.loss))
		return 0
	}
	c.payload = payload

	reply, delivered := c.deliver()
	if !delivered {
		_, _ = io.WriteString(stdout, lossReply(c.loss))
		return 0
	}
	_, _ = io.WriteString(stdout, reply.Stdout)
	_, _ = io.WriteString(stderr, reply.Stderr)
	return reply.Exit
}

// deliver sends the call to the daemon, or spools it. The reply is valid only if the daemon
// took the call.
func (c *call) deliver() (api.HookReply, bool) {
	if c.hook == permissionRequest {
		return c.redial()
	}
	reply, result := c.post(c.deadline)
	if result != unavailable {
		return reply, result == answered
	}
	path, err := c.spool()
	if err != nil || !time.Now().Before(c.deadline) {
		return api.HookReply{}, false
	}
	// A daemon that started after the first attempt may have read the spool before this
	// file was in it: try once more.
	reply, result = c.post(c.deadline)
	if result != unavailable {
		_ = os.Remove(path)
	}
	return reply, result == answered
}

// Pauses between attempts to reach a daemon. A dial of a missing socket costs
// some 20 µs, so the longest pause is what a person would notice.
const (
	redialFirst = 10 * time.Millisecond
	redialMax   = 250 * time.Millisecond
)

// redial retries until a daemon answers, the deadline is over, or the agent is gone or ends
// the process.
func (c *call) redial() (api.HookReply, bool) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(stop)
	parent := os.Getppid()
	pause := redialFirst
	for {
		type outcome struct {
			reply  api.HookReply
			result result
		}
		done := make(chan outcome, 1)
		go func() {
			r, res := c.post(c.deadline)
			done <- outcome{r, res}
		}()
		select {
		case o := <-done:
			if o.result != unavailable {
				return o.reply, o.result == answered
			}
		case <-stop:
			// The agent ended the wait. The daemon sees that the connection is closed. One
			// that hangs or has just died finds the call in the spool, and knows it by its
			// id if it had taken it.
			_, _ = c.spool()
			return api.HookReply{}, false
		}
		if !time.Now().Add(pause).Before(c.deadline) || os.Getppid() != parent {
			break
		}
		select {
		case <-time.After(pause):
		case <-stop:
			_, _ = c.spool()
			return api.HookReply{}, false
		}
		pause = min(pause*2, redialMax)
	}
	_, _ = c.spool()
	return api.HookReply{}, false
}

// newID makes an id that sorts by time.
func newID(at time.Time) string {
	n := strconv.FormatInt(max(at.UnixNano(), 0), 10)
	return strings.Repeat("0", max(0, 19-len(n))) + n + "-" + strconv.FormatUint(rand.Uint64(), 36)
}

// validName reports whether s can be a hook's name: letters, at most 64.
func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// validHeader reports whether s can be sent as a header's value.
func validHeader(s string) bool {
	if len(s) > 256 {
		return false
	}
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
