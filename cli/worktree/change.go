package worktree

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/tui/widget/format"
)

// completeTrees completes branches of work trees.
func completeTrees(a *verb.App, dir *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), verb.CompleteTimeout)
		defer cancel()
		at, err := a.FromHere(*dir, "")
		c, err2 := a.NewClient("cli")
		if err != nil || err2 != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		if _, err := c.Health(ctx); err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		list, _ := c.Worktrees(ctx, at, false)
		var out []string
		for _, w := range list {
			if !w.Main && w.Branch != "" {
				out = append(out, cobra.CompletionWithDesc(w.Branch, w.Path))
			}
		}
		return out, cobra.ShellCompDirectiveDefault
	}
}

func newWorktreeAddCmd(a *verb.App, dir *string) *cobra.Command {
	n := api.NewWorktree{}
	cmd := &cobra.Command{
		Use:   "add BRANCH [-C DIR] [--base REF] [--fetch] [--path PATH] [--json]",
		Short: "Make a work tree and print its path",
		Long: `Make a work tree with the branch, which is made if it does not exist: from what is
checked out where you stand, or from --base. It lies outside of the repository, at
the place of the configuration (worktree_place, or [worktree] place in .ccdir.toml).
Ignored files come along that .worktreeinclude or [worktree] copy and link name. If
the branch has a work tree already, its path is printed.`,
		Example: `  ccdir worktree add fix-login
  ccdir worktree add --base origin/main --fetch fix-login
  cd "$(ccdir worktree add fix-login)"`,
		Args:              verb.Exactly(1, "BRANCH"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
			n.Dir, n.Branch, n.Env = dir, args[0], a.Env
			if n.Path != "" {
				n.Path = verb.Absolute(a.Dir, n.Path)
			}
			made, err := c.AddWorktree(ctx, n)
			if err != nil {
				return err
			}
			TellMade(a, made)
			return a.Output(made, func() error {
				_, err := fmt.Fprintln(a.Out, made.Path)
				return err
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&n.Base, "base", "", "commit or branch that a new branch begins at, `REF` (default: what is checked out)")
	f.BoolVar(&n.Fetch, "fetch", false, "fetch from the remote first")
	f.StringVar(&n.Path, "path", "", "`PATH` of the work tree (default: by the configuration)")
	_ = cmd.MarkFlagDirname("path")
	a.JSONFlag(cmd, "print what was made as JSON")
	return cmd
}

// TellMade says on standard error where a work tree began, and what came along.
func TellMade(a *verb.App, made api.WorktreeMade) {
	a.Tell("%s: branch %s from %s", made.Path, made.Branch, made.From)
	if made.Copied > 0 {
		how := ""
		if made.Cloned > 0 {
			how = fmt.Sprintf(", %d of them share the disk's blocks", made.Cloned)
		}
		a.Tell("%s came along (%s%s)", format.Plural(made.Copied, "ignored file", "ignored files"), bytesText(made.CopiedBytes), how)
	}
	if made.Linked > 0 {
		a.Tell("%s to ignored files and folders", format.Plural(made.Linked, "link", "links"))
	}
	for _, note := range made.Notes {
		a.Tell("%s", note)
	}
}

func newWorktreeRmCmd(a *verb.App, dir *string) *cobra.Command {
	in := api.RemoveWorktree{}
	force := false
	cmd := &cobra.Command{
		Use:   "rm TREE… [-C DIR] [--yes] [--keep-branch] [--json]",
		Short: "Move a work tree into the trash, and print its path there",
		Long: `Move work trees into the trash, where they lie whole for 7 days, beside a snapshot
commit of everything that was in them. A branch that is merged goes, too (see worktree
ls for the checks). You are asked if there are changes, untracked files or commits that
are not merged; without a terminal --yes answers. Nothing overrides that a main work
tree stays, and so do one with a session in it and one that git has locked.`,
		Example: `  ccdir worktree rm fix-login
  ccdir worktree restore "$(ccdir worktree rm --yes fix-login)"`,
		Args:              verb.AtLeast(1, "TREE"),
		ValidArgsFunction: completeTrees(a, dir),
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
			in.Yes = in.Yes || force
			var all []api.RemovedWorktree
			err := verb.EachSession(args, func(ref string) error {
				in := in
				in.Dir, in.Tree = dir, ref
				gone, err := removeTree(ctx, a, c, in)
				if err != nil {
					return err
				}
				all = append(all, gone)
				if a.JSON {
					return nil
				}
				tellRemoved(a, gone)
				_, err = fmt.Fprintln(a.Out, gone.Trash)
				return err
			})
			if a.JSON && len(all) > 0 {
				if printErr := a.PrintJSON(all); err == nil {
					err = printErr
				}
			}
			return err
		}),
	}
	f := cmd.Flags()
	f.BoolVarP(&in.Yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&force, "force", "f", false, "the same as --yes: it overrides questions, never safety")
	f.BoolVar(&in.KeepBranch, "keep-branch", false, "keep the branch even if it is merged")
	a.JSONFlag(cmd, "print a JSON array of what was removed")
	return cmd
}

// removeTree removes a tree, and asks where there is a question.
func removeTree(ctx context.Context, a *verb.App, c *client.Client, in api.RemoveWorktree) (api.RemovedWorktree, error) {
	gone, err := c.RemoveWorktree(ctx, in)
	if api.CodeOf(err) != api.CodeAsks {
		return gone, err
	}
	if !verb.Terminal(a.Stdin) {
		return gone, fmt.Errorf("%w: --yes moves it into the trash nevertheless", err)
	}
	if err := a.Confirm(a.Safe("%s: move it into the trash (for 7 days)?", err)); err != nil {
		return gone, err
	}
	in.Yes = true
	return c.RemoveWorktree(ctx, in)
}

// tellRemoved says on standard error what became of a tree and its branch.
func tellRemoved(a *verb.App, gone api.RemovedWorktree) {
	branch := ""
	switch {
	case gone.BranchDeleted:
		branch = fmt.Sprintf("; branch %s deleted (merged: %s)", gone.Branch, gone.Merged)
	case gone.Branch != "":
		branch = fmt.Sprintf("; branch %s stays", gone.Branch)
	}
	for _, note := range gone.Notes {
		a.Tell("%s", note)
	}
	a.Tell("%s is in the trash until %s%s", gone.Path, gone.Until.Local().Format(time.DateOnly), branch)
	if len(gone.Left) > 0 {
		a.Tell("only the trash has %s: too large for the snapshot", strings.Join(gone.Left, ", "))
	}
}

func newWorktreeRestoreCmd(a *verb.App, dir *string) *cobra.Command {
	in := api.RestoreWorktree{}
	cmd := &cobra.Command{
		Use:   "restore [ID|TRASH|BRANCH] [-C DIR] [--path PATH] [--json]",
		Short: "Bring a work tree back from the trash, or list the trash",
		Long: `Bring a work tree back from the trash, as it was: files, what was staged, branch. It
is named by the path that worktree rm printed, by its id, which is the last part of
that, or by its branch: the last one of that branch. Without one, list what lies in the trash of the repository.`,
		Example: `  ccdir worktree restore
  ccdir worktree restore fix-login
  ccdir worktree restore 20260102-101500-abcdef`,
		Args:              verb.AtMostOne,
		ValidArgsFunction: completeTrash(a, dir),
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			if len(args) == 0 {
				at, err := a.FromHere(*dir, "an absolute one with -C")
				if err != nil {
					return err
				}
				list, err := c.WorktreeTrash(ctx, at)
				if err != nil {
					return err
				}
				return verb.Listed(a, list, "the trash is empty", func() error { return printTrash(a, list) })
			}
			in.ID = trashID(ctx, a, c, *dir, args[0])
			if in.Path != "" {
				in.Path = verb.Absolute(a.Dir, in.Path)
			}
			back, err := c.RestoreWorktree(ctx, in)
			if err != nil {
				return err
			}
			for _, note := range back.Notes {
				a.Tell("%s", note)
			}
			return a.Output(back, func() error {
				_, err := fmt.Fprintln(a.Out, back.Path)
				return err
			})
		}),
	}
	cmd.Flags().StringVar(&in.Path, "path", "", "`PATH` where it goes (default: where it was)")
	_ = cmd.MarkFlagDirname("path")
	a.JSONFlag(cmd, "print what was restored, or the trash, as JSON")
	return cmd
}

