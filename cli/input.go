package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
)

func newSendCmd(a *app) *cobra.Command {
	var p api.SendPrompt
	var later bool
	cmd := &cobra.Command{
		Use:   "send [--wait|--later] [--json] SESSION TEXT|-",
		Short: "Deliver a prompt and wait for its acknowledgement",
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
		Args:              atLeast(2, "SESSION and TEXT (- for standard input)"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if p.Text, err = a.textArg(args[1:]); err != nil {
				return err
			}
			if strings.TrimSpace(p.Text) == "" {
				return usagef(cmd, "the prompt is empty")
			}
			if later && p.Wait {
				return usagef(cmd, "--wait and --later: choose one")
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			if later {
				return a.sendLater(cmd.Context(), c, args[0], p)
			}
			r, err := c.SendPrompt(cmd.Context(), args[0], p)
			if err != nil {
				return err
			}
			return a.output(r, func() error {
				_, err := fmt.Fprintln(a.out, r.Status)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&p.Wait, "wait", false, "wait until the session can take a prompt")
	cmd.Flags().BoolVar(&later, "later", false, "keep it until the session can take it, and return at once")
	cmd.Flags().StringVar(&p.ID, "id", "", "make the call repeatable: the same `ID` again types nothing")
	a.jsonFlag(cmd, "print the outcome as JSON")
	return cmd
}

func newKeysCmd(a *app) *cobra.Command {
	var literal bool
	cmd := &cobra.Command{
		Use:   "keys [-l] SESSION KEY…",
		Short: "Type keys by tmux's names",
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
		Args:              atLeast(2, "SESSION and KEY"),
		ValidArgsFunction: a.completeSession,
		RunE: a.connected(func(ctx context.Context, c *client.Client, args []string) error {
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

func newPasteCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "paste SESSION [TEXT]",
		Short: "Paste text without submitting it",
		Long: `Paste TEXT, or standard input without one: bracketed if the application asked for
that; otherwise a line break in it acts like Enter. Other control characters than tabs
and line breaks are left out. Nothing is added: submit with
` + "`ccdir keys SESSION Enter`" + `.`,
		Example: `  ccdir paste api < notes.txt
  ccdir paste api "some text" && ccdir keys api Enter`,
		Args:              atLeast(1, "SESSION"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if len(args) == 1 || len(args) == 2 && text == "-" {
				var err error
				if text, err = a.readStdin(); err != nil {
					return err
				}
			}
			text, err := wholeText(text)
			if err != nil {
				return err
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return c.Input(cmd.Context(), args[0], api.RawInput{Paste: &text})
		},
	}
}
