package api

import (
	"fmt"
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
)

// DiffScopes lists the scopes in the order in which they are offered.
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
}

// Why lines of a file are left out.
const (
	LeftOutGenerated  = "generated"   // a program wrote it, by its name or the attribute linguist-generated
	LeftOutLarge      = "large"       // more lines or bytes than a review shows
	LeftOutTotal      = "total"       // the files before it were as much as one answer has
	LeftOutUnreadable = "unreadable"  // it could not be read
	LeftOutNoFile     = "not_regular" // a socket, a pipe, a device
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
	if added > 0 {
		text += fmt.Sprintf(" +%d", added)
	}
	if removed > 0 {
		text += fmt.Sprintf(" −%d", removed)
	}
	return text
}
