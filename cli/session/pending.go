package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// sendLater has ccdir keep a prompt, and prints its id.
func sendLater(ctx context.Context, a *verb.App, c *client.Client, ref string, p api.SendPrompt) error {
	made, err := c.SendLater(ctx, ref, p.Text, p.ID)
	if err != nil {
		return err
	}
	return a.Output(made, func() error {
		_, err := fmt.Fprintln(a.Out, verb.Prefixed(a.Node, made.ID))
		return err
	})
}

// Pending makes the verb `pending`.
func Pending(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "pending [SESSION] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Prompts that wait until their sessions can take them",
		Long: `List the prompts of ccdir send --later: those that are pending, and the newest that
were delivered or failed, oldest first. A prompt waits while its session shows a
dialog, starts, or has ended, and is delivered once; it fails when its session is
removed. What is pending can be changed and cancelled until it is being typed.`,
		Example: `  ccdir send --later api "then run the linter"
  ccdir pending
  ccdir pending edit p3 "then run the linter and the tests"
  ccdir pending cancel p3`,
		Args:              verb.AtMostOne,
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := c.Pending(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			return verb.Listed(a, list, "no prompt is pending", func() error { return printPending(a, list) })
		},
	}
	a.JSONFlag(cmd, "print a JSON array of the prompts")
	cmd.AddCommand(newPendingEditCmd(a), newPendingCancelCmd(a))
	return cmd
}

func printPending(a *verb.App, list []api.PendingPrompt) error {
	t := verb.Table{}
	t.Row(verb.Plain("ID", "SESSION", "STATE", "MADE", "PROMPT")...)
	for _, p := range list {
		state := string(p.State)
		if p.Reason != "" {
			state += " (" + textsafe.Line(p.Reason) + ")"
		}
		first, _, _ := strings.Cut(p.Text, "\n")
		t.Row(verb.Plain(p.ID, p.Name, state, p.At.Local().Format(time.DateTime), textsafe.Cut(textsafe.Line(first), 60))...)
	}
	return t.Write(a.Out, a.Colours())
}

func newPendingEditCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "edit ID TEXT|- [--json]",
		Annotations:       verb.FirstRef(),
		Short:             "Give a pending prompt another text",
		Long:              "Give a prompt that is pending another text (- reads standard input); it keeps its\nplace. Fails once it is being typed.",
		Example:           "  ccdir pending edit p3 \"then run the linter and the tests\"",
		Args:              verb.AtLeast(2, "ID and TEXT (- for standard input)"),
		ValidArgsFunction: a.CompletePending,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.TextArg(args[1:])
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return verb.Usagef(cmd, "the prompt is empty: `ccdir pending cancel %s` takes it back", args[0])
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			p, err := c.EditPending(cmd.Context(), args[0], text)
			if err != nil {
				return err
			}
			return a.Output(p, func() error { return nil })
		},
	}
	a.JSONFlag(cmd, "print the prompt as JSON")
	return cmd
}

func newPendingCancelCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "cancel ID…",
		Annotations:       verb.AllRefs(),
		Short:             "Take pending prompts back",
		Long:              "Take prompts that are pending back, and those that were delivered or failed out of\nthe list. Fails for one that is being typed.",
		Example:           "  ccdir pending cancel p3 p4",
		Args:              verb.AtLeast(1, "ID"),
		ValidArgsFunction: a.CompletePending,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return verb.EachSession(args, func(id string) error { return c.CancelPending(ctx, id) })
		}),
	}
}
