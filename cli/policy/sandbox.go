package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/sandbox"
	"ccdir/sandbox/place"
	"ccdir/sandbox/proxy"
	"ccdir/sandbox/wall"
)

// Sandbox makes the verb `sandbox`.
func Sandbox(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Walls around sessions, held by the kernel",
		Long: `Profiles say what the processes of a session may touch; the kernel holds them,
whatever the agent decides. ` + "`ccdir new --sandbox worktree`" + ` starts a session behind one.`,
		Example: "  ccdir sandbox ls\n  ccdir sandbox show worktree",
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(sandboxLs(a), sandboxShow(a), sandboxRun(a), sandboxExplain(a), sandboxAllow(a))
	return cmd
}

func sandboxLs(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "ls [--json]",
		Short:   "List the profiles",
		Example: "  ccdir sandbox ls",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			own := a.Config().Sandbox.Profiles
			var list []sandbox.Profile
			for _, p := range sandbox.Ready() {
				if p, err := sandbox.Find(p.Name, own); err == nil {
					list = append(list, p)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(own)) {
				if p, err := sandbox.Find(name, own); err == nil && !slices.ContainsFunc(list, func(l sandbox.Profile) bool { return l.Name == name }) {
					list = append(list, p)
				}
			}
			return a.Output(list, func() error {
				t := verb.Table{}
				t.Row(verb.Plain("PROFILE", "NETWORK", "WHAT IT MEANS")...)
				for _, p := range list {
					says := p.Says
					if says == "" {
						says = "as " + p.Base + ", with changes of your own (`ccdir config get sandbox." + p.Name + "`)"
					}
					t.Row(verb.Plain(p.Name, p.Network, says)...)
				}
				return t.Write(a.Out, a.Colours())
			})
		},
	}
	a.JSONFlag(cmd, "print the profiles as JSON")
	return cmd
}

// shownPlan is `sandbox show --json`.
type shownPlan struct {
	Name      string   `json:"name"`
	Mechanism string   `json:"mechanism"`
	Write     []string `json:"write"`
	Read      []string `json:"read"`
	Keep      []string `json:"keep"`
	Hidden    []string `json:"hidden"`
	Network   string   `json:"network"`
	Hosts     []string `json:"hosts"`
	Complete  bool     `json:"complete"`
	Missing   []string `json:"missing"`
}

func sandboxShow(a *verb.App) *cobra.Command {
	var dir, agent string
	cmd := &cobra.Command{
		Use:   "show PROFILE [-C DIR] [-a AGENT] [--json]",
		Short: "Show what a profile lets through, and what this machine cannot hold of it",
		Long: `Show what a session in DIR behind the profile could write and read, what stays
read-only within that, and what is hidden. Everything else of the file system is not
there for it. What this machine cannot hold of the profile is listed as missing.`,
		Example: "  ccdir sandbox show worktree\n  ccdir sandbox show offline -C ~/src/app --json",
		Args:    verb.Exactly(1, "PROFILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if agent == "" {
				agent = a.Config().DefaultAgent
			}
			p, err := planHere(cmd.Context(), a, args[0], dir, agent)
			if err != nil {
				return err
			}
			full := func(list []string) []string { return append([]string{}, list...) } // [], never null
			v := shownPlan{p.Profile, p.Mechanism, full(p.Write), full(p.Read), full(p.Keep), full(p.Hidden), p.Network, full(p.Hosts), p.Complete(), full(p.Missing)}
			return a.Output(v, func() error {
				t := verb.Table{}
				t.Row(verb.Plain("held by", verb.OrNone(v.Mechanism))...)
				t.Row(verb.Plain("network", v.Network)...)
				for _, part := range []struct {
					name  string
					paths []string
				}{{"reaches", v.Hosts}, {"writes", v.Write}, {"reads", v.Read}, {"kept as it is", v.Keep}, {"hidden", v.Hidden}, {"missing", v.Missing}} {
					for _, path := range part.paths {
						t.Row(verb.Plain(part.name, path)...)
					}
				}
				return t.Write(a.Out, a.Colours())
			})
		},
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "`DIR` of the session (default: the current one)")
	cmd.Flags().StringVarP(&agent, "agent", "a", "", "`AGENT` whose state it writes (default: default_agent of the configuration)")
	a.JSONFlag(cmd, "print the plan as JSON")
	return cmd
}

