package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"ccdir/api"
	"ccdir/web/devices"
)

// Sessions are the sessions: sessions.Registry. ref is an id, a unique prefix of one, or a name.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)
	Restart(ctx context.Context, ref string) (api.Session, error)
	Seen(ctx context.Context, ref string) error
}

// Log is the event log.
type Log interface {
	Server() api.Server
	// Sessions returns the sessions, oldest first.
	Sessions() []api.Session
	// Watch subscribes; the first message of next is a snapshot.
	Watch() (next func(context.Context) ([]api.WatchMessage, error), stop func())
}

// Access is what the daemon knows of connections.
type Access interface {
	// Admit bounds the rate of calls, of paired devices and of others; on an error it sets Retry-After.
	Admit(h http.Header, known bool) error
	// Caller returns which process of this machine calls, or why that cannot be told. With looks the
	// call changes nothing, and the answer may be that of an earlier call of the connection.
	Caller(ctx context.Context, looks bool) (api.Origin, error)
	// Known says that a paired device has called on the connection; it fails if there are too many.
	Known(ctx context.Context) error
	// Dismiss closes the connection of a refused call after its answer.
	Dismiss(w http.ResponseWriter)
}

// Approvals are the open permission requests. ref is an id or a unique prefix of one.
type Approvals interface {
	Requests() []api.Request
	Answer(ref, by string, a api.Answer) (api.Decision, error)
}

// Conversations are what agents said.
type Conversations interface {
	// Turns passes on the last turns of a session, in order. An error of each ends it.
	Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
}

// Reviews compare what sessions did.
type Reviews interface {
	Diff(ctx context.Context, ref string, q api.DiffQuestion) (api.ReviewDiff, error)
}

// Pending are the prompts that wait for their sessions.
type Pending interface {
	Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error)
	List(ctx context.Context, session string) ([]api.PendingPrompt, error)
}

// Ledger is the record of decisions.
type Ledger interface {
	// Decisions returns the newest rows that the filter selects, oldest first.
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
}

// Deps are the parts of the daemon that the page shows. All are needed unless it says otherwise.
type Deps struct {
	Devices       *devices.Store
	Sessions      Sessions
	Log           Log
	Approvals     Approvals
	Conversations Conversations
	Reviews       Reviews
	Pending       Pending
	Ledger        Ledger
	Access        Access
	// Refused records a call that was refused: o is the zero value if the caller is not known.
	Refused func(o api.Origin, call, why string)
	// Note records what became of devices, in one line, as an event.
	Note func(message string)
	// Host says whether the page may be called by a name, which is in lower case, without a port.
	Host func(name string) bool
	// Secure: it is served by TLS.
	Secure bool
	// Now is the clock; nil the system's.
	Now    func() time.Time
	Logger *slog.Logger
}
