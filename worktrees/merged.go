package worktrees

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// maxPatches bounds the commits of a target whose changes are compared with a branch's.
const maxPatches = 1000

// isMerged returns the first check by which a commit is merged into a target. The answer
// for two commits never changes, so it is remembered.
func (k *Keeper) isMerged(ctx context.Context, r *Repo, head, target string) (api.Merged, error) {
	return remembered(k, k.merged, pair{r.Common, head, target}, func() (api.Merged, error) {
		return merged(ctx, r, head, target)
	})
}

// merged makes the six checks, the cheap ones first.
func merged(ctx context.Context, r *Repo, head, target string) (api.Merged, error) {
	if head == target {
		return api.MergedSame, nil
	}
	git := run{dir: r.Common}
	switch _, err := git.git(ctx, "merge-base", "--is-ancestor", head, target); {
	case err == nil:
		return api.MergedAncestor, nil
	case !said(err, 1):
		return "", err
	}
	base, err := git.line(ctx, "merge-base", head, target)
	if err != nil {
		if said(err, 1) { // unrelated histories
			return "", nil
		}
		return "", err
	}
	trees, err := git.line(ctx, "rev-parse", base+"^{tree}", head+"^{tree}", target+"^{tree}")
	if err != nil {
		return "", err
	}
	tree := strings.Split(trees, "\n")
	if len(tree) != 3 {
		return "", fmt.Errorf("git names %d trees of three", len(tree))
	}
	switch {
	case tree[1] == tree[0]:
		return api.MergedEmpty, nil
	case tree[1] == tree[2]:
		return api.MergedTree, nil
	}
	look, err := gitstatus.NewLook(ctx, r.Common)
	if err != nil {
		return "", err
	}
	defer look.Close()
	git.look = look
	version, _ := gitVersion(ctx)
	if newEnough(version, mergeTreeSince) {
		switch m, err := mergeTree(ctx, git, target, head); {
		case err != nil:
			return "", err
		case m.clean() && m.tree == tree[2]:
			return api.MergedNothing, nil
		}
	}
	same, err := patchesIn(ctx, look, base, head, target)
	if err != nil || !same {
		return "", err
	}
	return api.MergedPatch, nil
}

// mergeResult is the result that a merge of two commits would have.
type mergeResult struct {
	tree string
	// conflicts are the files in which it conflicts.
	conflicts []string
}

func (m mergeResult) clean() bool { return len(m.conflicts) == 0 }

// mergeTree merges two commits without any work tree, by a git that looks. A file that needs a
// merge driver of the repository counts as a conflict.
func mergeTree(ctx context.Context, git run, ours, theirs string) (m mergeResult, err error) {
	out, err := git.git(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	if err != nil && !said(err, 1) {
		return m, err
	}
	fields := strings.Split(out, "\x00")
	m.tree = fields[0]
	for _, name := range fields[1:] {
		if name == "" {
			break // messages follow
		}
		m.conflicts = append(m.conflicts, name)
	}
	if err != nil && m.clean() {
		m.conflicts = []string{"?"} // git said that there are conflicts
	}
	return m, nil
}

// patchesIn reports whether the target has the changes of base..head: each commit's, or
// all of them as one commit's.
func patchesIn(ctx context.Context, look *gitstatus.Look, base, head, target string) (bool, error) {
	mine, err := patchIDs(ctx, look, head, "--not", target)
	if err != nil {
		return false, err
	}
	theirs, err := patchIDs(ctx, look, fmt.Sprint("--max-count=", maxPatches), target, "--not", head)
	if err != nil {
		return false, err
	}
	known := map[string]bool{}
	for _, id := range theirs {
		known[id] = true
	}
	each := len(mine) > 0
	for _, id := range mine {
		each = each && known[id]
	}
	if each {
		return true, nil
	}
	all, err := patchID(ctx, look, "diff-tree", base, head)
	return len(all) == 1 && known[all[0]], err
}

// patchIDs are the ids of the changes of commits, merges left out.
func patchIDs(ctx context.Context, look *gitstatus.Look, revisions ...string) (ids []string, err error) {
	return patchID(ctx, look, "log", append([]string{"--no-merges", "--no-color", "--no-show-signature", "--format=commit %H"}, revisions...)...)
}

// patchID has git compute the ids of the diffs that a command prints.
func patchID(ctx context.Context, look *gitstatus.Look, command string, args ...string) (ids []string, err error) {
	diff := look.Command(ctx, append([]string{command, "-p", "--binary", "--no-ext-diff", "--no-textconv", "--full-index"}, args...)...)
	read := look.Command(ctx, "patch-id", "--stable")
	pipe, err := diff.StdoutPipe()
	if err != nil {
		return nil, err
	}
	read.Stdin = pipe
	if err := diff.Start(); err != nil {
		return nil, err
	}
	out, err := gitstatus.Output(ctx, read)
	_ = pipe.Close() // the diff of a patch-id that was killed ends, too: else it waits for a reader for ever
	if err = errors.Join(err, diff.Wait()); err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		id, _, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids, nil
}
