package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// sendLater has ccdir keep a prompt, and prints its id.
func (a *app) sendLater(ctx context.Context, c *client.Client, ref string, p api.SendPrompt) error {
	made, err := c.SendLater(ctx, ref, p.Text, p.ID)
	if err != nil {
		return err
	}
	return a.output(made, func() error {
		_, err := fmt.Fprintln(a.out, prefixed(a.node, made.ID))
		return err
	})
}

func newPendingCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pending [SESSION] [--json]",
		Short: "Prompts that wait until their sessions can take them",
		Long: `List the prompts of ccdir send --later: those that are pending, and the newest that
were delivered or failed, oldest first. A prompt waits while its session shows a
dialog, starts, or has ended, and is delivered once; it fails when its session is
removed. What is pending can be changed and cancelled until it is being typed.`,
		Example: `  ccdir send --later api "then run the linter"
  ccdir pending
  ccdir pending edit p3 "then run the linter and the tests"
  ccdir pending cancel p3`,
		Args:              atMostOne,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := c.Pending(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			return listed(a, list, "no prompt is pending", func() error { return a.printPending(list) })
		},
	}
	a.jsonFlag(cmd, "print a JSON array of the prompts")
	cmd.AddCommand(newPendingEditCmd(a), newPendingCancelCmd(a))
	return cmd
}

func (a *app) printPending(list []api.PendingPrompt) error {
	t := table{}
	t.row(plain("ID", "SESSION", "STATE", "MADE", "PROMPT")...)
	for _, p := range list {
		state := string(p.State)
		if p.Reason != "" {
			state += " (" + textsafe.Line(p.Reason) + ")"
		}
		first, _, _ := strings.Cut(p.Text, "\n")
		t.row(plain(p.ID, p.Name, state, p.At.Local().Format(time.DateTime), textsafe.Cut(textsafe.Line(first), 60))...)
	}
	return t.write(a.out, a.colours())
}

func newPendingEditCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "edit ID TEXT|- [--json]",
		Short:             "Give a pending prompt another text",
		Long:              "Give a prompt that is pending another text (- reads standard input); it keeps its\nplace. Fails once it is being typed.",
		Example:           "  ccdir pending edit p3 \"then run the linter and the tests\"",
		Args:              atLeast(2, "ID and TEXT (- for standard input)"),
		ValidArgsFunction: a.completePending,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.textArg(args[1:])
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return usagef(cmd, "the prompt is empty: `ccdir pending cancel %s` takes it back", args[0])
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			p, err := c.EditPending(cmd.Context(), args[0], text)
			if err != nil {
				return err
			}
			return a.output(p, func() error { return nil })
		},
	}
	a.jsonFlag(cmd, "print the prompt as JSON")
	return cmd
}

func newPendingCancelCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "cancel ID…",
		Short:             "Take pending prompts back",
		Long:              "Take prompts that are pending back, and those that were delivered or failed out of\nthe list. Fails for one that is being typed.",
		Example:           "  ccdir pending cancel p3 p4",
		Args:              atLeast(1, "ID"),
		ValidArgsFunction: a.completePending,
		RunE: a.connected(func(ctx context.Context, c *client.Client, args []string) error {
			return eachSession(args, func(id string) error { return c.CancelPending(ctx, id) })
		}),
	}
}
