// Package call is the hook process: `ccdir-shim hook NAME`, run by an agent CLI with the
// event's payload on its standard input.
//
// Contract:
//
//   - The agent must not notice ccdir. Unless a daemon's reply says otherwise the process
//     exits with 0 and prints nothing, after every failure: no daemon, a daemon that hangs,
//     a payload that is no JSON, a full disk.
//   - The exception is a hook that decides about a tool (api.HookGateFlag): its answer is then
//     onLoss, which a policy can ask for.
//   - A process that cannot write the whole of its answer exits with an error (failed): agents
//     take half an answer for none.
//   - No call lasts longer than its deadline (line.limit, leastRead). One that decides waits that
//     long only for a daemon that says that it works on the call, by an HTTP status 1xx.
//   - A call that no daemon took in time is written to the session's spool, which the
//     daemon reads at its start and every few seconds. A call is lost only if the spool is
//     full, which leaves a mark there, or if it cannot be written.
//   - A call that waits for a person (api.HookHoldFlag) is retried with the same id until its
//     deadline instead, because the agent waits for its answer.
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

// margin is how much earlier than the agent's timeout a hook process gives up.
const margin = time.Second

// leastRead is the least wait for the payload, also if a slow machine let the process run
// only near its deadline or after it: the payload usually is in the pipe, and is spooled.
const leastRead = margin

// drainOutside is how long a hook outside ccdir reads its input before it ends:
// an agent that still writes would get EPIPE otherwise.
const drainOutside = 4 * time.Millisecond

// call is one hook call.
type call struct {
	line
	session, token, socket, dir string
	id                          string
	role                        string // from the environment
	// loss is the answer without a daemon of a hook that decides: "", "ask" or "deny".
	loss     string
	pid      int // of the agent, for calls from outside
	at       time.Time
	payload  []byte
	deadline time.Time
	// signBy is the deadline as long as the daemon has given no sign (line.sign).
	signBy time.Time
}

// Main runs one hook call: args is the hook's name (and externalArg, or flags of api), stdin the payload, environ
// the process's environment. It returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	if len(args) == 2 && args[1] == externalArg && validName(args[0]) {
		return external(args[0], stdin, environ, os.Getuid(), os.Getppid(), proc.Began())
	}
	l, ok := parseLine(args)
	if !ok {
		return 0
	}
	return run(l, stdin, stdout, stderr, environ, proc.Began())
}

// failed is the exit code of a hook process without a valid answer. Agents take it for a
// refusal where the hook decides, and for an error that they show elsewhere.
const failed = 2

// run is Main with the start time as a parameter, from which the agent's timeout counts too.
func run(l line, stdin io.Reader, stdout, stderr io.Writer, environ []string, start time.Time) int {
	c := call{line: l, at: start, deadline: start.Add(l.limit), signBy: start.Add(l.limit)}
	if l.sign > 0 && l.sign < l.limit {
		c.signBy = start.Add(l.sign)
	}
	c.identify(environ)
	if c.session == "" || !validHeader(c.session) || !validHeader(c.token) {
		discard(stdin, drainOutside)
		return c.stray(stderr)
	}
	c.id = newID(start)
	c.loss = onLoss(c.gate, c.dir, c.loss)
	payload, ok := readPayload(stdin, api.MaxHookPayload, max(time.Until(c.deadline), leastRead))
	if !ok {
		return give(api.HookReply{Stdout: c.lossReply()}, stdout, stderr)
	}
	c.payload = payload

	reply, delivered := c.deliver()
	if !delivered {
		reply = api.HookReply{Stdout: c.lossReply()}
	}
	return give(reply, stdout, stderr)
}

// identify takes from the environment whose call it is.
func (c *call) identify(environ []string) {
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
}

// Report makes a call that is worth nothing once it is late, within limit, and gives no reply: without a
// daemon, or outside of a session, it is dropped.
func Report(hook string, payload []byte, environ []string, limit time.Duration) {
	now := time.Now()
	c := call{line: line{hook: hook}, at: now, deadline: now.Add(limit), id: newID(now), payload: payload}
	if c.identify(environ); c.session != "" && validHeader(c.session) && validHeader(c.token) {
		_, _ = c.post(c.deadline)
	}
}

// ReadPayload reads all of r within patience, up to limit bytes.
func ReadPayload(r io.Reader, limit int, patience time.Duration) (payload []byte, ok bool) {
	return readPayload(r, limit, patience)
}

// stray ends a call that does not know its session. A hook that decides is in the settings of
// a session, so its environment was changed, and nobody can be asked.
func (c *call) stray(stderr io.Writer) int {
	if c.gate == "" {
		return 0
	}
	_, _ = io.WriteString(stderr, "ccdir: this hook decides about the tools of a session, and "+api.EnvSession+" does not name it\n")
	return failed
}

// give writes a reply and returns the exit code: an error unless all of it was written.
func give(reply api.HookReply, stdout, stderr io.Writer) int {
	_, err := io.WriteString(stdout, reply.Stdout)
	if err == nil {
		_, err = io.WriteString(stderr, reply.Stderr)
	}
	if err != nil {
		return failed
	}
	return reply.Exit
}

// deliver sends the call to the daemon, or spools it. The reply is valid only if the daemon
// took the call.
func (c *call) deliver() (api.HookReply, bool) {
	if c.hold {
		return c.redial()
	}
	reply, result := c.post(c.signBy)
	if result != unavailable {
		return reply, result == answered
	}
	path, err := c.spool()
	if err != nil || !time.Now().Before(c.signBy) {
		return api.HookReply{}, false
	}
	// A daemon that started after the first attempt may have read the spool before this
	// file was in it: try once more.
	reply, result = c.post(c.signBy)
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
