package api

import (
	"fmt"
	"strings"
)

// Ways to merge a work tree's branch.
const (
	// MergePlain: a fast-forward where that is possible, else a merge commit.
	MergePlain = ""
	// MergeSquash: one commit with all changes.
	MergeSquash = "squash"
	// MergeRebase: each commit again, on top of the target.
	MergeRebase = "rebase"
	// MergeFF: a fast-forward, or an error.
	MergeFF = "ff"
	// MergeNoFF: a merge commit in any case.
	MergeNoFF = "no-ff"
)

// MergeModes lists the ways to merge once.
func MergeModes() []string {
	return []string{MergePlain, MergeSquash, MergeRebase, MergeFF, MergeNoFF}
}

// MergeWorktree is the body of POST /v1/worktrees/merge.
type MergeWorktree struct {
	// Dir is a directory in the repository; Tree is a path, a branch or a session.
	Dir  string `json:"dir"`
	Tree string `json:"tree"`
	// Into is the branch that gets the commits; "" is the one that the tree was made from, or
	// the default branch.
	Into string `json:"into,omitempty"`
	// Mode is one of MergeModes.
	Mode string `json:"mode,omitempty"`
	// Message is the message of a merge or squash commit; "": one is made from the commits.
	Message string `json:"message,omitempty"`
	// Plan: only say what would be done.
	Plan bool `json:"plan,omitempty"`
	// Head and Target are the commits of a plan that was shown: if one of them has moved on,
	// nothing is merged. "": whatever they are.
	Head   string `json:"head,omitempty"`
	Target string `json:"target,omitempty"`
	// Env is the caller's environment, for the name of the committer.
	Env []string `json:"env,omitempty"`
}

// MergedWorktree is the answer to MergeWorktree: what is to be done, or was.
type MergedWorktree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Into   string `json:"into"`
	Mode   string `json:"mode"`
	// Head and Target are the commits of Branch and Into before the merge.
	Head   string `json:"head"`
	Target string `json:"target"`
	// Commits are the subjects of what is merged, the newest first, Files the changed files;
	// both are cut where they are many.
	Commits []string `json:"commits"`
	Files   []string `json:"files"`
	// Conflicts are the files in which it conflicts: then nothing is merged.
	Conflicts []string `json:"conflicts"`
	// Steps say what is done, one sentence each; Asks what a person should know first.
	Steps []string `json:"steps"`
	Asks  []string `json:"asks"`
	// Sessions are those that live in the tree.
	Sessions []string `json:"sessions"`
	// Notes are what a crash had interrupted in the repository before, and was finished.
	Notes []string `json:"notes,omitempty"`
	// Done: it was merged, as Commit. Undo is a ref that has what Into was before.
	Done   bool   `json:"done"`
	Commit string `json:"commit,omitempty"`
	Undo   string `json:"undo,omitempty"`
}

// ConflictPrompt is the prompt that has a session resolve the conflicts of a merge.
func (m MergedWorktree) ConflictPrompt() string {
	files := m.Conflicts
	more := ""
	if n := len(files) - 10; n > 0 {
		files, more = files[:10], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("The branch %s conflicts with %s in: %s. Merge %[2]s into your branch (git merge %[2]s), resolve the conflicts so that both sides keep their meaning, run the tests, and commit.",
		m.Branch, m.Into, strings.Join(files, ", ")+more)
}
