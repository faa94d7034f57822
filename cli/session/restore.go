package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// restoreFlags are those of `ccdir restore`.
type restoreFlags struct {
	all, kept, forget bool
	from              int
}

// Restore makes the verb `restore`.
func Restore(a *verb.App) *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:         "restore [SESSION…] [--all] [--from N] [--kept] [--forget] [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Begin again what ran before a reboot or a crash",
		Long: `Without arguments: list what ran when the machine was restarted, or was lost because
its host died, and does not run now. With SESSIONs (names or ids of that
list) or --all: begin it again, in its directory, at its place in the grid, agents
with their conversation. The grid offers the same when it is opened.

What runs is kept in several generations (--kept lists them), of which a smaller
one never overwrites a larger one; --from N lists or begins what generation N has
and does not run now, also sessions that were removed since. --forget withdraws the
offer; nothing is deleted by it.`,
		Example: `  ccdir restore
  ccdir restore --all
  ccdir restore api docs
  ccdir restore --kept
  ccdir restore --from 7 --all`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: verb.Completing(a, completeRestore),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			switch {
			case f.forget:
				return c.RefuseRestore(cmd.Context())
			case f.all || len(args) > 0:
				return restore(a, cmd, c, api.Restore{From: f.from, Sessions: args, Env: a.Env})
			}
			o, err := c.RestoreOffer(cmd.Context(), f.from)
			if err != nil {
				return err
			}
			if f.kept {
				return printKept(a, o.Kept)
			}
			return printOffer(a, o, f.from)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "all that is listed")
	flags.IntVar(&f.from, "from", 0, "what generation `N` has")
	flags.BoolVar(&f.kept, "kept", false, "list the generations")
	flags.BoolVar(&f.forget, "forget", false, "offer it no more")
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

func (f restoreFlags) check(cmd *cobra.Command, args []string) error {
	given := 0
	for _, on := range []bool{f.all, len(args) > 0, f.kept, f.forget} {
		if on {
			given++
		}
	}
	switch {
	case given > 1:
		return verb.Usagef(cmd, "give one of SESSIONs, --all, --kept and --forget")
	case cmd.Flags().Changed("from") && (f.from < 1 || f.kept || f.forget):
		return verb.Usagef(cmd, "--from is the number of a generation, with SESSIONs, --all or neither: `ccdir restore --kept` lists them")
	}
	return nil
}

// restore starts sessions of an offer and prints the result of each.
func restore(a *verb.App, cmd *cobra.Command, c *client.Client, q api.Restore) error {
	done, err := c.Restore(cmd.Context(), q)
	if err != nil {
		return err
	}
	failed := 0
	t := verb.Table{}
	for _, r := range done {
		if r.Session == nil {
			failed++
			fmt.Fprintf(a.Stderr, "ccdir: %s: %s\n", textsafe.Line(r.Name), textsafe.Line(r.Error))
			continue
		}
		t.Row(verb.Plain(r.Session.ID, r.Session.Name, string(r.Session.State), a.ShortPath(r.Session.CWD))...)
	}
	switch {
	case a.JSON && done == nil:
		err = a.PrintJSON([]api.Restored{})
	case a.JSON:
		err = a.PrintJSON(done)
	case len(done) == 0:
		fmt.Fprintln(a.Stderr, "nothing to restore")
	default:
		err = t.Write(a.Out, a.Colours())
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d sessions were not begun again: correct what they say, then `ccdir restore` again", failed, len(done))
	}
	return err
}

// printOffer lists sessions that can be restored.
func printOffer(a *verb.App, o api.RestoreOffer, from int) error {
	if a.JSON {
		return a.PrintJSON(o)
	}
	if len(o.Sessions) == 0 {
		fmt.Fprintln(a.Stderr, "nothing to restore; `ccdir restore --kept` lists what ran before")
		return nil
	}
	t := verb.Table{}
	t.Row(verb.Plain("ID", "NAME", "AGENT", "NOW", "DIRECTORY", "CONTINUES")...)
	for _, s := range o.Sessions {
		now := string(s.State)
		if now == "" {
			now = "removed"
		}
		goes := "begins anew"
		if s.Resume {
			goes = "“" + textsafe.Cut(textsafe.Line(s.Prompt), 50) + "”"
		}
		if s.Problem != "" {
			goes = s.Problem
		}
		t.Row(verb.Plain(s.ID, s.Name, s.Agent, now, a.ShortPath(s.CWD), goes)...)
	}
	if err := t.Write(a.Out, a.Colours()); err != nil {
		return err
	}
	why := map[string]string{api.RestoreReboot: "the machine was restarted; last seen", api.RestoreLost: "hosts died; last seen"}[o.Reason]
	all := "ccdir restore --all"
	if from != 0 {
		why, all = "kept", fmt.Sprintf("ccdir restore --from %d --all", from)
	}
	fmt.Fprintf(a.Stderr, "%s %s: `%s`, or name sessions\n", why, o.At.Local().Format(time.DateTime), all)
	return nil
}

// printKept lists the generations.
func printKept(a *verb.App, list []api.KeptArrangement) error {
	if a.JSON {
		if list == nil {
			list = []api.KeptArrangement{}
		}
		return a.PrintJSON(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Stderr, "nothing is kept yet")
		return nil
	}
	t := verb.Table{}
	t.Row(verb.Plain("N", "UNTIL", "BOOT", "SESSIONS")...)
	for _, k := range list {
		boot := "before"
		if k.Boot {
			boot = "this"
		}
		names := strings.Join(k.Sessions, " ")
		if names == "" {
			names = "none"
		}
		t.Row(verb.Plain(fmt.Sprint(k.Number), k.At.Local().Format(time.DateTime), boot, textsafe.Cut(names, 100))...)
	}
	return t.Write(a.Out, a.Colours())
}

// completeRestore completes names of sessions that can be restored.
func completeRestore(a *verb.App, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.NewClient("cli")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	from, _ := cmd.Flags().GetInt("from")
	o, err := c.RestoreOffer(cmd.Context(), from)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range o.Sessions {
		names = append(names, s.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
