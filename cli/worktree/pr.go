package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/worktrees/forge"
)

// PR makes the verb `pr`.
func PR(a *verb.App) *cobra.Command {
	n := api.NewPullRequest{}
	dir, yes := "", false
	cmd := &cobra.Command{
		Use:         "pr SESSION [-C DIR] [--draft] [--title TEXT] [--body TEXT] [--base BRANCH] [--look|--send-failing] [--yes] [--json]",
		Annotations: verb.FirstRefOrBranch(),
		Short:       "Push a session's branch and make its pull request",
		Long: `Push the branch of a session's work tree to origin and make a pull request of it, by
gh (GitHub) or glab (GitLab), which must be installed and signed in. If it has one, it
is pushed to, and its address printed. Title and text are of the commits unless you give
them. You are asked first; without a terminal --yes answers. A rule of the session's
policy that denies git push holds here, too. --look shows the pull request and its checks;
--send-failing gives the session the log of a check that failed.`,
		Example: `  ccdir pr fix-login --draft
  ccdir pr fix-login --look --json | jq -r .request.checks
  ccdir pr fix-login --send-failing`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n.Look && n.SendFailing {
				return verb.Usagef(cmd, "--look and --send-failing exclude one another")
			}
			return a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
				n.Tree, n.Env = args[0], a.Env
				var err error
				if n.Dir, err = repoOf(ctx, a, c, args[0], dir); err != nil {
					return err
				}
				return pullRequest(ctx, a, c, n, yes)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "dir", "C", "", "`DIR` in the repository, for a branch or path instead of a session")
	f.BoolVar(&n.Draft, "draft", false, "as a draft")
	f.StringVar(&n.Title, "title", "", "its title, `TEXT`")
	f.StringVar(&n.Text, "body", "", "its description, `TEXT`")
	f.StringVar(&n.Base, "base", "", "`BRANCH` that it is for (default: the forge's)")
	f.BoolVar(&n.Look, "look", false, "push and make nothing")
	f.BoolVar(&n.SendFailing, "send-failing", false, "send the log of a failing check to the session")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.RegisterFlagCompletionFunc("base", cobra.NoFileCompletions)
	a.JSONFlag(cmd, "print the pull request as JSON")
	return cmd
}

// repoOf is a directory in the repository of a session, or dir if that is given.
func repoOf(ctx context.Context, a *verb.App, c *client.Client, ref, dir string) (string, error) {
	if dir == "" {
		if s, err := c.Session(ctx, ref); err == nil && s.CWD != "" {
			return s.CWD, nil
		}
	}
	return a.FromHere(dir, "an absolute one with -C")
}

func pullRequest(ctx context.Context, a *verb.App, c *client.Client, n api.NewPullRequest, yes bool) error {
	if !n.Look && !n.SendFailing && !yes {
		look := n
		look.Look = true
		now, err := c.PullRequest(ctx, look)
		if err != nil {
			return err
		}
		question := fmt.Sprintf("push %s to origin and make a pull request?", now.Branch)
		if now.Request != nil && now.Request.State == "open" {
			question = fmt.Sprintf("push %s to origin (#%d)?", now.Branch, now.Request.Number)
		}
		if err := a.Confirm(a.Safe("%s", question)); err != nil {
			return err
		}
	}
	out, err := c.PullRequest(ctx, n)
	if err != nil {
		return err
	}
	if out.Sent != "" {
		a.Tell("the log of %s was sent to the session", out.Sent)
	}
	return a.Output(out, func() error {
		if out.Request == nil {
			return errors.New("it has no pull request: `ccdir pr` without --look makes one")
		}
		p := out.Request
		words := []string{fmt.Sprintf("#%d %s", p.Number, p.State)}
		if p.Draft {
			words = append(words, "draft")
		}
		if p.Checks != "" {
			words = append(words, "checks "+p.Checks)
		}
		a.Tell("%s", strings.Join(words, ", "))
		_, err := fmt.Fprintln(a.Out, p.URL)
		return err
	})
}

// issueTime bounds the question to the forge.
const issueTime = 30 * time.Second

// IssuePrompt is the prompt of a task that is an issue of the repository at dir.
func IssuePrompt(ctx context.Context, a *verb.App, dir string, number int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, issueTime)
	defer cancel()
	f, err := forge.Find(ctx, dir, a.Env)
	if err != nil {
		return "", fmt.Errorf("--issue: %w", err)
	}
	i, err := f.Issue(ctx, number)
	if err != nil {
		return "", fmt.Errorf("--issue %d: %w", number, err)
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n\n%s\n\n(%s)", i.Title, strings.TrimSpace(i.Body), i.URL)), nil
}