// trashID is the id of what was called ref when it was removed, by its branch, or ref itself: an
// id, or a path in the trash.
func trashID(ctx context.Context, a *verb.App, c *client.Client, dir, ref string) string {
	if at, err := a.FromHere(dir, ""); err == nil {
		list, _ := c.WorktreeTrash(ctx, at) // none outside of a repository
		for _, e := range list {
			if e.Branch == ref {
				return e.ID
			}
		}
	}
	if strings.ContainsRune(ref, '/') {
		return verb.Absolute(a.Dir, ref)
	}
	return ref
}

func completeTrash(a *verb.App, dir *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), verb.CompleteTimeout)
		defer cancel()
		at, err := a.FromHere(*dir, "")
		c, err2 := a.NewClient("cli")
		if err != nil || err2 != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if _, err := c.Health(ctx); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, _ := c.WorktreeTrash(ctx, at)
		var out []string
		for _, e := range list {
			out = append(out, cobra.CompletionWithDesc(e.ID, e.Path))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func printTrash(a *verb.App, list []api.RemovedWorktree) error {
	t := verb.Table{}
	t.Row(verb.Plain("ID", "BRANCH", "REMOVED", "UNTIL", "WAS")...)
	for _, e := range list {
		t.Row(verb.Plain(e.ID, verb.OrNone(e.Branch), verb.Clock(time.Now(), e.At), e.Until.Local().Format(time.DateOnly), a.ShortPath(e.Path))...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

func newWorktreeMvCmd(a *verb.App, dir *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "mv TREE PATH [-C DIR]",
		Short:             "Move a work tree to another path, unless a session is in it",
		Example:           `  ccdir worktree mv fix-login ~/src/fix-login`,
		Args:              verb.Exactly(2, "TREE and PATH"),
		ValidArgsFunction: completeTrees(a, dir),
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
			w, err := c.MoveWorktree(ctx, api.MoveWorktree{Dir: dir, Tree: args[0], Path: verb.Absolute(a.Dir, args[1])})
			if err == nil {
				_, err = fmt.Fprintln(a.Out, w.Path)
			}
			return err
		}),
	}
	return cmd
}

func newWorktreePruneCmd(a *verb.App, dir *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune [-C DIR] [--json]",
		Short: "Forget work trees whose directory is gone, and empty the trash of what is old",
		Long: `Finish what a crash interrupted in this repository, forget its work trees whose
directory is gone (commits that nothing else has get a ref below refs/ccdir/trash), and
delete what has been in the trash for 7 days.`,
		Example:           `  ccdir worktree prune`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, _ []string) error {
			out, err := c.PruneWorktrees(ctx, dir)
			if err != nil {
				return err
			}
			return a.Output(out, func() error {
				for _, line := range out.Finished {
					a.Tell("%s", line)
				}
				for _, path := range out.Forgotten {
					a.Tell("forgotten: %s", path)
				}
				for _, path := range out.Expired {
					a.Tell("deleted for good: %s", path)
				}
				return nil
			})
		}),
	}
	a.JSONFlag(cmd, "print what was done as JSON")
	return cmd
}
