package session

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
)

// Model makes the verb `model`.
func Model(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "model SESSION [NAME] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Tell or change the model of an agent",
		Long: `Print the model of an agent, or give it the model NAME, in the agent's words
(claude: opus, sonnet, haiku, or a full name). A session that is idle is started
again for that, in the same conversation; one that has ended has the model from its
next start on.`,
		Example: "  ccdir model api\n  ccdir model api sonnet",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("unexpected argument %q", args[2])
			}
			return verb.AtLeast(1, "SESSION")(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return a.CompleteModel(cmd, args, prefix)
			}
			return a.CompleteSession(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && args[1] == "" {
				return verb.Usagef(cmd, "the model has no name")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			s, err := verb.Session(c, cmd.Context(), args[0])
			if err == nil && len(args) == 2 {
				s, err = c.SetModel(cmd.Context(), s.ID, args[1])
			}
			if err != nil {
				return err
			}
			return a.Output(map[string]string{"id": s.ID, "name": s.Name, "model": s.Model, "chosen_model": s.ChosenModel}, func() error {
				if s.Model == "" {
					return errors.New("the model of session " + s.Name + " is not known: its agent has not told it yet")
				}
				_, err := fmt.Fprintln(a.Out, textsafe.Line(s.Model))
				return err
			})
		},
	}
	a.JSONFlag(cmd, "print the session's id, name and models as JSON")
	return cmd
}
