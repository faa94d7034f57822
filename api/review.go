package api

import (
	"fmt"
	"strings"
	"time"
)

// DiffScope says what a session's files are compared with.
type DiffScope string

// The scopes. They are values of the API.
const (
	// DiffTurn is one turn: from its beginning to its end, or to now while it runs.
	DiffTurn DiffScope = "turn"
	// DiffSeen is what is new since a person last looked (DiffSeenUpTo); all before that.
	DiffSeen DiffScope = "seen"
	// DiffSession is everything since the session began.
	DiffSession DiffScope = "session"
	// DiffBase is everything since the branch left the default branch.
	DiffBase DiffScope = "base"
	// DiffUncommitted is what differs from HEAD.
	DiffUncommitted DiffScope = "uncommitted"
	// DiffPlan is no difference of files: the plan that the agent asks approval for, as the file PlanPath. Its head is the id of
	// that request. It is there only as long as the request is open.
	DiffPlan DiffScope = "plan"
)

// PlanPath is the name of a plan as a file of DiffPlan.
const PlanPath = "plan.md"

// DiffScopes lists the scopes of files in the order in which they are offered.
func DiffScopes() []DiffScope {
	return []DiffScope{DiffTurn, DiffSeen, DiffSession, DiffBase, DiffUncommitted}
}

// DiffQuestion selects a difference: the query of GET /v1/sessions/ID/diff.
type DiffQuestion struct {
	// Scope "" is DiffTurn.
	Scope DiffScope
	// Turn is the number of a turn, with DiffTurn alone; 0 is the last one.
	Turn int
	// Stat leaves the lines out.
	Stat bool
	// Patch asks for ReviewDiff.Patch, and leaves the lines out.
	Patch bool
	// Paths are files or folders, from the top of the work tree; none: all. A generated or large
	// file that is named is not left out.
	Paths []string
}

// DiffSeenUpTo is the body of POST /v1/sessions/ID/diff/seen.
type DiffSeenUpTo struct {
	// Head is the ReviewDiff.Head up to which a person has looked: DiffSeen begins there.
	Head string `json:"head"`
}

// ReviewDiff is a difference between two states of a session's work tree.
type ReviewDiff struct {
	Scope DiffScope `json:"scope"`
	// Turn counts the turns that ccdir saw of the session, from 1; null with other scopes.
	Turn *int `json:"turn"`
	// Base and Head are the commits that are compared: of the repository, or snapshots of ccdir
	// (docs/review.md). The base of an empty history is an empty tree.
	Base string `json:"base"`
	Head string `json:"head"`
	// Running: the turn has not ended, so that Head is the work tree as it is now.
	Running bool `json:"running,omitempty"`
	// Note says in one line in what it is less than it should be; "" is nothing.
	Note string `json:"note,omitempty"`
	// Added and Removed count the lines of all files; files whose lines are not known add none.
	Added   int          `json:"added"`
	Removed int          `json:"removed"`
	Files   []ReviewFile `json:"files"`
	// Patch is the whole difference as `git apply` takes it, if it was asked for; base64 in JSON. Files
	// whose LeftOut is another than generated are not in it.
	Patch []byte `json:"patch,omitempty"`
}

// NotInPatch are the files that Patch lacks, each with why, in one line.
func (d ReviewDiff) NotInPatch() (lines []string) {
	for _, f := range d.Files {
		if f.LeftOut != "" && f.LeftOut != LeftOutGenerated {
			lines = append(lines, fmt.Sprintf("%q is not in the patch (%s)", f.Path, strings.ReplaceAll(f.LeftOut, "_", " ")))
		}
	}
	return lines
}

// Statuses of a file in a difference.
const (
	FileAdded   = "added"
	FileChanged = "changed"
	FileRemoved = "removed"
	FileRenamed = "renamed"
)

// ReviewFile is a file of a difference. Path and OldPath are foreign text with slashes, from the top
// of the work tree; what is not UTF-8 in them is U+FFFD.
type ReviewFile struct {
	Path string `json:"path"`
	// OldPath is its name before; "" unless it was renamed.
	OldPath string `json:"old_path,omitempty"`
	Status  string `json:"status"`
	// OldMode and Mode are git's modes ("100755", "120000" a link, "160000" a submodule); "" unless
	// they differ, or tell that it is no plain file.
	OldMode string `json:"old_mode,omitempty"`
	Mode    string `json:"mode,omitempty"`
	// Added and Removed count lines; null for files that have none, or whose lines are not known.
	Added   *int `json:"added"`
	Removed *int `json:"removed"`
	Binary  bool `json:"binary"`
	// LeftOut is why Hunks has not all of it: one of the LeftOut… constants; "" if it has.
	LeftOut string       `json:"left_out,omitempty"`
	Hunks   []ReviewHunk `json:"hunks"`
	// Content identifies what the file is now: git's id; "" if it is removed, or not known.
	Content string `json:"content,omitempty"`
	// Viewed: a person has noted that they have seen this content of it (ReviewViewed).
	Viewed bool `json:"viewed,omitempty"`
}

