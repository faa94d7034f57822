package api

import "time"

// How long an agent lets a hook process run, written into its generated
// settings. The hook process itself gives up a little earlier, so that it
// always ends by itself and silently.
const (
	// HookTimeout is that of every hook that is not named below.
	HookTimeout = 5 * time.Second
	// HookTimeoutSessionEnd: Claude Code cancels SessionEnd hooks early unless
	// they set a timeout of their own.
	HookTimeoutSessionEnd = 10 * time.Second
	// HookTimeoutPermission: a permission request is held until a person
	// answers. Claude Code 2.1 ends it after 600 s if nothing is set.
	HookTimeoutPermission = 24 * time.Hour
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
	// EnvOnLoss is what PreToolUse hooks answer while no daemon can be asked (ask
	// or deny) if the file in EnvDir that says so is gone; not set without a policy.
	EnvOnLoss = "CCDIR_ON_DAEMON_LOSS"
	// EnvRole gives nobody a role: a session has the one that the daemon knows.
	EnvRole = "CCDIR_ROLE"
	// EnvNoStatus, set by the user (-e CCDIR_NO_STATUS=1), leaves the agent's
	// query of the program status protocol (OSC 7501) unanswered.
	EnvNoStatus = "CCDIR_NO_STATUS"
)

// Headers of a hook call: POST /v1/hook with the agent's payload as the body.
const (
	HeaderSession = "Ccdir-Session"
	HeaderToken   = "Ccdir-Token"
	// HeaderHook is the hook's name as in the agent's settings.
	HeaderHook = "Ccdir-Hook"
	// HeaderHookID is made by the hook process and repeated when it redials, so
	// that one call is one event.
	HeaderHookID = "Ccdir-Hook-Id"
	// HeaderPID is the agent's process, in calls from outside a session of ccdir
	// (HeaderSession is empty then, and there is no token: the caller is known by
	// the user at the other end of the socket).
	HeaderPID = "Ccdir-Pid"
	// HeaderRole is a role that the hook's environment claims (EnvRole). The daemon
	// knows the session's role; a claim of another is recorded as refused.
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

// SpooledHook is one file of a session's spool: a hook call that found no
// daemon.
type SpooledHook struct {
	ID      string `json:"id"`
	Hook    string `json:"hook"`
	At      string `json:"at"`
	Token   string `json:"token"`
	Payload []byte `json:"payload"`
	// Answered is what the hook process answered for want of a daemon (ask or
	// deny), "" if nothing.
	Answered string `json:"answered,omitempty"`
}
