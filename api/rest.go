package api

import "encoding/json"

// ConfigDocument is GET /v1/config: the configuration in force. Values of
// environment variables are replaced.
type ConfigDocument struct {
	// File is the file's path, whether it exists or not.
	File string `json:"file"`
	// Problems are the settings that were refused.
	Problems []ConfigProblem `json:"problems"`
	// Config has every key with its value; `ccdir config get` explains them.
	Config map[string]any `json:"config"`
}

// ConfigProblem is a setting of the configuration file that was refused.
type ConfigProblem struct {
	File string `json:"file"`
	// Line counts from 1; 0 if it concerns the whole file.
	Line    int    `json:"line"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// Repo is a git repository (a work tree) that ccdir knows of: one element of GET
// /v1/repos. Configured ones come first, then those with sessions, then those
// used lately.
type Repo struct {
	Name string `json:"name"`
	// Path is the top of the work tree.
	Path string `json:"path"`
	// Configured: it is one of [[repos]].
	Configured bool `json:"configured"`
	// Sessions are the ids of sessions that work inside it and have not ended.
	Sessions []string `json:"sessions"`
	// Branch is the branch that is checked out, "" if none is; Commit is the commit, ""
	// before the first one or if it is not known.
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	// Operation is the git operation in progress: "merge", "rebase", "cherry-pick",
	// "revert", "bisect", "am"; "" if none.
	Operation string `json:"operation,omitempty"`
	// Linked: a work tree whose repository lies elsewhere (git worktree, a
	// submodule).
	Linked bool `json:"linked,omitempty"`
	// Status is nil unless it was asked for and git answered.
	Status *RepoStatus `json:"status,omitempty"`
	// Error is why the repository could not be read; "" if it could.
	Error string `json:"error,omitempty"`
}

// RepoStatus counts what differs in a work tree.
type RepoStatus struct {
	// Changed counts tracked files that differ, Untracked those that git does not
	// know, Conflicts those that could not be merged.
	Changed   int `json:"changed"`
	Untracked int `json:"untracked"`
	Conflicts int `json:"conflicts"`
	// NotCompared counts tracked files that may differ and that only a filter's program could
	// compare; they are not in Changed.
	NotCompared int `json:"not_compared,omitempty"`
	// Upstream is the branch that this one follows, "" if none; Ahead and Behind
	// count commits.
	Upstream string `json:"upstream,omitempty"`
	Ahead    int    `json:"ahead"`
	Behind   int    `json:"behind"`
}

// Reply is the body of POST /v1/sessions/ID/reply: the answer to the session's open
// request.
type Reply struct {
	// Request is the id of the request, if the session asks several things.
	Request string `json:"request,omitempty"`
	// Behavior answers a permission request. A question is answered by Text, and
	// by "deny" to refuse an answer.
	Behavior AnswerBehavior `json:"behavior,omitempty"`
	// Text is one of a question's choices (several: a line each), or free text.
	Text string `json:"text,omitempty"`
	// Message goes to the agent with a denial.
	Message string `json:"message,omitempty"`
	// Always makes an approval last, as far as Scope says, by Rule (see Answer).
	Always bool   `json:"always,omitempty"`
	Scope  string `json:"scope,omitempty"`
	Rule   string `json:"rule,omitempty"`
	// Mode goes with the approval of a plan (see Answer).
	Mode string `json:"mode,omitempty"`
	// Input replaces the tool's input, where the request is editable.
	Input json.RawMessage `json:"input,omitempty"`
}

// Screen is GET /v1/sessions/ID/buffer?format=json: lines of the session's history and
// screen as cells. Lines are numbered from the first that it ever printed; the screen
// begins at line Total.
type Screen struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// Oldest is the number of the oldest line in the history.
	Oldest uint64 `json:"oldest"`
	Total  uint64 `json:"total"`
	// Epoch changes when lines are renumbered (a resize wraps them again).
	Epoch uint64 `json:"epoch"`
	// Cursor is the text cursor; null if the session has ended or its host is too old to
	// report it.
	Cursor *ScreenCursor `json:"cursor"`
	Lines  []ScreenLine  `json:"lines"`
}

// ScreenCursor is the text cursor.
type ScreenCursor struct {
	// X is its column, Y its row on the screen, both from 0: it is in line Total+Y.
	X int `json:"x"`
	Y int `json:"y"`
	// Visible: the application shows it.
	Visible bool `json:"visible"`
	// Shape is DECSCUSR's number: 0 default, 1 and 2 block, 3 and 4 underline, 5 and
	// 6 bar; odd ones blink.
	Shape int `json:"shape"`
}

// ScreenLine is one line.
type ScreenLine struct {
	Line uint64 `json:"line"`
	// Text is the line without the blanks at its end.
	Text string `json:"text"`
	// Wrapped: the line continues in the next one.
	Wrapped bool `json:"wrapped,omitempty"`
	// Runs are the cells that are not in the default rendition.
	Runs []ScreenRun `json:"runs,omitempty"`
}

// ScreenRun is a number of cells in one rendition.
type ScreenRun struct {
	// X is the first cell's column, from 0; N counts the cells.
	X int `json:"x"`
	N int `json:"n"`
	// FG and BG are "0" to "255", "#rrggbb", or "" for the default.
	FG string `json:"fg,omitempty"`
	BG string `json:"bg,omitempty"`
	// Flags are bold, dim, italic, underline, blink, inverse, hidden and strike.
	Flags []string `json:"flags,omitempty"`
	// Link is where a hyperlink leads.
	Link string `json:"link,omitempty"`
}

// MaxScreenLines bounds the lines of a Screen.
const MaxScreenLines = 1000
