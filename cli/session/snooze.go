package session

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
)

// defaultSnooze is the default length of a snooze.
const defaultSnooze = 15 * time.Minute

// Snooze makes the verb `snooze`.
func Snooze(a *verb.App) *cobra.Command {
	span, end := defaultSnooze, false
	cmd := &cobra.Command{
		Use:         "snooze SESSION [--for TIME | --end] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Put off that a session waits for you",
		Long: `Put off that a session waits for you: grids neither count nor call it until the
time is over. It ends earlier when the session is answered, or asks something else.`,
		Example: `  ccdir snooze api --for 1h
  ccdir snooze api --end`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case end && cmd.Flags().Changed("for"):
				return verb.Usagef(cmd, "give --for or --end, not both")
			case end:
				span = 0
			case span < time.Second || span > api.MaxSnooze:
				return verb.Usagef(cmd, "--for is from 1s to %s", api.MaxSnooze)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			s, err := c.Snooze(cmd.Context(), args[0], span)
			if err != nil || !a.JSON && end {
				return err
			}
			if a.JSON {
				return a.PrintJSON(s)
			}
			_, err = fmt.Fprintf(a.Out, "put off until %s\n", verb.Clock(time.Now(), s.SnoozedUntil))
			return err
		},
	}
	cmd.Flags().DurationVar(&span, "for", defaultSnooze, "`TIME` for which it is put off")
	cmd.Flags().BoolVar(&end, "end", false, "put it off no longer")
	a.JSONFlag(cmd, "print the session as JSON")
	return cmd
}
