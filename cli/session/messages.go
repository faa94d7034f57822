package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// Messages makes the verb `messages`.
func Messages(a *verb.App) *cobra.Command {
	session, all := "", false
	cmd := &cobra.Command{
		Use:   "messages [--session SESSION] [--all] [--json]",
		Short: "Show the messages that agents sent to you, and send some",
		Long: `Agents write to each other and to you; a message stays until it is acknowledged.
Without a verb this lists your open messages, or the mailbox of a session.`,
		Example: `  ccdir messages
  ccdir messages ack 12 13
  ccdir messages send api "use the new endpoint"`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Messages(ctx, session, all, 0)
			if err != nil {
				return err
			}
			return verb.Listed(a, list, "no messages", func() error { return printMessages(a, list) })
		}),
	}
	cmd.Flags().StringVarP(&session, "session", "s", "", "the mailbox of a `SESSION` instead of yours")
	verb.RefFlag(cmd, "session")
	cmd.Flags().BoolVar(&all, "all", false, "acknowledged ones too")
	a.JSONFlag(cmd, "print a JSON array of messages, with their whole text")
	cmd.AddCommand(newMessageSendCmd(a), newMessageAckCmd(a))
	return cmd
}

func printMessages(a *verb.App, list []api.Message) error {
	now := time.Now()
	t := verb.Table{}
	t.Row(verb.Plain("ID", "FROM", "TO", "SENT", "MESSAGE")...)
	for _, m := range list {
		mark := ""
		if !m.Acked.IsZero() {
			mark = " (done)"
		}
		t.Row(verb.Plain(strconv.FormatInt(m.ID, 10), m.FromName, m.ToName, verb.Age(now, m.At)+mark, textsafe.Cut(verb.OneLine(m.Text), verb.ShownInput))...)
	}
	return t.Write(a.Out, a.Colours())
}

func newMessageSendCmd(a *verb.App) *cobra.Command {
	var n api.NewMessage
	cmd := &cobra.Command{
		Use:         "send SESSION TEXT… [--reply ID] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Send a message to an agent's mailbox",
		Long: `Send a message to the mailbox of a session. An agent at rest is told of it by a
prompt; one that works goes on with it at the end of its turn (mcp.nudge in the
configuration).
` + "`ccdir send`" + ` types a prompt instead.`,
		Example:           `  ccdir messages send api "the schema has changed: see docs/schema.md"`,
		Args:              verb.AtLeast(2, "SESSION and TEXT"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			n.To, n.Text = args[0], strings.Join(args[1:], " ")
			m, err := c.SendMessage(ctx, n)
			if err != nil {
				return err
			}
			return a.Output(m, func() error {
				_, err := fmt.Fprintln(a.Out, m.ID)
				return err
			})
		}),
	}
	cmd.Flags().Int64Var(&n.Reply, "reply", 0, "`ID` of the message that this one answers")
	a.JSONFlag(cmd, "print the message as JSON")
	return cmd
}

func newMessageAckCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:         "ack ID…",
		Annotations: verb.AllRefs(),
		Short:       "Acknowledge your messages: they leave the list",
		Example:     `  ccdir messages ack 12 13`,
		Args:        verb.AtLeast(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var ids []int64
			for _, arg := range args {
				id, err := strconv.ParseInt(arg, 10, 64)
				if err != nil {
					return verb.Usagef(cmd, "%q is no message's id", arg)
				}
				ids = append(ids, id)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			n, err := c.AckMessages(cmd.Context(), ids)
			if err == nil && n < len(ids) {
				return fmt.Errorf("%d of %d were open messages of yours; `ccdir messages` lists them", n, len(ids))
			}
			return err
		},
	}
}
