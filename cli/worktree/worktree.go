// Package worktree has the verbs of work trees, of their conflicts, and of pull requests.
package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Worktree makes the verb `worktree`.
func Worktree(a *verb.App) *cobra.Command {
	var dir string
	cmd := verb.Family(&cobra.Command{
		Use:     "worktree VERB",
		Aliases: []string{"wt"},
		Short:   "Work trees of git: a directory and a branch for each session",
		Long: `Work trees of the git repository around the current directory, or the one given by
-C: those that ccdir made and all others. A TREE is named by its path, its branch,
or a session in it. Nothing that was in a work tree is ever lost: a removed one lies
in the trash for 7 days.`,
		Example: `  ccdir new -w fix-login "fix the login"
  ccdir worktree ls
  ccdir worktree rm fix-login`,
	}, newWorktreeLsCmd(a, &dir), newWorktreeAddCmd(a, &dir), newWorktreeMvCmd(a, &dir), newWorktreeRmCmd(a, &dir),
		newWorktreeRestoreCmd(a, &dir), newWorktreePruneCmd(a, &dir), newWorktreeMergeCmd(a, &dir),
		newWorktreeCommitCmd(a, &dir), newWorktreePushCmd(a, &dir), newWorktreeChecksCmd(a, &dir))
	cmd.PersistentFlags().StringVarP(&dir, "dir", "C", "", "`DIR` in the repository (default: the current one)")
	_ = cmd.RegisterFlagCompletionFunc("dir", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return cmd
}

// inRepo makes the body of a verb that acts on the repository around dir.
func inRepo(a *verb.App, dir *string, do func(ctx context.Context, c *client.Client, dir string, args []string) error) func(*cobra.Command, []string) error {
	return a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
		at, err := a.FromHere(*dir, "an absolute one with -C")
		if err != nil {
			return err
		}
		return do(ctx, c, at, args)
	})
}

func newWorktreeLsCmd(a *verb.App, dir *string) *cobra.Command {
	var sizes bool
	cmd := &cobra.Command{
		Use:     "ls [-C DIR | --all] [--size] [--json]",
		Aliases: []string{"list"},
		Short:   "List the work trees of the repository",
		Long: `List all work trees of the repository, with their changes and whether their branch
is merged. With --all, and on a node without -C, those of all repositories that ccdir knows:
from the configuration, sessions, directories used lately, and work trees that it made. The
checks of what is merged: same-commit, ancestor, no-changes (the branch changes
nothing), same-tree, merge-adds-nothing, and patch-id (the changes are in the target,
each as a commit or squashed to one). In JSON dirty, untracked and ignored are numbers
of files, merged is false or the name of the check that holds; removable means that
it goes without a question, why says what speaks against it.`,
		Example: `  ccdir worktree ls
  ccdir worktree ls --all
  ccdir worktree ls --json | jq -r '.[] | select(.removable) | .path'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			at, empty, err := "", "no work trees: no git repository is known", error(nil)
			if *dir != "" || a.Part == verb.Whole && a.Node == "" {
				empty = "no work trees: the repository is bare"
				if at, err = a.FromHere(*dir, "an absolute one with -C"); err != nil {
					return err
				}
			}
			list, err := c.Worktrees(ctx, at, sizes)
			if err != nil {
				return err
			}
			return verb.Listed(a, list, empty, func() error { return printWorktrees(ctx, a, c, list, sizes) })
		}),
	}
	a.AllFlag(cmd)
	cmd.Flags().BoolVar(&sizes, "size", false, "with what each takes on disk (reads all files)")
	a.JSONFlag(cmd, "print a JSON array of work trees")
	return cmd
}

func printWorktrees(ctx context.Context, a *verb.App, c *client.Client, list []api.Worktree, sizes bool) error {
	names := map[string]string{}
	if sessions, err := c.Sessions(ctx); err == nil {
		for _, s := range sessions {
			names[s.ID] = s.Name
		}
	}
	t := verb.Table{}
	head := verb.Plain("BRANCH", "CHANGES", "APART", "MERGED", "SESSIONS", "PATH")
	if sizes {
		head = slices.Insert(head, len(head)-1, verb.Plain("SIZE")...)
	}
	t.Row(head...)
	for _, w := range list {
		in := make([]string, 0, len(w.Sessions))
		for _, id := range w.Sessions {
			if names[id] != "" {
				id = names[id]
			}
			in = append(in, id)
		}
		branch := w.Branch
		if branch == "" {
			branch = "(" + w.Head[:min(len(w.Head), 7)] + ")"
		}
		row := verb.Plain(branch, changesText(w), apartText(w.Ahead, w.Behind), string(w.Merged), strings.Join(in, ", "), strings.TrimSuffix(a.ShortPath(w.Path)+" ("+noteText(w)+")", " ()"))
		if sizes {
			row = slices.Insert(row, len(row)-1, verb.Plain(bytesText(w.Size))...)
		}
		t.Row(row...)
	}
	return t.WriteWithin(a.Out, a.Colours(), 0) // a path that is cut is of no use
}

// changesText is "±2 ?1": files that differ, and untracked ones.
func changesText(w api.Worktree) string {
	var parts []string
	if w.Dirty > 0 {
		parts = append(parts, fmt.Sprintf("±%d", w.Dirty))
	}
	if w.Untracked > 0 {
		parts = append(parts, fmt.Sprintf("?%d", w.Untracked))
	}
	return strings.Join(parts, " ")
}

// apartText is "↑2 ↓1": commits ahead and behind.
func apartText(ahead, behind int) string {
	var parts []string
	if ahead > 0 {
		parts = append(parts, fmt.Sprintf("↑%d", ahead))
	}
	if behind > 0 {
		parts = append(parts, fmt.Sprintf("↓%d", behind))
	}
	return strings.Join(parts, " ")
}

// noteText are further remarks about a work tree.
func noteText(w api.Worktree) string {
	if w.Main {
		return "main work tree"
	}
	return w.Note()
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
