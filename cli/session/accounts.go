package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Accounts makes the verb `accounts`.
func Accounts(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "accounts [--json]",
		Short: "List the accounts that agents can be signed in with",
		Long: `List the accounts of the configuration ([accounts.NAME]) and the sign-ins that agents
have by themselves (default), with their sessions and what is left of their limits. ASKED
is what became of asking the agent of one that rests (` + "`ccdir usage`" + ` says why, if it was refused).

An account is a directory of the agent's own, in which you sign in by starting it:
ccdir copies no sign-in and changes no session's account by itself.`,
		Example:           "  ccdir accounts\n  ccdir new --account work\n  ccdir accounts --json | jq -r '.[] | select(.sessions == []) | .name'",
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Accounts(ctx)
			if err != nil {
				return err
			}
			return verb.Listed(a, list, "there is no account, and no agent that uses its own sign-in runs: [accounts.NAME] in config.toml adds one (docs/limits.md)", func() error { return printAccounts(a, list) })
		}),
	}
	a.JSONFlag(cmd, "print a JSON array of accounts")
	return cmd
}

func printAccounts(a *verb.App, list []api.Account) error {
	t := verb.Table{}
	t.Row(verb.Plain("ACCOUNT", "AGENT", "SESSIONS", "LIMITS", "ASKED", "DIRECTORY", "USED IN")...)
	for _, s := range list {
		used := make([]string, len(s.Default))
		for i, dir := range s.Default {
			used[i] = a.ShortPath(dir)
		}
		for _, role := range s.Roles {
			used = append(used, "role:"+role)
		}
		t.Row(verb.Plain(s.Name, s.Agent, fmt.Sprint(len(s.Sessions)), windowsLine(s.Windows, time.Now()), verb.Asked(s.Probe, time.Now()), cmp.Or(a.ShortPath(s.Dir), "-"), strings.Join(used, " "))...)
	}
	return t.Write(a.Out, a.Colours())
}

// windowsLine are the windows of an account in a few words: "5h 42% 7d 31%".
func windowsLine(list []api.UsageWindow, now time.Time) string {
	var parts []string
	for _, w := range list {
		used := "?"
		if w.UsedPercent != nil && !w.Rolled(now) {
			used = fmt.Sprintf("%.0f%%", *w.UsedPercent)
		}
		parts = append(parts, w.Name+" "+used)
	}
	return cmp.Or(strings.Join(parts, " "), "-")
}