// planHere is the plan of a process in dir; agent is the name of one in the configuration, "" for a
// command.
func planHere(ctx context.Context, a *verb.App, profile, dir, agent string) (plan sandbox.Plan, err error) {
	cwd, err := a.FromHere(dir, "an absolute one with -C")
	if err != nil {
		return plan, err
	}
	cfg := a.Config()
	found, err := sandbox.Find(profile, cfg.Sandbox.Profiles)
	if err != nil {
		return plan, err
	}
	paths, err := a.Paths()
	if err != nil {
		return plan, err
	}
	of, known := cfg.Agents[agent]
	if agent != "" && !known {
		return plan, fmt.Errorf("no agent is called %q: there are %s", agent, strings.Join(cfg.AgentNames(), ", "))
	}
	command := ""
	if found, err := agents.FindExecutable(of.Command, cwd, a.Env); err == nil && of.Command != "" {
		command = found
	}
	at, err := place.Of(ctx, cwd, command, a.Env, nil)
	if err != nil {
		return plan, err
	}
	if adapter, ok := adapters.Lookup(of.Kind); ok {
		if w, ok := adapter.(agents.Walled); ok {
			at.Agent = w.Needs(a.Env, paths.SessionDir("ID"))
		}
	}
	at.Own.Hide = []string{paths.State, paths.Config}
	at.Private = filepath.Join(paths.State, "sandbox")
	if plan, err = sandbox.Make(found, at); err != nil {
		return plan, err
	}
	if plan = plan.For(wall.Able(ctx), ""); plan.Mechanism != "" {
		plan.Missing = append(plan.Missing, wall.Unheld(plan)...)
	}
	return plan, nil
}

func sandboxRun(a *verb.App) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "run PROFILE [-C DIR] -- CMD [ARG…]",
		Short: "Run any command behind a profile, here",
		Long: `Run a command behind a profile, as a session's would be, with this terminal. Its
exit status is the command's. Caches and temporary files are new, and removed
afterwards. What the machine cannot hold of the profile is said first.`,
		Example: "  ccdir sandbox run worktree -- make test\n  ccdir sandbox run offline -- npm test",
		Args:    verb.Between(2, 4096, "PROFILE, and the command after --"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 1 {
				return verb.Usagef(cmd, "the command comes after --: `ccdir sandbox run PROFILE -- CMD`")
			}
			plan, err := planHere(cmd.Context(), a, args[0], dir, "")
			if err != nil {
				return err
			}
			state := api.Sandbox{Name: plan.Profile, Mechanism: plan.Mechanism, Complete: plan.Complete(), Missing: plan.Missing}
			if plan.Mechanism == "" {
				return errors.New(state.Lacks())
			}
			if lacks := state.Lacks(); lacks != "" {
				a.Tell("%s", lacks)
			}
			return runBehind(cmd.Context(), a, plan, args[1:])
		},
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "`DIR` to run it in (default: the current one)")
	return cmd
}

// runBehind runs a command to its end.
func runBehind(ctx context.Context, a *verb.App, plan sandbox.Plan, argv []string) error {
	shim, err := a.Shim(ctx)
	if err != nil {
		return err
	}
	private, err := os.MkdirTemp("", "ccdir-sandbox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	plan.Private = private
	plan.Read = append(plan.Read, shim)
	if listed := plan.Network == sandbox.NetworkHosts && plan.Mechanism != sandbox.SandboxExec; listed {
		plan.Proxy = filepath.Join(private, "network.sock")
		way := proxy.New(proxy.Options{Hosts: func() []string { return plan.Hosts }, Env: a.Env, Refused: func(host string, count int) {
			a.Tell("the sandbox %s does not let %s through (%d times)", plan.Profile, host, count)
		}})
		defer way.Close()
		if err := way.Listen(plan.Proxy); err != nil {
			return err
		}
	}
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	file := filepath.Join(private, "plan.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	run := exec.CommandContext(ctx, shim, append([]string{wall.Verb, file, "--"}, argv...)...)
	run.Dir, run.Env = plan.Dir, a.Env
	run.Stdin, run.Stdout, run.Stderr = a.Stdin, a.Stdout, a.Stderr
	err = run.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return verb.QuietError{Code: exit.ExitCode()}
	}
	return err
}