// ReviewViewed is the body of POST /v1/sessions/ID/review/viewed: a person has seen a file as it is in a difference, or not.
type ReviewViewed struct {
	Path string `json:"path"`
	// Content is ReviewFile.Content: with another one the file counts as not seen.
	Content string `json:"content"`
	Viewed  bool   `json:"viewed"`
}

// Why lines of a file are left out.
const (
	LeftOutGenerated  = "generated"   // a program wrote it, by its name or the attribute linguist-generated
	LeftOutLarge      = "large"       // more lines or bytes than a review shows
	LeftOutTotal      = "total"       // the files before it were as much as one answer has
	LeftOutUnreadable = "unreadable"  // it could not be read
	LeftOutNoFile     = "not_regular" // a socket, a pipe, a device
	LeftOutLate       = "late"        // outside of git: what it was before a tool wrote it was not read in time
)

// ReviewHunk is a run of lines around changes. Old and New count from 1; a side without lines is at the
// line before, 0 at the beginning.
type ReviewHunk struct {
	OldStart int          `json:"old_start"`
	OldLines int          `json:"old_lines"`
	NewStart int          `json:"new_start"`
	NewLines int          `json:"new_lines"`
	Lines    []ReviewLine `json:"lines"`
}

// LineKind is what a line of a hunk is.
type LineKind string

// The kinds of lines.
const (
	LineContext LineKind = "context"
	LineAdded   LineKind = "add"
	LineRemoved LineKind = "remove"
)

// ReviewLine is a line of a hunk. Text is foreign, without the newline; what is not UTF-8 in it is
// U+FFFD.
type ReviewLine struct {
	Kind LineKind `json:"kind"`
	Text string   `json:"text"`
	// NoNewline: the file ends with it, without a newline.
	NoNewline bool `json:"no_newline,omitempty"`
}

// TurnDiff is how much a session's last turn changed. It is replaced, never changed.
type TurnDiff struct {
	Turn int `json:"turn"`
	// Files counts files, Added and Removed their lines as far as they are known.
	Files   int       `json:"files"`
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
	At      time.Time `json:"at"`
}

// Line is the difference in words: "3 files +40 −2".
func (d *TurnDiff) Line() string {
	if d == nil {
		return ""
	}
	return DiffLine(d.Files, d.Added, d.Removed)
}

// Line is the difference in words: "3 files +40 −2".
func (d ReviewDiff) Line() string { return DiffLine(len(d.Files), d.Added, d.Removed) }

// DiffLine says how much differs: "3 files +40 −2", "no file".
func DiffLine(files, added, removed int) string {
	text := "no file"
	switch {
	case files == 1:
		text = "1 file"
	case files > 1:
		text = fmt.Sprintf("%d files", files)
	}
	return text + countLine(added, removed)
}

// countLine is " +40 −2", "" for nothing.
func countLine(added, removed int) (text string) {
	if added > 0 {
		text += fmt.Sprintf(" +%d", added)
	}
	if removed > 0 {
		text += fmt.Sprintf(" −%d", removed)
	}
	return text
}

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
	// Scope DiffPlan: those on the plan that waits for approval go, as the words of its refusal; To and Reviewer are not set then.
	// "": all others, with those on plans that were answered without them.
	Scope DiffScope `json:"scope,omitempty"`
}

// SentComments is the answer to it. Prompt is what the agent was told.
type SentComments struct {
	Round    int             `json:"round"`
	To       string          `json:"to"`
	Prompt   string          `json:"prompt"`
	Comments []ReviewComment `json:"comments"`
}

// ReviewAct is what becomes of changes that a person looks at.
type ReviewAct string

// The acts. They are values of the API.
const (
	// ReviewStage takes changes into git's index.
	ReviewStage ReviewAct = "stage"
	// ReviewPutBack takes them out of the work tree.
	ReviewPutBack ReviewAct = "put_back"
)

// ReviewChange is the body of POST /v1/sessions/ID/review/changes: what becomes of the changes of a file. Those of binary, large and
// unreadable files are refused.
type ReviewChange struct {
	Do ReviewAct `json:"do"`
	// Base and Head are those of the difference that was shown (ReviewDiff); Path is a file of it.
	Base string `json:"base"`
	Head string `json:"head"`
	Path string `json:"path"`
	// Old and New choose among the lines that were removed and added, by their numbers before and after the change. null in
	// both is all of the file, its mode and name with it.
	Old *LineRange `json:"old,omitempty"`
	New *LineRange `json:"new,omitempty"`
}

// LineRange are lines From to End, inclusive, from 1.
type LineRange struct {
	From int `json:"from"`
	End  int `json:"end"`
}

// ReviewChanged is what was staged or put back, or what of it was undone.
type ReviewChanged struct {
	Do   ReviewAct `json:"do"`
	Path string    `json:"path"`
	// Added and Removed count those lines of the difference.
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Line says what was done: "staged main.go +2 −1".
func (c ReviewChanged) Line() string {
	word := "staged "
	if c.Do == ReviewPutBack {
		word = "put back "
	}
	return word + c.Path + countLine(c.Added, c.Removed)
}
