// Package session has the verbs that start sessions, list them, follow them, give them input and end
// them, and those that look into what has ended.
package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// New makes the verb `new`.
func New(a *verb.App) *cobra.Command {
	var n api.NewSession
	var dir string
	var tree treeFlags
	cmd := &cobra.Command{
		Use:   "new [-n NAME] [-a AGENT] [-m MODEL] [-C DIR] [-w BRANCH] [-e K=V]… [--json] [PROMPT] [-- CMD ARG… | -a AGENT -- ARG…]",
		Short: "Start a session and print its id",
		Long: `Start a session with your environment, in your directory or the one given by -C,
and print its id. With a command after -- that is what runs; without one it is
the agent (-a, or the default of the configuration), which begins with PROMPT
(- reads it from standard input). After -a AGENT, what follows -- are arguments
of the agent; a restart and a restore give them again.

With -w BRANCH it runs in a git work tree of its own, made if the branch has none:
what it does there disturbs nobody (see worktree).`,
		Example: `  ccdir new "find the slow test"
  ccdir new -n api -C ~/src/api --model opus -p "find the slow test"
  ccdir new -a claude "compare the two" -- --add-dir ../other
  ccdir new -w fix-login "fix the login"
  ccdir new -w . --base origin/main --fetch
  ccdir new -a demo
  ccdir new -n logs -- tail -f /var/log/syslog
  id=$(ccdir new -e DEBUG=1 -- make test) && ccdir wait "$id" --state exited`,
		Args: func(cmd *cobra.Command, args []string) error {
			prompt, rest := verb.AtDash(cmd, args)
			switch {
			case len(prompt) > 1:
				return fmt.Errorf("unexpected argument %q: quote a prompt of several words, and put -- before a command", prompt[1])
			case cmd.ArgsLenAtDash() >= 0 && len(rest) == 0:
				return fmt.Errorf("nothing after --: a command, or after -a AGENT its arguments")
			case len(rest) > 0 && rest[0] == "" && !cmd.Flags().Changed("agent"):
				return fmt.Errorf("the command after -- is empty")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt, rest := verb.AtDash(cmd, args)
			if err := takePrompt(a, cmd, &n, prompt); err != nil {
				return err
			}
			if err := checkNew(cmd, &n, rest); err != nil {
				return err
			}
			if err := tree.check(cmd); err != nil {
				return err
			}
			return create(cmd.Context(), a, n, dir, &tree)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&n.Name, "name", "n", "", "`NAME` of the session (default AGENT-N)")
	verb.RefFlag(cmd, "name")
	f.StringVarP(&n.Agent, "agent", "a", "", "`AGENT` to start (default: default_agent of the configuration)")
	f.StringVar(&n.Account, "account", "", "`NAME` of an account of the configuration, or default, the agent's own sign-in (default: as the configuration says for the directory)")
	f.StringVarP(&n.Model, "model", "m", "", "`MODEL` of the agent, in its words (claude: opus, sonnet, haiku, or a full name)")
	f.StringVarP(&dir, "dir", "C", "", "`DIR` to start it in (default: the current one)")
	f.StringArrayVarP(&n.ExtraEnv, "env", "e", nil, "variable to set, `K=V`; may be repeated")
	f.StringVar(&n.Role, "role", "", "`ROLE` that decides about its tools and rules: dev, lead, or one of the configuration (default dev)")
	f.StringVar(&n.Sandbox, "sandbox", "", "`PROFILE` of the walls around it (`ccdir sandbox ls`; none: no walls)")
	f.StringVarP(&n.Prompt, "prompt", "p", "", "prompt to deliver once the agent takes input, `TEXT`")
	f.StringVar(&n.Resume, "resume", "", "`CONVERSATION` of the agent to continue")
	f.StringVar((*string)(&n.ResumeAfterLimit), "resume-after-limit", "", "what becomes of it after usage limits, `MODE`: on, own, ask, off (default: resume_after_limit of the configuration)")
	f.IntVar(&n.Cols, "cols", 0, "first width, `N` columns (default 80)")
	f.IntVar(&n.Rows, "rows", 0, "first height, `N` rows (default 24)")
	f.IntVar(&n.Scrollback, "scrollback", 0, "`LINES` of history kept (default: the configuration's)")
	tree.add(a, cmd)
	a.JSONFlag(cmd, "print the whole session as JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.CompleteAgent)
	_ = cmd.RegisterFlagCompletionFunc("model", a.CompleteModel)
	_ = cmd.RegisterFlagCompletionFunc("account", a.CompleteAccount)
	_ = cmd.RegisterFlagCompletionFunc("resume-after-limit", cobra.FixedCompletions([]string{"on", "own", "ask", "off"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"dev", "lead"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// takePrompt takes the prompt that is given as an argument. One word that is a command is
// refused: it lacks a --.
func takePrompt(a *verb.App, cmd *cobra.Command, n *api.NewSession, args []string) (err error) {
	switch {
	case len(args) == 0:
		return nil
	case cmd.Flags().Changed("prompt"):
		return verb.Usagef(cmd, "the prompt is given twice: %q and -p", args[0])
	case strings.TrimSpace(args[0]) == "":
		return verb.Usagef(cmd, "the prompt is empty")
	}
	if word := args[0]; a.Node == "" && word != "-" && !strings.ContainsFunc(word, unicode.IsSpace) {
		if _, err := agents.FindExecutable(word, a.Dir, a.Env); err == nil {
			return verb.Usagef(cmd, "%q is a command: put -- before it, or give it as a prompt by -p (--prompt)", word)
		}
	}
	n.Prompt, err = a.TextArg(args)
	return err
}

// create starts the session in dir, which is relative to the caller's directory.
func create(ctx context.Context, a *verb.App, n api.NewSession, dir string, tree *treeFlags) error {
	cwd, err := a.FromHere(dir, "an absolute one with -C")
	if err != nil {
		return err
	}
	if n.Prompt, err = verb.WholeText(n.Prompt); err != nil {
		return err
	}
	c, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	n.CWD, n.Env = cwd, a.Env
	if err := inTree(ctx, a, c, &n, tree); err != nil {
		return err
	}
	s, err := c.CreateSession(ctx, n)
	if err != nil {
		return err
	}
	if s.CWD != n.CWD {
		a.Tell("in a work tree of its own, as .ccdir.toml says: %s", s.CWD)
	}
	if err := a.Output(s, func() error {
		_, err := fmt.Fprintln(a.Out, verb.Prefixed(a.Node, s.ID))
		return err
	}); err != nil || n.Resume == "" {
		return err
	}
	return resumed(ctx, c, s.ID)
}

const (
	// resumeTime is how long `ccdir new --resume` waits for the agent to begin, wordsTime how
	// long for what an agent said that has ended instead.
	resumeTime = 20 * time.Second
	wordsTime  = 3 * time.Second
)

// resumed waits until an agent has begun with a conversation, and fails with its own words if
// it ends instead, because it does not know it.
func resumed(ctx context.Context, c *client.Client, id string) error {
	begun := slices.DeleteFunc(api.States(), func(s api.State) bool { return s == api.StateStarting || s == api.StateExiting })
	s, err := c.Wait(ctx, id, begun, resumeTime)
	if err != nil || !s.State.Ended() {
		return nil // what is known is printed: the session exists
	}
	for end := time.Now().Add(wordsTime); s.Error == "" && s.ExitCode != nil && *s.ExitCode != 0 && time.Now().Before(end); {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		if s, err = c.Session(ctx, id); err != nil {
			return err
		}
	}
	return fmt.Errorf("session %s has ended: %s (`ccdir rm %[1]s` takes it out of the list)", s.Name, cmp.Or(s.Error, "its agent did not say why"))
}

// checkNew checks the flags.
func checkNew(cmd *cobra.Command, n *api.NewSession, args []string) error {
	if n.Agent != "" {
		n.Args = args
	} else {
		n.Argv = args
	}
	if len(n.Argv) > 0 && n.Resume != "" {
		return verb.Usagef(cmd, "--resume is for agents, not for a command after --")
	}
	if n.ResumeAfterLimit != "" && !slices.Contains(api.ResumeModes, n.ResumeAfterLimit) {
		return verb.Usagef(cmd, "--resume-after-limit %q: on, own, ask or off", n.ResumeAfterLimit)
	}
	if len(n.Argv) > 0 && n.ResumeAfterLimit != "" {
		return verb.Usagef(cmd, "--resume-after-limit is for agents, not for a command after --")
	}
	if len(n.Argv) > 0 && n.Account != "" {
		return verb.Usagef(cmd, "--account is for agents: name one by -a, or leave the command after -- out")
	}
	if len(n.Argv) > 0 && n.Model != "" {
		return verb.Usagef(cmd, "--model is for agents: name one by -a, or leave the command after -- out")
	}
	for _, kv := range n.ExtraEnv {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" {
			return verb.Usagef(cmd, "-e %q is not K=V", kv)
		}
	}
	f := cmd.Flags()
	for flag, v := range map[string]int{"cols": n.Cols, "rows": n.Rows} {
		if f.Changed(flag) && v < 1 {
			return verb.Usagef(cmd, "--%s %d: a screen has at least one column and one row", flag, v)
		}
	}
	if f.Changed("scrollback") && n.Scrollback < 1 {
		return verb.Usagef(cmd, "--scrollback %d: keep at least one line", n.Scrollback)
	}
	if f.Changed("name") && n.Name == "" {
		return verb.Usagef(cmd, "the name is empty")
	}
	return nil
}
