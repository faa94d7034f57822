package verb

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/config"
	"ccdir/nodes"
)

// This file decides on which machine a verb acts. A reference may be NODE/REF; without a node
// the flag --node counts, then CCDIR_NODE, then this machine. Verbs know nothing of it: before
// one runs, its references have lost their node, and NewClient makes the node's client.

// envNode names the node for a whole shell.
const envNode = "CCDIR_NODE"

// fleetName is the flag of verbs that act on the fleet's queue.
const fleetName = "fleet"

// FleetNode is what --node says to a verb with --fleet: a machine of the fleet.
func (a *App) FleetNode() string { return a.nodeFlag }

// Names of places that are no node.
const (
	everywhere = "all"
	here       = "here"
)

// PlaceVerbs gives every verb its place: it adds --node, and wraps what runs and completes.
func (a *App) PlaceVerbs(root *cobra.Command) {
	root.PersistentFlags().StringVar(&a.nodeFlag, "node", "", "act on this `NODE` (see `ccdir node`); all: on every one")
	_ = root.RegisterFlagCompletionFunc("node", a.completeNode)
	eachVerbBelow(root, func(cmd *cobra.Command) {
		if run := cmd.RunE; run != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.place(cmd, args, run) }
		}
		if complete := cmd.ValidArgsFunction; complete != nil && Refs(cmd) > 0 {
			cmd.ValidArgsFunction = a.completePlaced(complete)
		}
	})
}

func eachVerbBelow(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		eachVerbBelow(sub, f)
	}
}

// split takes the node off a reference, if it has one. Names of sessions have no slash, so that
// NODE/ is a mistake if there is no such node.
func (a *App) split(ref string) (node, rest string, err error) {
	node, rest, ok := strings.Cut(ref, "/")
	if !ok || !config.ValidNodeName(node) && node != here || strings.ContainsAny(ref, " \t\n") {
		return "", ref, nil
	}
	if node != here {
		if _, err := a.NodeConfig(node); err != nil {
			return "", "", err
		}
	}
	if rest == "" {
		return "", "", fmt.Errorf("%q names a node and nothing on it: it is NODE/SESSION, NODE/TASK or NODE/REQUEST", ref)
	}
	return node, rest, nil
}

// place finds out where the verb acts and runs it there.
func (a *App) place(cmd *cobra.Command, args []string, run func(*cobra.Command, []string) error) error {
	if IsLocal(cmd) {
		if cmd.Flags().Changed("node") {
			return Usagef(cmd, "this verb acts on this machine only: leave --node out")
		}
		return run(cmd, args)
	}
	if fleet, _ := cmd.Flags().GetBool(fleetName); fleet {
		return run(cmd, args) // its queue decides on the machine; --node is one of its own
	}
	byNode, order, err := a.byNode(cmd, args)
	if err != nil {
		return err
	}
	node := a.nodeFlag
	if !cmd.Flags().Changed("node") && a.Part == Whole {
		node = a.Getenv(envNode)
	}
	if all, _ := cmd.Flags().GetBool(everywhere); all && cmd.Flags().Lookup(everywhere).Annotations[placeNote] != nil {
		node = everywhere
	}
	if len(order) > 0 && cmd.Flags().Changed("node") && a.Part == Whole {
		for _, n := range order {
			if n != "" && n != node {
				return Usagef(cmd, "the node is given twice: --node %s and %s/", node, n)
			}
		}
	}
	switch {
	case len(order) > 1:
		return a.onSeveral(cmd, byNode, order, node)
	case len(order) == 1 && order[0] != "":
		node = order[0]
	}
	if len(order) == 1 {
		args = byNode[order[0]]
	}
	if node == everywhere {
		return a.onAll(cmd, args)
	}
	if node != "" && node != here {
		if _, err := a.NodeConfig(node); err != nil {
			return err
		}
		a.Node = node
	}
	return run(cmd, args)
}

