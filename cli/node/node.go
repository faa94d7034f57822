// Package node has the verbs below `ccdir node`: other machines, and how they are reached.
package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/config"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes"
	"ccdir/nodes/link"
	"ccdir/tui/widget/format"
)

// Node makes the verb `node`.
func Node(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "node VERB",
		Short: "Other machines of yours, over your own ssh",
		Long: `A node is another machine on which ccdir runs. Its sessions, tasks and requests
are named NODE/NAME in every verb; --node NODE or CCDIR_NODE chooses it for a
whole call or shell, and ls, approvals and events take --all. Nothing listens:
one ssh to each node, with your configuration and keys, carries everything, and
it ends ten minutes after the last use. Each machine keeps its own daemon,
policy and ledger; what runs there goes on without this machine.`,
		Example: `  ccdir node add gpu1                gpu1 is in your ~/.ssh/config
  ccdir node add lab you@lab.example --install
  ccdir node ls
  ccdir new -n api -C src/api gpu1/
  ccdir send gpu1/api "run the tests"
  ccdir ls --all`,
	}, newNodeAddCmd(a), newNodeLsCmd(a), newNodeUpCmd(a), newNodeDownCmd(a), newNodeRmCmd(a), newNodeUpdateCmd(a), newNodeDoctorCmd(a))
}

// nodeEntry is one element of `node ls --json`.
type nodeEntry struct {
	Name  string     `json:"name"`
	SSH   string     `json:"ssh"`
	State link.State `json:"state"`
	// RTT is in milliseconds; null: not measured.
	RTT      *float64 `json:"rtt_ms"`
	Version  string   `json:"version"`
	Sessions int      `json:"sessions"`
	// Asks counts the open permission requests and questions.
	Asks     int        `json:"asks"`
	LastSeen *time.Time `json:"last_seen"`
	Reason   string     `json:"reason"`
	next     time.Time
}

// entryOf describes a node by its link's status.
func entryOf(r *nodes.Remote, s link.Status) nodeEntry {
	e := nodeEntry{Name: r.Node(), SSH: r.Target(), State: cmp.Or(s.State, link.StateOffline), Reason: textsafe.Line(s.Reason), next: s.Next}
	if s.Round > 0 {
		ms := math.Round(float64(s.Round)/float64(time.Microsecond)/10) / 100
		e.RTT = &ms
	}
	if !s.Seen.IsZero() {
		seen := s.Seen.UTC()
		e.LastSeen = &seen
	}
	if s.Greeting != nil {
		e.Version = textsafe.Line(s.Greeting.Version)
		if s.Greeting.Server != nil {
			e.Version = textsafe.Line(s.Greeting.Server.Version)
		}
	}
	return e
}

// lookAt describes a node as it is now. It connects, unless the person took the node down.
func lookAt(ctx context.Context, a *verb.App, name string) nodeEntry {
	r, err := a.Remote(name, true)
	if err != nil {
		return nodeEntry{Name: name, State: link.StateOffline, Reason: err.Error()}
	}
	if r.Down() {
		return entryOf(r, link.Status{Reason: "taken down: `ccdir node up " + name + "` connects it again"})
	}
	far := machines.Within(r, machines.ShortPatience)
	_, err = far.Ready(ctx)
	status, failed := r.Status(ctx) // it is this machine's
	e := entryOf(r, status)
	if failed != nil {
		e.Reason = textsafe.Line(cmp.Or(err, failed).Error())
	}
	if err != nil {
		return e
	}
	p, err := a.Paths()
	if err != nil {
		return e
	}
	c := client.New(client.Options{Paths: p, UID: a.UID, Far: far, StartTimeout: machines.ShortPatience, Name: "cli"})
	defer c.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		list, err := c.Sessions(ctx)
		if err != nil && e.State == link.StateOnline { // ssh answers, and ccdir there does not
			e.State, e.Reason = link.StateStale, textsafe.Line(err.Error())
		}
		for _, s := range list {
			if !s.State.Ended() {
				e.Sessions++
			}
		}
	})
	asks := 0
	wg.Go(func() {
		if list, err := c.Approvals(ctx); err == nil {
			asks = len(list)
		}
	})
	wg.Wait()
	e.Asks = asks
	if e.RTT == nil { // by now a first answer has come
		if status, err := r.Status(ctx); err == nil {
			e.RTT = entryOf(r, status).RTT
		}
	}
	return e
}

func newNodeLsCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "ls [--json]",
		Aliases: []string{"list"},
		Short:   "List the nodes and how each is reached",
		Long: `List the nodes. One that was not taken down is connected with. States: online;
stale (no answer at the moment); offline; asks (ssh needs a password, a code or
a confirmation: ` + "`ccdir node up`" + ` lets it ask); old (no ccdir there that fits).`,
		Example: `  ccdir node ls
  ccdir node ls --json | jq -r '.[] | select(.state != "online") | .name + ": " + .reason'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			names := a.NodeNames()
			list := make([]nodeEntry, len(names))
			var wg sync.WaitGroup
			for i, name := range names {
				wg.Go(func() { list[i] = lookAt(cmd.Context(), a, name) })
			}
			wg.Wait()
			return verb.Listed(a, list, "no nodes: `ccdir node add` adds one", func() error { return printNodes(a, list) })
		},
	}
	a.JSONFlag(cmd, "print a JSON array of nodes")
	return cmd
}

func printNodes(a *verb.App, list []nodeEntry) error {
	now := time.Now()
	t := verb.Table{}
	t.Row(verb.Plain("NODE", "STATE", "RTT", "VERSION", "SESSIONS", "ASKS", "SEEN", "")...)
	for _, e := range list {
		rtt, seen, sessions, asks, reason := "-", "-", "-", "-", e.Reason
		if e.State == link.StateOnline || e.State == link.StateStale {
			sessions, asks = fmt.Sprint(e.Sessions), fmt.Sprint(e.Asks)
			if e.RTT != nil {
				rtt = fmt.Sprintf("%.3g ms", *e.RTT)
			}
		}
		if e.LastSeen != nil {
			seen = verb.Age(now, *e.LastSeen)
		}
		switch wait := e.next.Sub(now); {
		case wait >= time.Second:
			reason += fmt.Sprintf(", again in %d s", int(wait.Seconds()+0.5))
		case wait > 0:
			reason += ", again now"
		}
		sgr := map[link.State]string{link.StateOnline: "32", link.StateAsks: "33", link.StateOld: "31"}[e.State]
		r := verb.Plain(e.Name, string(e.State), rtt, cmp.Or(e.Version, "-"), sessions, asks, seen, reason)
		r[1].Sgr = cmp.Or(sgr, "90")
		t.Row(r...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

func newNodeAddCmd(a *verb.App) *cobra.Command {
	var n config.Node
	var f installFlags
	yes := false
	cmd := &cobra.Command{
		Use:   "add NAME [TARGET] [--program PATH] [--home DIR] [--install] [--from DIR] [--yes] [--json] [-- SSH-OPTIONS…]",
		Short: "Add a machine and connect with it",
		Long: `Add a machine to config.toml and connect with it. TARGET is what you would give
ssh (default: NAME): a name of ~/.ssh/config, user@host or ssh://user@host:port;
ssh's own options may follow --; those by which ssh may run a program here
(ProxyCommand, LocalCommand, -F) are asked about. It may ask for a password or a
host key. If ccdir
is not there, --install (or yes to its question) copies this version's programs to
~/.local/share/ccdir there, over the same ssh.`,
		Example: `  ccdir node add gpu1
  ccdir node add lab you@lab.example --install
  ccdir node add box root@10.0.0.7 -- -p 2222 -J jump`,
		Args: func(cmd *cobra.Command, args []string) error {
			before, _ := verb.AtDash(cmd, args)
			if len(before) < 1 || len(before) > 2 {
				return errors.New("expected NAME and perhaps TARGET")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, options := verb.AtDash(cmd, args)
			name := before[0]
			n.SSH, n.Options = before[len(before)-1], options
			if !config.ValidNodeName(name) {
				return verb.Usagef(cmd, "%q cannot name a node: 1 to 32 lower-case letters, digits, - and _", name)
			}
			if err := config.CheckTarget(n.SSH); err != nil {
				return verb.Usage(err)
			}
			if option := config.MayRun(options); option != "" && !yes {
				if err := a.Confirm(a.Safe("ssh may run a program by `%s`: add the node?", option)); err != nil {
					return fmt.Errorf("ssh may run a program by `%s`: %w", textsafe.Line(option), err)
				}
			}
			if err := addNode(a, name, n); err != nil {
				return err
			}
			err := bringUp(cmd.Context(), a, name, f, true)
			if err != nil {
				return fmt.Errorf("node %s was added, but %w", name, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&n.Program, "program", "", "`PATH` of ccdir-shim there (default: it is looked for)")
	cmd.Flags().StringVar(&n.Home, "home", "", "CCDIR_HOME there, `DIR`")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask about options by which ssh may run a program")
	f.add(cmd)
	a.JSONFlag(cmd, "print the node as JSON")
	return cmd
}

// addNode writes the node into config.toml. Adding it again with the same values is no error.
func addNode(a *verb.App, name string, n config.Node) error {
	l, err := a.Loaded()
	if err != nil {
		return err
	}
	if l.Broken() {
		return fmt.Errorf("config.toml cannot be read, so it is not changed: %s", verb.ProblemText(l))
	}
	if old, ok := l.Nodes[name]; ok {
		if old.SSH == n.SSH && slices.Equal(old.Options, n.Options) && old.Program == n.Program && old.Home == n.Home {
			return nil
		}
		return fmt.Errorf("there is a node %s already (ssh %s): `ccdir node rm %[1]s` first, or change it in %s", name, old.SSH, l.File)
	}
	return editConfig(a, l.File, func(text string) (string, error) { return config.AddNode(text, name, n), nil })
}

// editConfig changes the text of config.toml.
func editConfig(a *verb.App, file string, change func(text string) (string, error)) error {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := change(string(data))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // the person's dotfiles keep their link
	}
	return atomicfile.Write(file, []byte(text))
}

func newNodeUpCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up NODE [--json]",
		Short: "Connect now; ssh may ask you",
		Long: `Connect with a node, also one that was taken down. ssh may ask for a password, a
