package worktrees

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// make makes the commit that the target moves to. No tree, index or branch changes.
func (m *merging) make(ctx context.Context) (string, error) {
	switch {
	case m.forward:
		return m.Head, nil
	case m.Mode == api.MergeRebase:
		return m.replay(ctx)
	case m.Mode == api.MergeSquash:
		return m.commit(ctx, m.tree, m.message(ctx), nil, m.Target)
	}
	return m.commit(ctx, m.tree, m.message(ctx), nil, m.Target, m.Head)
}

// commit makes a commit as the caller.
func (m *merging) commit(ctx context.Context, tree, message string, env []string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	in := run{dir: m.source.Path, env: append(append([]string{}, m.in.Env...), env...), user: m.in.Env != nil, stdin: strings.NewReader(message)}
	id, err := in.line(ctx, args...)
	if err != nil {
		return "", api.Errorf(api.CodeInvalid, "the commit could not be made: %v", err)
	}
	return id, nil
}

// message is the message of a merge or squash commit.
func (m *merging) message(ctx context.Context) string {
	switch {
	case m.in.Message != "":
		return m.in.Message
	case m.Mode != api.MergeSquash:
		return fmt.Sprintf("Merge branch '%s' into %s\n", m.Branch, m.Into)
	}
	log, err := run{dir: m.repo.Common}.git(ctx, "log", "-z", "--reverse", "--no-merges", "--format=%B", fmt.Sprint("--max-count=", maxListed), m.Head, "--not", m.Target)
	messages := strings.Split(strings.TrimSuffix(log, "\x00"), "\x00")
	if err == nil && len(messages) == 1 && strings.TrimSpace(messages[0]) != "" {
		return messages[0]
	}
	var b strings.Builder
	b.WriteString(m.Branch + "\n\n")
	for _, one := range messages {
		subject, _, _ := strings.Cut(strings.TrimSpace(one), "\n")
		b.WriteString("* " + subject + "\n")
	}
	return b.String()
}

// replay makes each commit of the branch again on top of the target, oldest first, with its
// author and message. Commits that change nothing there are left out.
func (m *merging) replay(ctx context.Context) (string, error) {
	look, err := gitstatus.NewLook(ctx, m.repo.Common)
	if err != nil {
		return "", err
	}
	defer look.Close()
	git := run{dir: m.repo.Common, env: identity, look: look}
	out, err := git.line(ctx, "rev-list", "--reverse", "--topo-order", "--parents", m.Head, "--not", m.Target)
	if err != nil {
		return "", err
	}
	onto := m.Target
	for line := range strings.SplitSeq(out, "\n") {
		ids := strings.Fields(line)
		if len(ids) != 2 {
			return "", api.Errorf(api.CodeConflict, "%s has a merge or a first commit in it (%s), which cannot be rebased: merge or squash it", m.Branch, short(line))
		}
		if onto, err = m.pick(ctx, git, ids[0], ids[1], onto); err != nil {
			return "", err
		}
	}
	return onto, nil
}

// pick makes one commit again on top of another. git merges around the base that it finds,
// so that the three trees are given commits of their own in which the parent is the base. git looks.
func (m *merging) pick(ctx context.Context, git run, commit, parent, onto string) (string, error) {
	bare := func(of string, parents ...string) (string, error) {
		args := []string{"commit-tree", of + "^{tree}", "-m", "ccdir"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return git.line(ctx, args...)
	}
	base, err := bare(parent)
	if err != nil {
		return "", err
	}
	ours, err := bare(onto, base)
	if err != nil {
		return "", err
	}
	theirs, err := bare(commit, base)
	if err != nil {
		return "", err
	}
	result, err := mergeTree(ctx, git, ours, theirs)
	if err != nil {
		return "", err
	}
	if !result.clean() {
		m.Conflicts = result.conflicts
		return "", api.Errorf(api.CodeConflict, "the commit %s of %s conflicts with %s in %s: nothing was merged", short(commit), m.Branch, m.Into, listed(result.conflicts, 5))
	}
	if had, err := git.line(ctx, "rev-parse", onto+"^{tree}"); err != nil || had == result.tree {
		return onto, err
	}
	about, err := git.git(ctx, "log", "-1", "--no-show-signature", "--format=%an%x00%ae%x00%ad%x00%B", "--date=raw", commit)
	if err != nil {
		return "", err
	}
	parts := strings.SplitN(about, "\x00", 4)
	if len(parts) != 4 {
		return "", api.Errorf(api.CodeInternal, "git says nothing about the commit %s", short(commit))
	}
	author := []string{"GIT_AUTHOR_NAME=" + parts[0], "GIT_AUTHOR_EMAIL=" + parts[1], "GIT_AUTHOR_DATE=" + parts[2]}
	return m.commit(ctx, result.tree, strings.TrimSuffix(parts[3], "\n"), author, onto)
}