// byNode returns the arguments for each node that references name, without it; "" is the one
// that flag or environment say. It also takes the node off flags that are references.
func (a *App) byNode(cmd *cobra.Command, args []string) (byNode map[string][]string, order []string, err error) {
	byNode = map[string][]string{}
	put := func(node string) {
		if !slices.Contains(order, node) {
			order = append(order, node)
		}
	}
	many := Refs(cmd)
	for i, arg := range args {
		node := ""
		if i < many {
			whole := arg
			if node, arg, err = a.split(arg); err != nil && cmd.Annotations[refsNote] == refsFirstOrBranch {
				node, arg, err = "", whole, nil
			}
			if err != nil {
				return nil, nil, err
			}
			put(node)
		} else if len(order) > 0 {
			node = order[0]
		}
		byNode[node] = append(byNode[node], arg)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[refsNote] == nil {
			return
		}
		node, rest, failed := a.split(f.Value.String())
		if failed != nil {
			err = failed
		}
		if node == "" || failed != nil {
			return
		}
		_ = f.Value.Set(rest) // a string takes every text
		if put(node); len(args) > 0 && byNode[node] == nil {
			byNode[node] = args
		}
	})
	return byNode, order, err
}

// NodeConfig returns a node of the configuration.
func (a *App) NodeConfig(name string) (config.Node, error) {
	n, ok := a.Config().Nodes[name]
	if !ok {
		return n, fmt.Errorf("there is no node %q: `ccdir node ls` lists them, `ccdir node add` adds one", name)
	}
	return n, nil
}

// Remote returns the node of that name. background: it is looked at by the way.
func (a *App) Remote(name string, background bool) (*nodes.Remote, error) {
	n, err := a.NodeConfig(name)
	if err != nil {
		return nil, err
	}
	o, err := a.Opener("cli")
	if err != nil {
		return nil, err
	}
	return o.Remote(name, n, background), nil
}

// Opener makes clients of nodes that have this name.
func (a *App) Opener(client string) (machines.Opener, error) {
	p, err := a.Paths()
	return machines.Opener{Paths: p, UID: a.UID, Env: a.Env, Shim: a.Shim, Name: client, Wait: patience(client)}, err
}

// farDir returns the directory on the node that dir means: relative ones start at the person's
// home there, because this machine's directories are not the node's.
func (a *App) farDir(dir string) (string, error) {
	if path.IsAbs(dir) {
		return path.Clean(dir), nil
	}
	r, err := a.Remote(a.Node, false)
	if err != nil {
		return "", err
	}
	if _, err := machines.Within(r, machines.Patience).Ready(context.Background()); err != nil {
		return "", err
	}
	s, err := r.Status(context.Background()) // it is this machine's
	if err != nil || s.Greeting == nil || !path.IsAbs(s.Greeting.Home) {
		return "", fmt.Errorf("node %s does not say where your home is: give an absolute directory by -C", a.Node)
	}
	return path.Join(s.Greeting.Home, strings.TrimPrefix(strings.TrimPrefix(dir, "~"), "/")), nil
}

// farClient returns the options of a client of the node.
func (a *App) farClient(name string) (client.Options, error) {
	r, err := a.Remote(a.Node, a.Part == ByTheWay)
	if err != nil {
		return client.Options{}, err
	}
	o, err := a.Opener(name)
	switch {
	case err != nil:
		return client.Options{}, err
	case name == GridName: // it shows that it waits, and the person can cancel it
		return o.Client(r, 0), nil
	case a.Part == ByTheWay:
		return o.Client(r, machines.ShortPatience), nil
	}
	return o.Client(r, machines.Patience), nil
}

// TakePlace rewrites `new … NODE/ …`, whose argument is no reference, as --node NODE.
func (a *App) TakePlace(args []string) []string {
	verb := slices.IndexFunc(args, func(s string) bool { return !strings.HasPrefix(s, "-") })
	if verb < 0 || args[verb] != "new" && args[verb] != "ask" {
		return args
	}
	for i := verb + 1; i < len(args) && args[i] != "--"; i++ {
		name, slash := strings.CutSuffix(args[i], "/")
		if !slash || !config.ValidNodeName(name) || takesValue(args[i-1]) {
			continue
		}
		if _, known := a.Config().Nodes[name]; known {
			return slices.Concat(args[:i], []string{"--node=" + name}, args[i+1:])
		}
	}
	return args
}

// takesValue reports whether an argument of new is a flag whose value follows.
func takesValue(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && arg != "--json" && arg != "-"
}

// NodeNames lists the nodes of the configuration.
func (a *App) NodeNames() []string {
	c := a.Config()
	return c.NodeNames()
}
