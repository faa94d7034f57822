package api

import "time"

// Timeouts of hook processes in the agents' generated settings. A hook process gives up
// a little earlier, so that it ends by itself and prints nothing.
const (
	// HookTimeout is for every hook that is not named below.
	HookTimeout = 5 * time.Second
	// HookTimeoutEnding is for the hook at the end of a conversation, which agents cancel
	// early unless it sets a timeout of its own.
	HookTimeoutEnding = 10 * time.Second
	// HookSignTime is how long a hook that decides about a tool waits for the daemon's answer, or for
	// its word that it works on the call. Either takes milliseconds, and seconds on a machine with
	// far too much to do.
	HookSignTime = 15 * time.Second
	// HookTimeoutTool: a call that the policy wants to be asked about waits before its tool
	// runs, if the agent cannot ask.
	HookTimeoutTool = 30 * time.Minute
	// HookTimeoutPermission: a permission request is held until a person
	// answers. Claude Code 2.1 ends it after 600 s if nothing is set.
	HookTimeoutPermission = 24 * time.Hour
)

// Flags behind the hook's name in the command line of a hook process. Adapters write them into
// the agents' settings; sessions that an older ccdir started have lines without them.
const (
	// HookTimeoutFlag, with a number of seconds behind it, is the longest that the process may
	// take. It gives up a little earlier.
	HookTimeoutFlag = "--timeout="
	// HookGateFlag is for a hook that decides whether a tool runs. Behind it is the form of its
	// answer: GateOutput or GateDecision.
	HookGateFlag = "--gate="
	GateOutput   = "hookSpecificOutput" // permissionDecision in an object of that name
	GateDecision = "decision"           // a member of that name, and reason
	// HookHoldFlag is for a hook that waits for a person's answer.
	HookHoldFlag = "--hold"
)

// MaxHookPayload bounds the body of a hook call, in bytes.
const MaxHookPayload = 16 << 20

// Environment variables that ccdir sets for a session's process, and that the
// hook, the bridge and the agents' files refer to.
const (
	EnvSession = "CCDIR_SESSION" // the session's id
	EnvToken   = "CCDIR_TOKEN"   // the session's token: authorises its hooks and tools
	EnvSocket  = "CCDIR_SOCKET"  // the daemon's socket
	EnvDir     = "CCDIR_DIR"     // the session's directory (for the spool)
	EnvHome    = "CCDIR_HOME"    // as the user set it, "" otherwise
	// EnvOnLoss is the answer of hooks before a tool call (ask or deny) while no daemon can be
	// reached and the file in EnvDir that has it is gone. Not set without a policy.
	EnvOnLoss = "CCDIR_ON_DAEMON_LOSS"
	// EnvRole is the session's role, for information: the daemon knows the true one.
	EnvRole = "CCDIR_ROLE"
	// EnvWorktree is the git work tree that ccdir made, EnvBranch its branch, EnvPort the first
	// of ten ports that are the branch's. Set for sessions inside of one, and its setup command.
	EnvWorktree = "CCDIR_WORKTREE"
	EnvBranch   = "CCDIR_BRANCH"
	EnvPort     = "CCDIR_PORT"
	// EnvNoStatus, set by the user (-e CCDIR_NO_STATUS=1), leaves the agent's
	// query of the program status protocol (OSC 7501) unanswered.
	EnvNoStatus = "CCDIR_NO_STATUS"
	// EnvHost is the session's directory, in the environment of its host alone: what runs below
	// the host is found by it while no file says so.
	EnvHost = "CCDIR_HOST_DIR"
)

// Headers of a hook call: POST /v1/hook with the agent's payload as the body.
const (
	HeaderSession = "Ccdir-Session"
	HeaderToken   = "Ccdir-Token"
	// HeaderHook is the hook's name as in the agent's settings.
	HeaderHook = "Ccdir-Hook"
	// HeaderHookID is made by the hook process and sent again with each retry, so that
	// one call is one event.
	HeaderHookID = "Ccdir-Hook-Id"
	// HeaderPID is the agent's process, in calls from outside a session of ccdir
	// (HeaderSession is empty then, and there is no token: the caller is known by
	// the user at the other end of the socket).
	HeaderPID = "Ccdir-Pid"
	// HeaderRole is the role in the hook's environment (EnvRole). The daemon records a
	// role that is not the session's as refused.
	HeaderRole = "Ccdir-Role"
	// HeaderAt is when the hook process started (RFC 3339 with nanoseconds).
	HeaderAt = "Ccdir-At"
)

// HookReply is the answer to a hook call: what the hook process prints and how
// it exits.
type HookReply struct {
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	Exit   int    `json:"exit,omitempty"`
}

// SpooledHook is one file of a session's spool: a hook call that reached no daemon.
type SpooledHook struct {
	ID      string `json:"id"`
	Hook    string `json:"hook"`
	At      string `json:"at"`
	Token   string `json:"token"`
	Payload []byte `json:"payload"`
	// Answered is the answer that the hook process gave by itself (ask or deny); "" if it
	// gave none.
	Answered string `json:"answered,omitempty"`
}
