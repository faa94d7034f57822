package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/layout"
	"ccdir/config"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
	"ccdir/worktrees"
)

// Open makes the verb `open`.
func Open(a *verb.App) *cobra.Command {
	var dir string
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "open FILE|TEMPLATE [-C DIR] [--dry-run] [--yes] [--json]",
		Short: "Start the sessions of a layout file or a template",
		Long: `Start the sessions that a layout file names, in their directories, with their agents,
prompts, work trees and marks, and arrange the grid as it says. A session that runs under
one of these names is left alone; one that has ended is started again, with its conversation
and without the prompt. If a line is wrong, nothing is started.

A name without a slash and without .toml is a template of the configuration,
[templates.NAME]; its relative directories begin in -C, or where you are. Those of a file
begin in the file's directory.`,
		Example: `  ccdir open shop.toml --dry-run
  ccdir open shop.toml
  ccdir open review -C ~/src/shop`,
		Args: verb.Exactly(1, "FILE|TEMPLATE"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.Config().TemplateNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := readLayout(a, args[0], dir)
			if err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return open(cmd.Context(), a, c, l, dry, yes)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "dir", "C", "", "`DIR` in which a template is opened (default: the current one)")
	f.BoolVar(&dry, "dry-run", false, "say what would be started, and start nothing")
	f.BoolVarP(&yes, "yes", "y", false, "agree to the setup commands of new work trees")
	_ = cmd.MarkFlagDirname("dir")
	a.JSONFlag(cmd, "print what became of each session as a JSON array")
	return cmd
}

