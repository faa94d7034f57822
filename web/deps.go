package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/web/devices"
	"ccdir/web/push"
)

// Sessions are the sessions: sessions.Registry. ref is an id, a unique prefix of one, or a name.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)
	Restart(ctx context.Context, ref string) (api.Session, error)
	Seen(ctx context.Context, ref string) error
	// Create starts a session; one that was started by the same NewSession.Request is returned again.
	Create(ctx context.Context, n api.NewSession) (api.Session, error)
	// Offers are what a session can be started as, and directories for it, on a node ("": here).
	Offers(ctx context.Context, node string) ([]api.AgentInfo, []api.Directory, error)
}

// Nodes are the other machines that this one knows. Their sessions, requests and tasks are among those of
// Log, Sessions, Approvals and Queue, as NODE/ID; what they have is found by Past, their work trees by Trees,
// their windows of limits by Usage.
type Nodes interface {
	// Look has them followed for some minutes more; it waits for nothing.
	Look()
	// List says how each is reached, by name.
	List() []Node
	// Queue is the queue of a node, as far as it is known.
	Queue(node string) api.Queue
	// Usage is what was used on a node, and what is left of limits there. It waits for the node.
	Usage(ctx context.Context, node string, by api.UsageBy, since time.Time) (api.Usage, error)
}

// nodeOnline is the state of a node that can be asked.
const nodeOnline = "online"

// Node is how another machine is reached.
type Node struct {
	Name string
	// Target is ssh's destination, State link.State in words, Reason why it is not online.
	Target, State, Reason string
	// Version is the daemon's there, System its operating system and architecture; "" if not known.
	Version, System string
	// Round is the last round trip; 0 unknown.
	Round time.Duration
	// Seen is when it answered last; zero: never.
	Seen time.Time
}

// Log is the event log.
type Log interface {
	Server() api.Server
	// Sessions returns the sessions, oldest first.
	Sessions() []api.Session
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
	// Watch subscribes; the first message of next is a snapshot.
	Watch() (next func(context.Context) ([]api.WatchMessage, error), stop func())
}

// noNodes is a machine that knows no other ones.
type noNodes struct{}

func (noNodes) Look()                       {}
func (noNodes) List() []Node                { return nil }
func (noNodes) Queue(node string) api.Queue { return api.Queue{Node: node} }
func (noNodes) Usage(_ context.Context, node string, _ api.UsageBy, _ time.Time) (api.Usage, error) {
	return api.Usage{}, api.Errorf(api.CodeNotFound, "there is no node %.60q", node)
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
	// Looked notes that a person has seen the differences up to a snapshot.
	Looked(ctx context.Context, ref, head string) error
	// Comments lists what was said of a session's work, oldest first.
	Comments(ctx context.Context, ref string) ([]api.ReviewComment, error)
	// AddComment keeps a draft; request makes it once.
	AddComment(ctx context.Context, ref string, n api.NewComment, request string) (api.ReviewComment, error)
	DropComment(ctx context.Context, ref, id string) error
	// SendComments sends the drafts as one prompt, once for its request.
	SendComments(ctx context.Context, ref string, in api.SendComments) (api.SentComments, error)
	// SendPlan refuses the plan that waits for approval with the comments on it, once for its request; refuse answers a request.
	SendPlan(ctx context.Context, ref string, in api.SendComments, refuse func(request, message string) error) (api.SentComments, error)
}

// Files keeps what a device attaches to prompts.
type Files interface {
	// Attach keeps a file for a session's agent, and returns where. name is foreign text.
	Attach(ctx context.Context, session, name string, data []byte) (path string, err error)
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
	SumDecisions(ctx context.Context, session string, since time.Time) (api.LedgerSum, error)
}

// Queue is the queue of tasks. ref is a task's id or name.
type Queue interface {
	Tasks(ctx context.Context) ([]api.Task, error)
	Task(ctx context.Context, ref string) (api.Task, error)
	// Add adds tasks, all of them to the queue of the first one's NewTask.Node.
	Add(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	Start(ctx context.Context, ref string) (api.Task, error)
	Cancel(ctx context.Context, ref string) (api.Task, error)
	Queue(ctx context.Context) (api.Queue, error)
	ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error)
}

// Trees are the work trees of git repositories.
type Trees interface {
	// List returns those of the repository around dir, or all that are known for ""; sizes: with what
	// they take on disk.
	List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error)
}

// Usage knows what is left of limits, and what was used.
type Usage interface {
	// Windows are those of all machines, as far as they are known.
	Windows() []api.UsageWindow
	Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error)
	// Prices is the day of the table by which costs are computed.
	Prices() string
}

// Past finds what was said and done.
type Past interface {
	// Search finds places that have all words of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
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
	Files         Files
	Ledger        Ledger
	Queue         Queue
	Trees         Trees
	Usage         Usage
	Past          Past
	// Config is the configuration without secrets, for JSON.
	Config func() any
	Access Access
	// Push tells devices what wants a person; Looking counts the pages that are visible.
	Push    *push.Service
	Looking *atomic.Int32
	// Terminal serves the WebSocket of a session's terminal, as the API's, until the call's context ends;
	// client is the program that is attached. With readOnly input is refused. After an error of it nothing
	// was answered.
	Terminal func(w http.ResponseWriter, r *http.Request, id, client string, readOnly bool) error
	// Nodes are other machines; nil: there are none.
	Nodes Nodes
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
