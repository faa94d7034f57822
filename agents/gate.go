package agents

import (
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// Gate is a hook that decides whether a tool runs. Agents run the tool if the hook's process
// fails, is killed, is missing or is late; its command line refuses the call then.
type Gate struct {
	Shim string // absolute path of ccdir-shim
	Hook string // as the agent names it
	Form string // of the answer: api.Gate…
	// Limit bounds the hook process, which gives up a little earlier. At least two seconds.
	Limit time.Duration
}

// GateLimit is the limit of a gate that waits for no person.
const GateLimit = api.HookSignTime

// gateRoom is how much longer than the hook process the shell around it waits, and the agent
// longer than the shell: a busy machine delays each of them.
const gateRoom = 15 * time.Second

// Timeout is the agent's timeout for the hook.
func (g Gate) Timeout() time.Duration { return g.Limit + 2*gateRoom }

// gateScript runs "$@" (all but the first) with the agent's standard input. $1 is the number of
// seconds after which the process counts as failed. It needs no more than a POSIX shell: macOS
// has no timeout(1).
//
// A sleep is the clock. Whatever ends first wakes the shell: the hook's keeper ends the sleep, or the
// shell ends the keeper, which kills the hook. Each kills only its own children, so no other
// process with a reused number is hit. What follows is hooks/call.onLoss in shell: without a
// policy, and with on_daemon_loss = "none", the agent goes on as if there were no hook. A call that
// does not run is noted for the daemon, which hears of it by nothing else.
const gateScript = `exec 3<&0 4>&2; t=$1; shift; sleep "$t" 3<&- 4>&- >/dev/null 2>&1 & w=$!; ` +
	`("$@" <&3 3<&- 2>&4 4>&- & p=$!; trap "kill -9 $p; exit 1" TERM; wait $p; r=$?; kill $w; exit $r) 2>/dev/null & k=$!; ` +
	`trap "kill $k $w; exit 2" TERM; wait $w 2>/dev/null && kill $k; wait $k 2>/dev/null && exit 0; ` +
	`l=$` + api.EnvOnLoss + `; { read -r l <"$` + api.EnvDir + `/` + paths.LossFile + `"; } 2>/dev/null; case $l in ""|none) exit 0;; esac; ` +
	`{ d=$` + api.EnvDir + `/` + paths.SpoolDir + `; umask 77; mkdir -p "$d" && echo "$3" >>"$d/` + paths.SpoolGate + `"; } >/dev/null 2>&1; ` +
	`echo "ccdir could not decide about this call, so it did not run: the hook failed or was late. A policy is in force; run ccdir doctor." >&2; exit 2`

// Command is the command line for /bin/sh.
func (g Gate) Command() string {
	return fmt.Sprintf("set -- %d %s hook %s %s%s %s%d; %s", int((g.Limit+gateRoom)/time.Second), ShellQuote(g.Shim), g.Hook,
		api.HookGateFlag, g.Form, api.HookTimeoutFlag, int(g.Limit/time.Second), gateScript)
}
