package api

import "time"

// ReviewComment is what somebody says of a session's work. Path, Text, Quote and Reply are foreign text.
type ReviewComment struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	// Path is the file, from the top of the work tree; "" is the whole difference.
	Path string `json:"path"`
	// Line to End, inclusive, count from 1 on Side; 0 is the whole file.
	Line int `json:"line"`
	End  int `json:"end"`
	// Side "old" is what was before the change, "new" what is after it.
	Side DiffSide `json:"side"`
	Text string   `json:"text"`
	// Question wants an answer, and no change.
	Question bool         `json:"question"`
	State    CommentState `json:"state"`
	// Round counts the times that comments were sent to the session, from 1; 0 for a draft.
	Round int `json:"round"`
	// Reply is what the agent said of it; "" until it did.
	Reply string `json:"reply"`

	// Quote are the lines Line to End as they were, without newlines.
	Quote []string `json:"quote,omitempty"`
	// Scope, Base and Head are of the difference in which it was written.
	Scope DiffScope `json:"scope,omitempty"`
	Base  string    `json:"base,omitempty"`
	Head  string    `json:"head,omitempty"`
	// Author is the session whose agent wrote it; "" is a person.
	Author string `json:"author,omitempty"`
	// To is the session to which it was sent, where that is not Session.
	To string `json:"to,omitempty"`
	// Stale: its lines were not as quoted any more when it was sent; Line, End and Head are of before then.
	Stale bool      `json:"stale,omitempty"`
	At    time.Time `json:"at"`
}

// DiffSide is a side of a difference.
type DiffSide string

// The sides.
const (
	SideOld DiffSide = "old"
	SideNew DiffSide = "new"
)

// CommentState is the fate of a comment.
type CommentState string

// The fates. A sent comment stays CommentSent until the agent replies to it, or the turn that took it has ended; later
// turns may still change what became of it, until the next round. Its lines are followed through what was changed: others that come or go
// above them are no change of them.
const (
	CommentDraft     CommentState = "draft"
	CommentSent      CommentState = "sent"
	CommentChanged   CommentState = "changed"   // its lines are not as they were
	CommentAnswered  CommentState = "answered"  // the agent replied to it
	CommentUntouched CommentState = "untouched" // neither
)

// NewComment is the body of POST /v1/sessions/ID/review/comments. A comment on lines that are not in the
// difference is refused, with the text that stands there.
type NewComment struct {
	Path     string    `json:"path"`
	Line     int       `json:"line,omitempty"`
	End      int       `json:"end,omitempty"`  // 0 is Line
	Side     DiffSide  `json:"side,omitempty"` // "" is SideNew
	Text     string    `json:"text"`
	Question bool      `json:"question,omitempty"`
	Scope    DiffScope `json:"scope,omitempty"` // "" is DiffTurn
	Turn     int       `json:"turn,omitempty"`
}

// EditComment is the body of PATCH /v1/sessions/ID/review/comments/COMMENT: of drafts alone.
type EditComment struct {
	Text     *string `json:"text,omitempty"`
	Question *bool   `json:"question,omitempty"`
}

// SendComments is the body of POST /v1/sessions/ID/review/send: all drafts go as one prompt, once.
type SendComments struct {
	// Request makes it once: the same one again sends nothing more, and answers the same. "" is the call's idempotency key.
	Request string `json:"request,omitempty"`
	// To is the session that gets them; "" is the one whose work it is.
	To string `json:"to,omitempty"`
	// Reviewer: a new session with the role reviewer gets them, in the same directory.
	Reviewer bool `json:"reviewer,omitempty"`
	// Words come before the comments; optional.
	Words string `json:"words,omitempty"`
}

// SentComments is the answer to it.
type SentComments struct {
	Round    int             `json:"round"`
	To       string          `json:"to"`
	Prompt   string          `json:"prompt"`
	Comments []ReviewComment `json:"comments"`
}
