package api

import (
	"fmt"
	"time"
)

// Worktree is one work tree of a git repository, as `ccdir worktree ls --json` prints it.
type Worktree struct {
	// Path is absolute. Repo is the repository's main work tree, or the repository itself
	// if that is bare.
	Path string `json:"path"`
	Repo string `json:"repo"`
	// Branch is the branch that is checked out, "" for a commit without branch. Head is the
	// commit, "" before the first one.
	Branch string `json:"branch"`
	Head   string `json:"head"`
	// Main: it is the main work tree, which is never removed.
	Main bool `json:"main"`
	// Dirty counts tracked files that differ from Head, staged or not, Untracked the files
	// that git does not know, Ignored the ignored ones that were not brought in when the
	// work tree was made (a folder that is ignored whole counts as one).
	Dirty     int `json:"dirty"`
	Untracked int `json:"untracked"`
	// NotCompared counts tracked files that may differ and that only a filter's program, such as
	// git-lfs, could compare: looking runs none. They do not count as changes.
	NotCompared int `json:"not_compared,omitempty"`
	Ignored     int `json:"ignored"`
	// Ahead and Behind count commits compared with the branch's upstream, or with Target if
	// it has none.
	Ahead  int `json:"ahead"`
	Behind int `json:"behind"`
	// Target is the branch that Merged is about: the repository's default branch, or the
	// branch from which this one was made; "" if there is none.
	Target string `json:"target,omitempty"`
	// Merged is the check by which all its commits are in Target.
	Merged Merged `json:"merged"`
	// Sessions are the ids of the sessions that run inside it.
	Sessions []string `json:"sessions"`
	// Removable: it can be removed without a question; Why is the reason if not.
	Removable bool   `json:"removable"`
	Why       string `json:"why"`
	// Size is what its files take, in bytes; 0 if it was not asked for.
	Size int64 `json:"size,omitempty"`
	// Missing: git lists it, and its directory is gone. Locked is git's reason for which it
	// must stay, "" if there is none.
	Missing bool   `json:"missing,omitempty"`
	Locked  string `json:"locked,omitempty"`
	// Error says why facts are missing, in one line.
	Error string `json:"error,omitempty"`
	// Node is the machine that it is on, "" this one; clients of several set it.
	Node string `json:"-"`
}

// Merged is the name of a check by which a branch is merged, "" if none holds. In JSON "" is
// false.
type Merged string

// The checks, in the order in which they are made. The last two need git 2.38 or newer.
const (
	// MergedSame: both are the same commit.
	MergedSame Merged = "same-commit"
	// MergedAncestor: the target contains the commit.
	MergedAncestor Merged = "ancestor"
	// MergedEmpty: the commits of the branch change nothing together.
	MergedEmpty Merged = "no-changes"
	// MergedTree: both have the same files.
	MergedTree Merged = "same-tree"
	// MergedNothing: a merge would change nothing in the target.
	MergedNothing Merged = "merge-adds-nothing"
	// MergedPatch: the target has commits with the same changes, each by itself or all as
	// one.
	MergedPatch Merged = "patch-id"
)

// MarshalJSON writes the name, or false.
func (m Merged) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("false"), nil
	}
	return []byte(`"` + m + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Merged) UnmarshalJSON(data []byte) error {
	*m = ""
	if len(data) > 2 && data[0] == '"' {
		*m = Merged(data[1 : len(data)-1])
	}
	return nil
}

// NewWorktree is the body of POST /v1/worktrees.
type NewWorktree struct {
	// Dir is a directory in the repository, absolute: the new work tree starts from what is
	// checked out there.
	Dir string `json:"dir"`
	// Branch is its branch, made if it does not exist.
	Branch string `json:"branch"`
	// Base is the commit or branch that a new branch begins at; "" is what is checked out
	// at Dir.
	Base string `json:"base,omitempty"`
	// Fetch brings the base up to date from its remote first.
	Fetch bool `json:"fetch,omitempty"`
	// Path is where it is made; "" is the configured place.
	Path string `json:"path,omitempty"`
	// Carry brings along what no commit has at Dir: staged, changed and new files. The new
	// branch then begins at the commit there.
	Carry bool `json:"carry,omitempty"`
	// Env is the caller's environment, for git.
	Env []string `json:"env,omitempty"`
}

