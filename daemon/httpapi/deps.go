package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/journal"
	"ccdir/internal/tune/timer"
	"ccdir/wire"
)

// Sessions is the registry of sessions. ref is an id, a unique prefix of one, or a name.
type Sessions interface {
	// CreateOnce starts a session, or returns the existing one with the same
	// NewSession.Request (known).
	CreateOnce(ctx context.Context, n api.NewSession) (s api.Session, known bool, err error)
	Get(ctx context.Context, ref string) (api.Session, error)
	Resolve(ref string) (id string, err error)
	// Version returns api.Session.Version. It waits for nothing to be saved.
	Version(ctx context.Context, ref string) (string, error)
	Remove(ctx context.Context, ref string) error
	Explain(ctx context.Context, ref string) (api.Explanation, error)
	HostAddress(ctx context.Context, ref string) (api.HostAddress, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Input(ctx context.Context, ref string, in api.RawInput) error
	Resize(ctx context.Context, ref string, size api.Resize) error
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)
	Restart(ctx context.Context, ref string) (api.Session, error)
	// RestartWith is Restart with another account.
	RestartWith(ctx context.Context, ref, account string) (api.Session, error)
	Park(ctx context.Context, ref string, byHand bool) (api.Session, error)
	WhyNotPark(ctx context.Context, ref string) (string, error)
	Wake(ctx context.Context, ref string) (api.Session, error)
	// SetResume says whether a session goes on after usage limits.
	SetResume(ctx context.Context, ref string, how api.Resume) (api.Session, error)
	// Reset is Restart with a new conversation.
	Reset(ctx context.Context, ref string) (api.Session, error)
	// Fork starts a second session that goes on from the conversation.
	Fork(ctx context.Context, ref string, f api.Fork) (api.Session, error)
	// SetModel gives an agent another model; one that rests is started again for that.
	SetModel(ctx context.Context, ref, model string) (api.Session, error)
	Rename(ctx context.Context, ref, name string) (api.Session, error)
	Mark(ctx context.Context, ref string, m api.SetMarks) (api.Session, error)
	Focus(ctx context.Context, ref string) error
	Seen(ctx context.Context, ref string) error
	// Snooze hides for d that the session waits for a person; 0 ends that.
	Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error)
	Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error)
	// Lines returns count lines of history and screen as cells, from the line with number
	// from on; from nil: the last ones; count 0: the screen.
	Lines(ctx context.Context, ref string, from *uint64, count int) (api.Screen, error)
}

// Log is the event log.
type Log interface {
	Server() api.Server
	// Values returns the sessions, oldest first.
	Values() []*journal.Value
	// Wait blocks until the session satisfies ok.
	Wait(ctx context.Context, id string, ok func(api.Session) bool) (api.Session, error)
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
	// Tail calls each for every event after f.Since, until ctx ends or each fails.
	Tail(ctx context.Context, f api.EventFilter, each func(api.Event) error) error
	// Watch subscribes; the first message of next is a snapshot.
	Watch() (next func(context.Context) ([]*journal.Message, error), stop func())
}

// Deps are the parts of the daemon that the API serves.
type Deps struct {
	// Env is the environment of sessions and tasks whose callers give none.
	Env      []string
	Sessions Sessions
	Log      Log
	// Alarms are the timers of streams; nil is usable.
	Alarms *timer.Clock
	// BodyWait bounds the wait for the next part of a body; 0 is 30 s.
	BodyWait time.Duration
	// Callers identifies the sessions that callers run in, Insiders decides what such
	// callers may do. Callers nil: every caller is the person.
	Callers  access.Callers
	Insiders Insiders
	// Approvals are the open permission requests.
	Approvals Approvals
	// Keys saves idempotency records; nil: keys are ignored.
	Keys Keys
	// Pause is called at the points of a call with a key (PauseCallBegun …), for tests;
	// nil in programs.
	Pause func(point string)
	// Grid keeps the arrangement of the grid.
	Grid Grid
	// Past restores sessions that ran before a reboot.
	Past Past
	// Tasks is the queue.
	Tasks Tasks
	// MCP serves api.MCPPath; nil: it is not served.
	MCP http.Handler
	// Messages are the mailboxes.
	Messages Messages
	// Policy has the rules for sessions, Ledger the record of decisions.
	Policy Policy
	Ledger Ledger
	// History has ended sessions and tasks.
	History History
	// Conversations are what the agents said.
	Conversations Conversations
	// Pending are the prompts that wait for their sessions.
	Pending Pending
	// Schedules make work come in by itself.
	Schedules Schedules
	// Watches make tasks of issues.
	Watches Watches
	// Reactions are commands that events start.
	Reactions Reactions
	// Reviews compare what sessions did.
	Reviews Reviews
	// Hook serves POST /v1/hook.
	Hook http.Handler
	// Agents lists the agents that can be started; path is the caller's PATH, "" for the
	// daemon's.
	Agents func(path string) []api.AgentInfo
	// Accounts lists the sign-ins of agents.
	Accounts func() []api.Account
	// Directories lists repositories and directories used lately.
	Directories func(ctx context.Context) ([]api.Directory, error)
	// Repos lists git repositories; status: with counts of changed files from git.
	Repos func(ctx context.Context, status bool) ([]api.Repo, error)
	// Worktrees are the work trees of git repositories.
	Worktrees Worktrees
	// Docs looks up documentation.
	Docs Docs
	// Web is the page.
	Web Web
	// Usage knows what is left of limits, and what was used.
	Usage Usage
	// Process returns the memory and number of a session's processes.
	Process func(ctx context.Context, ref string) (api.ProcessUse, error)
	// Config is the redacted configuration, for JSON.
	Config func() any
	// Shutdown asks the daemon to stop; it does not wait.
	Shutdown func(api.Stop)
	Logger   *slog.Logger
}
