package mcpserver

import (
	"context"
	"time"

	"ccdir/api"
)

// Control is the interface of the coordination tools to sessions, queue, mailbox and
// approvals, filled in by the daemon. A nil field has no tools.
type Control struct {
	Sessions Sessions
	Tasks    Tasks
	Messages Messages
	Asker    Asker
	Past     Past
	Docs     Docs
	Forge    Forge
	Reviews  Reviews
}

// Sessions are the sessions of ccdir. ref is an id, a unique prefix or a name.
// Errors are api.Errors, for the model to read.
type Sessions interface {
	List() []api.Session
	Get(ctx context.Context, ref string) (api.Session, error)
	// Output is the screen as text; with history also the scrollback.
	Output(ctx context.Context, ref string, history bool) (string, error)
	// Spawn starts a session for the caller, within its limits.
	Spawn(ctx context.Context, caller Caller, n api.NewSession) (api.Session, error)
	// Send sends a prompt; with wait, when the session accepts one.
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	// Wait blocks until ok holds for the session.
	Wait(ctx context.Context, ref string, ok func(api.Session) bool) (api.Session, error)
	Stop(ctx context.Context, ref string, force bool) (api.Session, error)
	// Progress records what the session's agent is doing.
	Progress(ctx context.Context, session, text string) error
}

// Tasks is the queue.
type Tasks interface {
	Add(ctx context.Context, caller Caller, t api.NewTask) (api.Task, error)
	List(ctx context.Context) ([]api.Task, error)
	// Get takes an id or a name.
	Get(ctx context.Context, ref string) (api.Task, error)
}

// Reviews are what is said of sessions' work.
type Reviews interface {
	// CommentsFor lists what an agent was sent, and what was said of its work, oldest first.
	CommentsFor(ctx context.Context, session string) ([]api.ReviewComment, error)
	// Turn compares the files of a session with what they were when its present turn began; root is where their paths begin.
	Turn(ctx context.Context, session string, q api.DiffQuestion) (d api.ReviewDiff, root string, err error)
	// Reply keeps what the agent of a session says of such a comment.
	Reply(ctx context.Context, session, id, text string) (api.ReviewComment, error)
	// Comment keeps a draft of an author, a session, on the work of another one. may decides which files the author may
	// read, by absolute paths; nil: all.
	Comment(ctx context.Context, author, ref string, n api.NewComment, may func(path string) bool) (api.ReviewComment, error)
}

// Messages are the mailboxes.
type Messages interface {
	// Send puts a message of from into the mailbox of to: a session, or api.Person.
	Send(ctx context.Context, from Caller, to, text string, reply int64) (api.Message, error)
	// Inbox lists messages, the oldest first; all: acknowledged ones too.
	Inbox(ctx context.Context, session string, all bool, limit int) ([]api.Message, error)
	// Ack acknowledges messages of the session and returns how many were pending.
	Ack(ctx context.Context, session string, ids []int64) (int, error)
}

// Asker asks the user.
type Asker interface {
	Ask(ctx context.Context, caller Caller, q Question) (Reply, error)
}

// Question is a question to the user.
type Question struct {
	Text     string
	Choices  []string // empty: free text
	Multiple bool
	Timeout  time.Duration
	// Call identifies the call, so that a retry joins the question in flight.
	Call string
}

// Reply is the user's reply.
type Reply struct {
	// Text is a choice (several: one per line) or free text; Answered is false if
	// nobody answered in time.
	Text     string
	Answered bool
	// Declined: the user refused to answer; Text says why.
	Declined bool
}

// Past searches the results of earlier calls.
type Past interface {
	Search(ctx context.Context, q PastQuery) ([]PastResult, error)
}

// Docs finds documentation of the versions that the work tree around a directory uses. may
// decides which files the caller may read, by absolute paths; nil: all.
type Docs interface {
	Lookup(ctx context.Context, q api.DocsQuestion, may func(path string) bool) (api.DocsAnswer, error)
	Read(ctx context.Context, dir, id string, may func(path string) bool) (api.DocsHit, error)
}

// PastQuery selects results.
type PastQuery struct {
	// Text are words that must occur in the call or its output; "" matches all.
	Text string
	// Dir selects calls in that directory and below.
	Dir string
	// Tool and Session select by equality; Failed those that failed.
	Tool, Session string
	Failed        bool
	Limit         int
}

// PastResult is the result of an earlier call.
type PastResult struct {
	ID      int64     `json:"id"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Tool    string    `json:"tool"`
	Input   string    `json:"input" jsonschema:"arguments, shortened"`
	Outcome string    `json:"outcome"`
	Summary string    `json:"summary"`
	Output  string    `json:"output" jsonschema:"the part of the output that fits, shortened"`
	// Next are the calls that followed in the same session.
	Next []PastStep `json:"next" jsonschema:"what the same session did next"`
}

// PastStep is a call that followed another.
type PastStep struct {
	At      time.Time `json:"at"`
	Tool    string    `json:"tool"`
	Input   string    `json:"input"`
	Outcome string    `json:"outcome"`
	Summary string    `json:"summary"`
}
