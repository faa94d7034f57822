package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
)

func newNewCmd(a *app) *cobra.Command {
	var n api.NewSession
	var dir string
	cmd := &cobra.Command{
		Use:   "new [-n NAME] [-a AGENT] [-C DIR] [-e K=V]… [-p TEXT] [--json] [-- CMD ARG…]",
		Short: "Start a session and print its id",
		Long: `Start a session with your environment, in your directory or the one given by -C,
and print its id. With a command after -- that is what runs; without one it is
the agent (-a, or the default of the configuration).`,
		Example: `  ccdir new -n api -C ~/src/api -p "find the slow test"
  ccdir new -a demo
  ccdir new -n logs -- tail -f /var/log/syslog
  id=$(ccdir new -e DEBUG=1 -- make test) && ccdir wait "$id" --state exited`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch dash := cmd.ArgsLenAtDash(); {
			case dash < 0 && len(args) > 0:
				return fmt.Errorf("unexpected argument %q: give a prompt by -p (--prompt), or put -- before a command", args[0])
			case dash > 0:
				return fmt.Errorf("unexpected argument %q before --", args[0])
			case dash == 0 && len(args) == 0:
				return fmt.Errorf("no command after --")
			case dash == 0 && args[0] == "":
				return fmt.Errorf("the command after -- is empty")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkNew(cmd, &n, args); err != nil {
				return err
			}
			return a.create(cmd.Context(), n, dir)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&n.Name, "name", "n", "", "`NAME` of the session (default AGENT-N)")
	f.StringVarP(&n.Agent, "agent", "a", "", "`AGENT` to start (default: default_agent of the configuration)")
	f.StringVarP(&dir, "dir", "C", "", "`DIR` to start it in (default: the current one)")
	f.StringArrayVarP(&n.ExtraEnv, "env", "e", nil, "variable to set, `K=V`; may be repeated")
	f.StringVar(&n.Role, "role", "", "`ROLE` that decides about its tools and rules: dev, lead, or one of the configuration (default dev)")
	f.StringVarP(&n.Prompt, "prompt", "p", "", "prompt to deliver once the agent takes input, `TEXT`")
	f.StringVar(&n.Resume, "resume", "", "`CONVERSATION` of the agent to continue")
	f.IntVar(&n.Cols, "cols", 0, "first width, `N` columns (default 80)")
	f.IntVar(&n.Rows, "rows", 0, "first height, `N` rows (default 24)")
	f.IntVar(&n.Scrollback, "scrollback", 0, "`LINES` of history kept (default: the configuration's)")
	a.jsonFlag(cmd, "print the whole session as JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.completeAgent)
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"dev", "lead"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// create starts the session in dir, which is relative to the caller's directory.
func (a *app) create(ctx context.Context, n api.NewSession, dir string) error {
	cwd, err := a.fromHere(dir, "an absolute one with -C")
	if err != nil {
		return err
	}
	if n.Prompt, err = wholeText(n.Prompt); err != nil {
		return err
	}
	n.CWD, n.Env = cwd, a.Env
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	s, err := c.CreateSession(ctx, n)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	_, err = fmt.Fprintln(a.out, s.ID)
	return err
}

// checkNew checks the flags.
func checkNew(cmd *cobra.Command, n *api.NewSession, args []string) error {
	n.Argv = args
	if len(args) > 0 && n.Agent != "" {
		return usagef(cmd, "-a %s and a command after -- exclude one another", n.Agent)
	}
	if len(args) > 0 && n.Resume != "" {
		return usagef(cmd, "--resume is for agents, not for a command after --")
	}
	for _, kv := range n.ExtraEnv {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" {
			return usagef(cmd, "-e %q is not K=V", kv)
		}
	}
	f := cmd.Flags()
	for flag, v := range map[string]int{"cols": n.Cols, "rows": n.Rows} {
		if f.Changed(flag) && v < 1 {
			return usagef(cmd, "--%s %d: a screen has at least one column and one row", flag, v)
		}
	}
	if f.Changed("scrollback") && n.Scrollback < 1 {
		return usagef(cmd, "--scrollback %d: keep at least one line", n.Scrollback)
	}
	if f.Changed("name") && n.Name == "" {
		return usagef(cmd, "the name is empty")
	}
	return nil
}

// fromHere returns the absolute path of dir. If the working directory was deleted, dir has
// to be absolute; other says how to give such a one.
func (a *app) fromHere(dir, other string) (string, error) {
	if a.Dir == "" && !filepath.IsAbs(dir) {
		return "", errors.New("the working directory is gone: change to one that exists, or give " + other)
	}
	return absolute(a.Dir, dir), nil
}

// absolute returns the absolute path of dir, which is relative to base.
func absolute(base, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, dir)
}