code or whether a host key is right: once, because one ssh carries everything.`,
		Example:           "  ccdir node up gpu1",
		Args:              verb.Exactly(1, "NODE"),
		ValidArgsFunction: verb.Completing(a, completeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bringUp(cmd.Context(), a, args[0], installFlags{}, false)
		},
	}
	a.JSONFlag(cmd, "print the node as JSON")
	return cmd
}

// bringUp connects with a node as a person who can answer, and prints it. offer: if ccdir is
// missing there, ask whether to install it.
func bringUp(ctx context.Context, a *verb.App, name string, f installFlags, offer bool) error {
	r, err := a.Remote(name, false)
	if err != nil {
		return err
	}
	install, err := f.programs(a)
	if err != nil {
		return err
	}
	s, err := r.Up(ctx, install, answerSSH(ctx, a), progress(a))
	if err == nil && s.State == link.StateOld && install == nil && offer && verb.Terminal(a.Stdin) {
		a.Tell("node %s: %s", name, s.Reason)
		if a.Confirm("install ccdir "+api.Version+" there, in ~/.local/share/ccdir?") == nil {
			f.install = true
			if install, err = f.programs(a); err != nil {
				return err
			}
			s, err = r.Up(ctx, install, answerSSH(ctx, a), progress(a))
		}
	}
	if err != nil {
		return err
	}
	if s.State != link.StateOnline {
		return fmt.Errorf("node %s is %s: %s", name, s.State, textsafe.Line(s.Reason))
	}
	if other := sameMachine(ctx, a, name, s); other != "" {
		a.Tell("node %s is %s: its sessions are listed twice; `ccdir node rm %[1]s` forgets it", name, other)
	}
	if s.Installed != "" && install != nil {
		a.Tell("installed in %s", textsafe.Line(s.Installed))
	}
	return printNode(a, lookAt(ctx, a, name))
}

// printNode prints one node.
func printNode(a *verb.App, e nodeEntry) error {
	if a.JSON {
		return a.PrintJSON(e)
	}
	text := fmt.Sprintf("%s  %s", e.Name, e.State)
	if e.RTT != nil && e.State == link.StateOnline {
		text += fmt.Sprintf(" %.3g ms  ccdir %s  %s, %d %s", *e.RTT, e.Version, format.Plural(e.Sessions, "session", "sessions"), e.Asks, asking(e.Asks))
	}
	if e.Reason != "" {
		text += "  " + e.Reason
	}
	_, err := fmt.Fprintln(a.Out, text)
	return err
}

// asking is the verb for so many sessions.
func asking(n int) string {
	if n == 1 {
		return "asks"
	}
	return "ask"
}

func newNodeDownCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "down NODE…",
		Short: "End the connection; what runs there goes on",
		Long: `End the connection with a node. Grids and ` + "`ccdir node ls`" + ` leave it alone until
` + "`ccdir node up`" + `, or a verb that names it.`,
		Example:           "  ccdir node down gpu1",
		Args:              verb.AtLeast(1, "NODE"),
		ValidArgsFunction: verb.Completing(a, completeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verb.EachSession(args, func(name string) error {
				r, err := a.Remote(name, true)
				if err != nil {
					return err
				}
				return r.TakeDown(cmd.Context())
			})
		},
	}
}

func newNodeRmCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "rm NODE…",
		Short:             "Forget a node here; nothing on it ends",
		Example:           "  ccdir node rm gpu1",
		Args:              verb.AtLeast(1, "NODE"),
		ValidArgsFunction: verb.Completing(a, completeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verb.EachSession(args, func(name string) error {
				r, err := a.Remote(name, true)
				if err != nil {
					return err
				}
				l, err := a.Loaded()
				if err != nil {
					return err
				}
				err = editConfig(a, l.File, func(text string) (string, error) {
					out, ok := config.RemoveNode(text, name)
					if !ok {
						return "", fmt.Errorf("node %s is not written as [nodes.%[1]s]: remove it from %s by hand", name, l.File)
					}
					return out, nil
				})
				if err != nil {
					return err
				}
				return r.Forget(cmd.Context())
			})
		},
	}
}

// completeNodes completes names of nodes that are not given yet.
func completeNodes(a *verb.App, _ *cobra.Command, args []string, _ string) (out []string, how cobra.ShellCompDirective) {
	for _, name := range a.NodeNames() {
		if !slices.Contains(args, name) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// progress tells on a terminal what a connection does.
func progress(a *verb.App) func(link.Status) {
	last := ""
	return func(s link.Status) {
		if reason := textsafe.Line(s.Reason); strings.HasPrefix(reason, "installing ") && reason != last {
			last = reason
			a.Tell("%s", reason)
		}
	}
}
