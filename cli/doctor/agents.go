package doctor

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/cli/verb"
	"ccdir/config"
)

// agentRow is one entry of `ccdir agents --json`.
type agentRow struct {
	// Kind is the adapter, Name the agent's name in the configuration.
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Command string `json:"command"`
	// Installed: the command was found, at Path. Version is what it reports, "" if it does not
	// run or is not installed; Tested: the tests run that version.
	Installed bool   `json:"installed"`
	Path      string `json:"path"`
	Version   string `json:"version"`
	Tested    bool   `json:"tested"`
	// TestedVersions are those that the tests run, "" for none.
	TestedVersions string `json:"tested_versions"`
	// State, Permissions and Prompts name the means, "" for none.
	State       string `json:"state"`
	Permissions string `json:"permissions"`
	Prompts     string `json:"prompts"`
	Resume      bool   `json:"resume"`
	OneShot     bool   `json:"one_shot"`
	MCP         bool   `json:"mcp"`
	// Abilities are all abilities with their means, Lacks what each lacks.
	Abilities map[agents.Ability]string `json:"abilities"`
	Lacks     map[agents.Ability]string `json:"lacks"`
	// Hint says what to do about an agent that is not installed or does not run.
	Hint string `json:"hint,omitempty"`
}

// Agents makes the verb `agents`.
func Agents(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents [--json]",
		Short: "List the agents, and what works with each",
		Long: `List the configured agents: whether each is installed, in which version, whether the tests run
that version, and what ccdir can do with it. docs/agents.md says more.`,
		Example: `  ccdir agents
  ccdir agents --json | jq -r '.[] | select(.installed) | .kind'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := agentRows(cmd.Context(), a)
			return verb.PrintList(a, list, false, nil, func() error { return printAgents(a, list) })
		},
	}
	a.JSONFlag(cmd, "print a JSON array of agents")
	return cmd
}

// agentRows are the configured agents, without the shell. Versions are asked at the same
// time: some agents need seconds to tell theirs.
func agentRows(ctx context.Context, a *verb.App) []agentRow {
	cfg := a.Config()
	var list []agentRow
	for _, name := range cfg.AgentNames() {
		if cfg.Agents[name].Kind != agents.KindShell {
			list = append(list, agentRow{Name: name})
		}
	}
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() { list[i] = rowOf(ctx, a, list[i].Name, cfg.Agents[list[i].Name]) })
	}
	wg.Wait()
	return list
}

func rowOf(ctx context.Context, a *verb.App, name string, agent config.Agent) agentRow {
	r := agentRow{Name: name, Kind: agent.Kind, Command: cmp.Or(agent.Command, agent.Kind),
		Abilities: map[agents.Ability]string{}, Lacks: map[agents.Ability]string{}}
	var about agents.Description
	if adapter, ok := adapters.Lookup(agent.Kind); ok {
		if d, ok := adapter.(agents.Described); ok {
			about = d.Describe()
		} else if adapter.Managed() {
			r.Abilities[agents.AbilityState] = "hooks"
		}
	}
	for ability, s := range about.Can {
		if s.How != "" {
			r.Abilities[ability] = s.How
		}
		if s.Lacks != "" {
			r.Lacks[ability] = s.Lacks
		}
	}
	r.State, r.Permissions, r.Prompts = r.Abilities[agents.AbilityState], r.Abilities[agents.AbilityPermissions], r.Abilities[agents.AbilityPrompts]
	r.Resume, r.OneShot, r.MCP = about.Can[agents.AbilityResume].How != "", about.Can[agents.AbilityOneShot].How != "", about.Can[agents.AbilityMCP].How != ""
	r.TestedVersions = about.TestedText()
	if agent.Kind == agents.KindDemo {
		r.Command, _ = a.Shim(ctx) // doctor says what is wrong with it
	}
	path, err := agents.FindExecutable(r.Command, a.Dir, a.Env)
	if err != nil {
		r.Hint = cmp.Or(agents.InstallHint(agent.Kind), err.Error())
		return r
	}
	r.Installed, r.Path = true, path
	if about.Tested[1] == (agents.Version{}) {
		return r
	}
	if r.Version, err = runs(ctx, a.Env, path, "--version"); err != nil {
		r.Hint = err.Error()
		return r
	}
	version, known := agents.ParseVersion(r.Version)
	r.Tested = known && about.Runs(version)
	return r
}

func printAgents(a *verb.App, list []agentRow) error {
	t := verb.Table{}
	t.Row(verb.Plain("AGENT", "VERSION", "STATE BY", "REQUESTS ANSWERED BY", "ALSO")...)
	for _, r := range list {
		version := cmp.Or(r.Version, "installed")
		switch {
		case !r.Installed:
			version = "not installed"
		case r.Version != "" && !r.Tested:
			version += " (tested: " + r.TestedVersions + ")"
		}
		t.Row(verb.Plain(r.Name, version, cmp.Or(r.State, "screen"), cmp.Or(r.Permissions, "the pane alone"), strings.Join(r.also(), ", "))...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

// also are the abilities of an agent that not every agent has.
func (r agentRow) also() (list []string) {
	for _, ability := range []agents.Ability{agents.AbilityPolicy, agents.AbilityResume, agents.AbilityFork, agents.AbilityOneShot, agents.AbilityMCP,
		agents.AbilityTranscript, agents.AbilityUsage} {
		if r.Abilities[ability] != "" {
			list = append(list, string(ability))
		}
	}
	return list
}