// readLayout reads a file, or a template of the configuration.
func readLayout(a *verb.App, ref, dir string) (config.Layout, error) {
	loaded, err := a.Loaded()
	if err != nil {
		return config.Layout{}, err
	}
	here, err := a.FromHere(dir, "an absolute one with -C")
	if err != nil {
		return config.Layout{}, err
	}
	if !strings.Contains(ref, "/") && !strings.HasSuffix(ref, ".toml") {
		t, ok := loaded.Templates[ref]
		if !ok {
			for _, p := range loaded.Problems {
				if strings.HasPrefix(p.Key, "templates."+ref) {
					return t, errors.New(p.String())
				}
			}
			return t, fmt.Errorf("no template is called %q: there are %s; a layout file is named with its .toml", textsafe.Line(ref),
				cmp.Or(strings.Join(loaded.TemplateNames(), ", "), "none ([templates.NAME] in config.toml)"))
		}
		return t.In(here), layoutName(t)
	}
	file := ref
	if !filepath.IsAbs(file) {
		if a.Dir == "" {
			return config.Layout{}, errors.New("the working directory is gone: give the file's absolute path")
		}
		file = filepath.Join(a.Dir, file)
	}
	l, problems, err := config.ReadLayout(file, a.Getenv("HOME"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, fmt.Errorf("there is no file %s: `ccdir save %s` writes one of what runs", a.ShortPath(file), ref)
	case err != nil:
		return l, err
	case len(problems) > 1:
		return l, fmt.Errorf("%s (and %d more)", problems[0], len(problems)-1)
	case len(problems) > 0:
		return l, errors.New(problems[0].String())
	}
	return l, layoutName(l)
}

// layoutName refuses a layout of the grid that there is not.
func layoutName(l config.Layout) error {
	if l.Layout == "" || string(tiling.Known(l.Layout)) == l.Layout {
		return nil
	}
	names := make([]string, len(tiling.Kinds))
	for i, k := range tiling.Kinds {
		names[i] = string(k)
	}
	return fmt.Errorf("%s: layout: the grid has no layout %q; there are %s", l.File, textsafe.Line(l.Layout), strings.Join(names, ", "))
}

// open starts the sessions of a layout, or says what would be started.
func open(ctx context.Context, a *verb.App, c *client.Client, l config.Layout, dry, yes bool) error {
	o := layout.Options{Env: a.Env, Check: func(s config.LayoutSession) error { return known(a, s) }}
	o.Make = func(ctx context.Context, n api.NewSession) (api.Session, error) {
		tree := treeFlags{branch: n.Worktree, base: n.Base, yes: yes}
		n.Worktree, n.Base = "", ""
		if err := inTree(ctx, a, c, &n, &tree); err != nil {
			return api.Session{}, err
		}
		return c.CreateSession(ctx, n)
	}
	do := layout.Open
	if dry {
		do = layout.Plan
	}
	steps, err := do(ctx, c, l, o)
	if steps == nil && err != nil {
		return err
	}
	failed := 0
	t := verb.Table{}
	for _, s := range steps {
		if s.Does == layout.Fails {
			failed++
			fmt.Fprintln(a.Stderr, "ccdir: "+textsafe.Line(s.Why))
		}
		t.Row(verb.Plain(s.ID, s.Name, s.Words(!dry), a.ShortPath(s.CWD))...)
	}
	printed := a.Output(steps, func() error { return t.Write(a.Out, a.Colours()) })
	switch {
	case err != nil || printed != nil:
		return errors.Join(err, printed)
	case failed > 0 && dry:
		return fmt.Errorf("%d of %d sessions cannot be started: nothing would be", failed, len(steps))
	case failed > 0:
		return fmt.Errorf("%d of %d sessions were not started: correct what they say, then `ccdir open` again", failed, len(steps))
	}
	return nil
}

// known refuses an agent or an account that the configuration does not have, and an agent that
// is not installed.
func known(a *verb.App, s config.LayoutSession) error {
	cfg := a.Config()
	if _, ok := cfg.Agents[s.Agent]; s.Agent != "" && !ok {
		return fmt.Errorf("no agent is called %q; there are %s", textsafe.Line(s.Agent), strings.Join(cfg.AgentNames(), ", "))
	}
	if _, ok := cfg.Accounts[s.Account]; s.Account != "" && s.Account != api.AccountDefault && !ok {
		return fmt.Errorf("no account is called %q; there are %s", textsafe.Line(s.Account), cmp.Or(strings.Join(cfg.AccountNames(""), ", "), "none"))
	}
	if len(s.Argv) > 0 {
		return nil
	}
	name := cmp.Or(s.Agent, cfg.DefaultAgent)
	agent, env := cfg.Agents[name], a.Env
	if path, ok := agent.Env["PATH"]; ok {
		env = agents.SetEnv(env, "PATH="+path)
	}
	if agent.Command == "" || agent.Kind == agents.KindDemo { // ccdir's own, or a shell
		return nil
	}
	if _, err := agents.FindExecutable(agent.Command, s.Dir, env); err != nil {
		return fmt.Errorf("the agent %s is not installed: %s", name, cmp.Or(agents.InstallHint(agent.Kind), err.Error()))
	}
	return nil
}

// Save makes the verb `save`.
func Save(a *verb.App) *cobra.Command {
	var conversations, force bool
	cmd := &cobra.Command{
		Use:   "save [FILE] [--conversations] [--force]",
		Short: "Write a layout file of what runs",
		Long: `Write a layout file with the sessions that run on this machine and the arrangement of the
grid: names, directories, work trees, agents, models, roles, walls, marks. Without a FILE it
goes to standard output. Directories below the file's are written relative to it. Prompts
are not written, nor variables (-e); with --conversations each agent goes on with its
conversation instead of a new one. Sessions of tasks are the queue's and left out.`,
		Example: `  ccdir save
  ccdir save shop.toml
  ccdir save ~/monday.toml --conversations`,
		Args: verb.AtMostOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			l, err := running(ctx, c, conversations)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				_, err := fmt.Fprint(a.Out, l.Text("", a.Getenv("HOME")))
				return err
			}
			return write(a, l, args[0], force)
		}),
	}
	cmd.Flags().BoolVar(&conversations, "conversations", false, "agents go on with their conversations")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace the file")
	return cmd
}

// running is the layout of what runs.
func running(ctx context.Context, c *client.Client, conversations bool) (config.Layout, error) {
	list, err := c.Sessions(ctx)
	if err != nil {
		return config.Layout{}, err
	}
	g, err := c.Grid(ctx)
	if err != nil {
		return config.Layout{}, err
	}
	trees, err := c.Worktrees(ctx, "", false)
	if err != nil {
		return config.Layout{}, err
	}
	own := func(repo string) bool {
		s, err := worktrees.ReadSettings(repo)
		return err != nil || s.Isolate != worktrees.IsolateNever
	}
	l := layout.Of(list, g, trees, own, conversations)
	if len(l.Sessions) == 0 {
		return l, errors.New("no sessions run here: there is nothing to save")
	}
	return l, nil
}

// write writes a layout file; one that exists is replaced only by force.
func write(a *verb.App, l config.Layout, file string, force bool) error {
	path, err := a.FromHere(file, "an absolute path")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s exists: --force replaces it", a.ShortPath(path))
	}
	if err := atomicfile.Write(path, []byte(l.Text(filepath.Dir(path), a.Getenv("HOME")))); err != nil {
		return err
	}
	a.Tell("%s: %d sessions; `ccdir open %s` starts them", a.ShortPath(path), len(l.Sessions), file)
	return nil
}
