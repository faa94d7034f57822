package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Resume makes the verb `resume`.
func Resume(a *verb.App) *cobra.Command {
	var mode string
	var priority int
	cmd := &cobra.Command{
		Use:         "resume SESSION… [--mode on|own|ask|off] [--priority N] [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Have sessions go on after their usage limit",
		Long: `Have each SESSION go on once its account's usage limit has ended: this limit, and later
ones. One tries first, alone; when it meets no limit, the others of the account
follow, 15 s apart, greater --priority first. A session that has ended meanwhile is
started again.

--mode own leaves it to the agent, and acts only where that did not go on by itself;
off leaves the session as it is. resume_after_limit of the configuration is the mode
of sessions for which none was chosen.`,
		Example:           "  ccdir resume api\n  ccdir resume api web --priority 5\n  ccdir resume api --mode off",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(api.ResumeModes, api.ResumeMode(mode)) {
				return verb.Usagef(cmd, "--mode %q: on, own, ask or off", mode)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			how := api.Resume{Mode: api.ResumeMode(mode)}
			if cmd.Flags().Changed("priority") {
				how.Priority = &priority
			}
			return a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
				list := []api.Session{}
				err := verb.EachSession(args, func(ref string) error {
					s, err := c.ResumeSession(ctx, ref, how)
					if err == nil {
						list = append(list, s)
					}
					return err
				})
				if a.JSON {
					return errors.Join(a.PrintJSON(list), err)
				}
				for _, s := range list {
					fmt.Fprintf(a.Out, "%s: %s\n", s.Name, resumeLine(s, how.Mode))
				}
				return err
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&mode, "mode", "on", "`MODE` on, own, ask or off")
	cmd.Flags().IntVar(&priority, "priority", 0, "`N` from -100 to 100: greater ones of an account go on first")
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"on", "own", "ask", "off"}, cobra.ShellCompDirectiveNoFileComp))
	a.JSONFlag(cmd, "print a JSON array of the sessions")
	return cmd
}

// resumeLine says what becomes of a session.
func resumeLine(s api.Session, mode api.ResumeMode) string {
	what := map[api.ResumeMode]string{api.ResumeOn: "goes on", api.ResumeOwn: "goes on by its agent", api.ResumeAsk: "asks whether to go on", api.ResumeOff: "stays as it is"}[mode]
	if s.Limit == nil {
		return what + " after usage limits"
	}
	return fmt.Sprintf("%s after its usage limit, which ends %s", what, s.Limit.Until.Local().Format(time.DateTime))
}