// WorktreeMade is the answer to NewWorktree.
type WorktreeMade struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Head   string `json:"head"`
	// Dir is the directory in it that corresponds to the caller's.
	Dir string `json:"dir"`
	// From says where the branch begins, in words: "main@1a2b3c4, 12 behind origin/main".
	From string `json:"from"`
	// Existed: the branch had this work tree already.
	Existed bool `json:"existed,omitempty"`
	// Port is the first of ten ports that are this branch's (CCDIR_PORT).
	Port int `json:"port"`
	// Carried counts the files that came along from the caller's work tree without a commit.
	Carried int `json:"carried,omitempty"`
	// Copied and Linked count ignored files that were brought along, CopiedBytes their size;
	// Cloned of them share the disk's blocks with the original.
	Copied      int   `json:"copied,omitempty"`
	CopiedBytes int64 `json:"copied_bytes,omitempty"`
	Cloned      int   `json:"cloned,omitempty"`
	Linked      int   `json:"linked,omitempty"`
	// SetupCommand is the one of the project, "" for none; Wait: the agent starts after it.
	// Consent: the person has agreed to this text before.
	SetupCommand string `json:"setup_command,omitempty"`
	Wait         bool   `json:"wait,omitempty"`
	Consent      bool   `json:"consent,omitempty"`
	// Notes are what is special: submodules, sparse checkouts, files that were too large.
	Notes []string `json:"notes,omitempty"`
}

// RemoveWorktree is the body of POST /v1/worktrees/remove.
type RemoveWorktree struct {
	// Dir is a directory in the repository; Tree is a path, a branch or a session.
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Yes answers the questions; without it the call fails where there is one.
	Yes bool `json:"yes,omitempty"`
	// KeepBranch keeps the branch even if it is merged.
	KeepBranch bool `json:"keep_branch,omitempty"`
	// Request is the id of the call, by which a retry finds what it did; it never comes over
	// the wire.
	Request string `json:"-"`
}

// RemovedWorktree is the answer to RemoveWorktree, and an entry of GET /v1/worktrees/trash.
type RemovedWorktree struct {
	// ID is the tree's id in the trash; Trash is the directory that holds everything until Until.
	ID    string `json:"id"`
	Trash string `json:"trash"`
	// Path is where it was, Repo its repository.
	Path   string    `json:"path"`
	Repo   string    `json:"repo"`
	Branch string    `json:"branch"`
	Head   string    `json:"head"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until"`
	// Ref is the snapshot of everything that was there.
	Ref string `json:"ref"`
	// BranchDeleted: the branch was merged (Merged) and is gone, too.
	BranchDeleted bool   `json:"branch_deleted"`
	Merged        Merged `json:"merged"`
	// Left are ignored files that the snapshot lacks, since they are too large; the trash
	// has them.
	Left []string `json:"left,omitempty"`
	// Notes are what a crash had interrupted in the repository before, and was finished.
	Notes []string `json:"notes,omitempty"`
}

// RestoreWorktree is the body of POST /v1/worktrees/restore: ID is the trash's id or path.
type RestoreWorktree struct {
	ID string `json:"id"`
	// Path is where it goes; "" is where it was.
	Path string `json:"path,omitempty"`
	// Request is the id of the call, by which a retry finds what it did; it never comes over
	// the wire.
	Request string `json:"-"`
}

// RestoredWorktree is the answer to RestoreWorktree.
type RestoredWorktree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Head   string `json:"head"`
	// Notes are what is not as before, such as a branch that has moved on.
	Notes []string `json:"notes,omitempty"`
}

// MoveWorktree is the body of POST /v1/worktrees/move.
type MoveWorktree struct {
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Path is the new place, absolute.
	Path string `json:"path"`
}

// PrunedWorktrees is the answer to POST /v1/worktrees/prune.
type PrunedWorktrees struct {
	// Forgotten are work trees whose directory was gone, Expired those whose time in the
	// trash was over, Finished operations that a crash had interrupted, in words.
	Forgotten []string `json:"forgotten"`
	Expired   []string `json:"expired"`
	Finished  []string `json:"finished"`
}

// PruneWorktrees is the body of POST /v1/worktrees/prune.
type PruneWorktrees struct {
	// Dir is a directory in the repository.
	Dir string `json:"dir"`
}

// WorktreeSetup is the answer of GET /v1/worktrees/setup: the setup command that a new work tree
// would have, "" for none. Consent: the person has agreed to this text before.
type WorktreeSetup struct {
	Command string `json:"command"`
	Consent bool   `json:"consent,omitempty"`
}

// SetupConsent is the body of POST /v1/worktrees/consent: the person agrees that a command
// is run in new work trees, or as a check.
type SetupConsent struct {
	// Command is its exact text.
	Command string `json:"command"`
	// Check: it is one of ProjectCheck, and no setup command.
	Check bool `json:"check,omitempty"`
}

// ProjectCheck is a command of [checks] in a project's .ccdir.toml, which tells by its exit code whether
// work is good. GET /v1/worktrees/checks lists them.
type ProjectCheck struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	// Consent: the person has agreed to this text before.
	Consent bool `json:"consent"`
}

