// Package usage has the verb that shows what is left of limits, and what was used.
package usage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
)

// Usage makes the verb `usage`.
func Usage(a *verb.App) *cobra.Command {
	var by, since string
	cmd := &cobra.Command{
		Use:   "usage [--by WHAT] [--since TIME] [--json]",
		Short: "What is left of the agents' limits, and what was used",
		Long: `Show the windows of each account's limits: how much is used, when the window ends,
how old the number is and who said it. Numbers are the agents' own. A window that has
ended is unknown until somebody says how much of the next one is used. The agent of an
account that rests is asked, and why one did not answer is said (probes, with --json).

Below them stands what was used in the last 90 days, by day or by what --by says. A
cost with ~ is an estimate: the agent did not tell it, so it was computed from published
prices of the day that is named below. What has no known price is named, too, and is not in the cost.
A subscription may cost less.`,
		Example: `  ccdir usage
  ccdir usage --by repo --since 7d
  ccdir usage --json | jq '.windows[] | select(.name == "5h") | .used_percent'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if by != "" && !slices.Contains(api.UsageBys, api.UsageBy(by)) {
				return verb.Usagef(cmd, "--by is one of %s, not %q", words(), by)
			}
			from, err := verb.Since(since, time.Now())
			if err != nil {
				return verb.Usagef(cmd, "%s", err)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			u, err := c.Usage(cmd.Context(), api.UsageBy(by), from)
			if err != nil {
				return err
			}
			return a.Output(u, func() error { return print(a, u, time.Now()) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&by, "by", "", "sum what was used by `WHAT`: "+words())
	fl.StringVar(&since, "since", "", "only what was used from this `TIME` on: 8h, 7d, 2006-01-02")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(strings.Split(words(), ", "), cobra.ShellCompDirectiveNoFileComp))
	a.JSONFlag(cmd, "print windows and rows as JSON")
	return cmd
}

func words() string {
	var list []string
	for _, by := range api.UsageBys {
		list = append(list, string(by))
	}
	return strings.Join(list, ", ")
}

func print(a *verb.App, u api.Usage, now time.Time) error {
	if len(u.Windows) == 0 {
		fmt.Fprintln(a.Stderr, "no agent has said anything about its limits yet")
	} else if err := windows(a, u, now); err != nil {
		return err
	}
	probes(a, u.Probes, now)
	return rows(a, u)
}

// probes prints which accounts are not asked, and which do not answer, and why.
func probes(a *verb.App, list []api.UsageProbe, now time.Time) {
	for _, p := range list {
		switch p.State {
		case api.ProbeOff:
			fmt.Fprintln(a.Out, "accounts at rest are not asked for their windows: usage_probe = false")
			return
		case api.ProbeRefused:
			fmt.Fprintf(a.Out, "%s/%s was asked %s ago: %s; ", p.Agent, p.Account, verb.Age(now, *p.At), p.Why)
			if p.Next == nil {
				fmt.Fprintln(a.Out, "it is not asked again")
			} else {
				fmt.Fprintf(a.Out, "it is asked again in %s\n", verb.Age(*p.Next, now))
			}
		}
	}
}

// windows prints what is left.
func windows(a *verb.App, u api.Usage, now time.Time) error {
	t := verb.Table{}
	t.Row(verb.Plain("ACCOUNT", "WINDOW", "USED", "", "RESETS", "SAID")...)
	for _, w := range u.Windows {
		cells := verb.Plain(w.Agent+"/"+w.Account, w.Name, used(w), bar(w.UsedPercent, a.Unicode()), resets(w, now), verb.Age(now, w.At)+" ago, "+w.Source)
		cells[2].Sgr, cells[3].Sgr = colours[w.Pace], colours[w.Pace]
		t.Row(cells...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

// colours are those of paces, as SGR parameters.
var colours = map[api.UsagePace]string{api.PaceQuick: "33", api.PaceSpent: "31"}

func used(w api.UsageWindow) string {
	if w.UsedPercent == nil {
		return "?"
	}
	return fmt.Sprintf("%3.0f%%", math.Floor(*w.UsedPercent))
}

// barWidth is the width of a bar, in columns.
const barWidth = 20

// bar is a share as a bar; "" if it is unknown.
func bar(percent *float64, unicode bool) string {
	if percent == nil {
		return ""
	}
	full, rest := "█", "░"
	if !unicode {
		full, rest = "#", "."
	}
	n := min(barWidth, int(*percent*barWidth/100))
	return strings.Repeat(full, n) + strings.Repeat(rest, barWidth-n)
}

// resets says when a window ends, or that it has.
func resets(w api.UsageWindow, now time.Time) string {
	switch {
	case w.ResetsAt == nil:
		return "-"
	case w.Rolled(now):
		return "rolled " + verb.Age(now, *w.ResetsAt) + " ago"
	}
	return "in " + w.Left(now)
}
