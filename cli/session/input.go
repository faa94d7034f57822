package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Send makes the verb `send`.
func Send(a *verb.App) *cobra.Command {
	var p api.SendPrompt
	var later bool
	cmd := &cobra.Command{
		Use:         "send [--wait|--later] [--json] SESSION TEXT|-",
		Annotations: verb.FirstRef(),
		Short:       "Deliver a prompt and wait for its acknowledgement",
		Long: `Deliver TEXT (- reads standard input) as a prompt: typed as a unit, submitted,
and acknowledged by the agent. Prints "delivered", or "queued" if the agent was
busy and took it into its own queue. While a dialog is open the prompt is
refused; --wait waits for its end instead. With --later ccdir keeps the prompt and
prints its id: it is delivered once as soon as the session can take it, also after
a restart of the session or of ccdir (see ccdir pending).`,
		Example: `  ccdir send api "run the tests and fix what fails"
  git diff | ccdir send review -
  ccdir send --wait api "then commit" && ccdir wait api --state idle
  ccdir send --later api "then update the changelog"`,
		Args:              verb.AtLeast(2, "SESSION and TEXT (- for standard input)"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if p.Text, err = a.TextArg(args[1:]); err != nil {
				return err
			}
			if strings.TrimSpace(p.Text) == "" {
				return verb.Usagef(cmd, "the prompt is empty")
			}
			if later && p.Wait {
				return verb.Usagef(cmd, "--wait and --later: choose one")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if later {
				return sendLater(cmd.Context(), a, c, args[0], p)
			}
			r, err := c.SendPrompt(cmd.Context(), args[0], p)
			if err != nil {
				return err
			}
			return a.Output(r, func() error {
				_, err := fmt.Fprintln(a.Out, r.Status)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&p.Wait, "wait", false, "wait until the session can take a prompt")
	cmd.Flags().BoolVar(&later, "later", false, "keep it until the session can take it, and return at once")
	cmd.Flags().StringVar(&p.ID, "id", "", "make the call repeatable: the same `ID` again types nothing")
	a.JSONFlag(cmd, "print the outcome as JSON")
	return cmd
}

// Keys makes the verb `keys`.
func Keys(a *verb.App) *cobra.Command {
	var literal bool
	cmd := &cobra.Command{
		Use:         "keys [-l] SESSION KEY…",
		Annotations: verb.FirstRef(),
		Short:       "Type keys by tmux's names",
		Long: `Type keys, each by tmux's name: Enter, Escape, Tab, Space, BSpace, Up, Down, Left,
Right, Home, End, PPage, NPage, DC, IC, F1…F12, C-c, M-x, S-Up, or a single
character. They are encoded for the modes of the application. With -l the
arguments are text, each character of which is a key.

What an agent asks is answered by ` + "`ccdir approve` and `ccdir deny`" + `: keys that are
typed before a dialog is open may go into the prompt.`,
		Example: `  ccdir keys api Escape
  ccdir keys api y Enter
  ccdir keys api C-c C-c
  ccdir keys -l api "git status" && ccdir keys api Enter`,
		Args:              verb.AtLeast(2, "SESSION and KEY"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			keys := args[1:]
			if literal {
				keys = strings.Split(strings.Join(keys, " "), "")
			}
			return c.Input(ctx, args[0], api.RawInput{Keys: keys})
		}),
	}
	cmd.Flags().BoolVarP(&literal, "literal", "l", false, "type the arguments as text, joined by blanks")
	return cmd
}

// Paste makes the verb `paste`.
func Paste(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:         "paste SESSION [TEXT]",
		Annotations: verb.FirstRef(),
		Short:       "Paste text without submitting it",
		Long: `Paste TEXT, or standard input without one: bracketed if the application asked for
that; otherwise a line break in it acts like Enter. Other control characters than tabs
and line breaks are left out. Nothing is added: submit with
` + "`ccdir keys SESSION Enter`" + `.`,
		Example: `  ccdir paste api < notes.txt
  ccdir paste api "some text" && ccdir keys api Enter`,
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if len(args) == 1 || len(args) == 2 && text == "-" {
				var err error
				if text, err = a.ReadStdin(); err != nil {
					return err
				}
			}
			text, err := verb.WholeText(text)
			if err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return c.Input(cmd.Context(), args[0], api.RawInput{Paste: &text})
		},
	}
}