// CommitWorktree is the body of POST /v1/worktrees/commit.
type CommitWorktree struct {
	// Dir is a directory in the repository; Tree is a path, a branch or a session.
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Message is the commit's.
	Message string `json:"message"`
	// Env is the caller's environment, for the name of the committer.
	Env []string `json:"env,omitempty"`
}

// CommittedWorktree is the answer to CommitWorktree.
type CommittedWorktree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	// Commit is the new commit, Files is how many files differ in it from the one before.
	Commit string `json:"commit"`
	Files  int    `json:"files"`
}

// PushWorktree is the body of POST /v1/worktrees/push.
type PushWorktree struct {
	// Dir is a directory in the repository; Tree is a path, a branch or a session.
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Plan: only say where it would go.
	Plan bool `json:"plan,omitempty"`
	// Env is the caller's environment, for git.
	Env []string `json:"env,omitempty"`
}

// PushedWorktree is the answer to PushWorktree: what is to be done, or was.
type PushedWorktree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Head   string `json:"head"`
	// Remote is where it goes, New: the remote had no such branch when they last met; else
	// Commits is how many it lacks.
	Remote  string `json:"remote"`
	New     bool   `json:"new,omitempty"`
	Commits int    `json:"commits"`
	// Done: it was pushed.
	Done bool `json:"done"`
}

// Clash is a Conflict as one of its sessions shows it.
type Clash struct {
	// Session is the id of the other one, Name its name.
	Session string `json:"session"`
	Name    string `json:"name"`
	// Kind is the Conflict's kind, Path the first of its files.
	Kind string `json:"kind"`
	Path string `json:"path"`
}

// Kinds of a Conflict.
const (
	// ConflictLines: a merge of the two would conflict.
	ConflictLines = "lines"
	// ConflictFile: both changed the same files, and a merge would succeed.
	ConflictFile = "file"
)

// Conflict is a pair of sessions of one repository whose work would collide, as
// `ccdir conflicts --json` prints it.
type Conflict struct {
	// Repo is the main work tree, A and B are the ids of the sessions.
	Repo string `json:"repo"`
	A    string `json:"a"`
	B    string `json:"b"`
	// Kind is one of the Conflict constants; Paths are the files.
	Kind  string   `json:"kind"`
	Paths []string `json:"paths"`
}

// PullRequest is a branch's pull request on a forge (merge request on GitLab).
type PullRequest struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	// State is open, merged or closed.
	State string `json:"state"`
	Draft bool   `json:"draft,omitempty"`
	// Checks is one of the Checks constants, "" if there are none.
	Checks string `json:"checks,omitempty"`
	// Failing are the checks that failed.
	Failing []Check `json:"failing,omitempty"`
}

// PullRequestOpen is the State of one that is neither merged nor closed.
const PullRequestOpen = "open"

// Check is a check of a pull request.
type Check struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// What the checks of a pull request say together.
const (
	ChecksPassing = "passing"
	ChecksFailing = "failing"
	ChecksPending = "pending"
)

// NewPullRequest is the body of POST /v1/worktrees/pr.
type NewPullRequest struct {
	// Dir is a directory in the repository; Tree is a path, a branch or a session.
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Draft, Title, Text and Base are those of the pull request; "" is made of the commits, and
	// the forge's default branch.
	Draft bool   `json:"draft,omitempty"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	Base  string `json:"base,omitempty"`
	// Look: only say what there is, push and make nothing.
	Look bool `json:"look,omitempty"`
	// SendFailing sends the log of a failing check to the session in the tree.
	SendFailing bool `json:"send_failing,omitempty"`
	// Env is the caller's environment, for git and the forge's program.
	Env []string `json:"env,omitempty"`
}

// BranchPullRequest is the answer to NewPullRequest.
type BranchPullRequest struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	// Sessions live in the tree.
	Sessions []string `json:"sessions"`
	// Request is the pull request, nil if there is none; Made: it is new.
	Request *PullRequest `json:"request"`
	Made    bool         `json:"made,omitempty"`
	// Sent is the check whose log was sent to the session, "" for none.
	Sent string `json:"sent,omitempty"`
}

// Note returns what keeps a work tree from being used, or from being looked at whole, in a line;
// "" for nothing.
func (w Worktree) Note() string {
	switch {
	case w.Missing:
		return "its directory is gone: `ccdir worktree prune` forgets it"
	case w.Error != "":
		return w.Error
	case w.Locked != "":
		return "locked: " + w.Locked
	case w.NotCompared > 0:
		return fmt.Sprintf("%d not compared: only a filter could", w.NotCompared)
	}
	return ""
}
