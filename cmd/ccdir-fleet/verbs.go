package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
)

func joinCmd() *cobra.Command {
	var given engine.Invitation // this machine's own part
	var labels []string
	var slots int
	cmd := &cobra.Command{
		Use:   "join [INVITATION|-] [--label L]… [--slots N]",
		Short: "Take tasks of the fleet for this machine's daemon, in the foreground",
		Long: `Take part in the fleet: this machine's daemon gets its tasks, by its own policy, approvals and
ledger. The invitation is kept for later starts (- reads it from standard input). The machine's agents
are labels by themselves; --label adds others.`,
		Example: "  ccdir-fleet join ccdir-fleet-eyJ… --label gpu --slots 2\n  ccdir-fleet join - --via ssh://hub < my.invitation\n  ccdir-fleet join",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) error {
			p, c, err := here()
			if err != nil {
				return err
			}
			defer c.Close()
			lock, err := engine.LockJoin(p.State)
			if err != nil {
				return err
			}
			defer func() { _ = lock.Close() }()
			i, err := joinedBy(p, list, given)
			if err != nil {
				return err
			}
			for _, l := range labels {
				if !fleet.ValidName(l) {
					return usageError{fmt.Errorf("%q cannot be a label: letters, digits, '-' and '_'", l)}
				}
			}
			if slots < 1 || slots > 1000 {
				return usageError{fmt.Errorf("--slots %d: 1 to 1000", slots)}
			}
			if _, err := c.Connect(cmd.Context()); err != nil {
				return err
			}
			nc, err := engine.Dial(i, logger())
			if err != nil {
				return err
			}
			defer nc.Close()
			fmt.Printf("%s takes up to %d tasks of the fleet at once\n", i.Name, slots)
			return fleet.Join(cmd.Context(), fleet.MemberOptions{Conn: nc, Name: i.Name, Labels: labels, Slots: slots, Daemon: c, Log: logger()})
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&labels, "label", nil, "`LABEL` that tasks can need; may be repeated")
	fl.IntVar(&slots, "slots", 2, "run `N` tasks of the fleet at once")
	fl.StringVar(&given.CA, "ca", "", "`FILE` of the authority of the server's certificate")
	fl.StringVar(&given.Creds, "creds", "", "`FILE` of credentials, in the place of the invitation's key, for a NATS server that wants that")
	fl.StringVar(&given.Via, "via", "", "reach the server through ssh://[USER@]`HOST`[:PORT]")
	return cmd
}

// joinedBy is the invitation of the arguments, or the one that was kept, with this machine's ways to the server. It
// is kept for later joins and requests.
func joinedBy(p paths.Paths, list []string, given engine.Invitation) (i engine.Invitation, err error) {
	if len(list) == 1 {
		i, err = invitation(list[0])
	} else {
		i, err = kept(p)
	}
	if err != nil {
		return i, err
	}
	for file, to := range map[string]*string{given.CA: &i.CA, given.Creds: &i.Creds} {
		if file == "" {
			continue
		}
		if *to, err = filepath.Abs(file); err != nil {
			return i, err
		}
	}
	if given.Via != "" {
		if err := engine.CheckVia(given.Via); err != nil {
			return i, usageError{err}
		}
		i.Via = given.Via
	}
	return i, keep(p, i)
}

func invitation(word string) (engine.Invitation, error) {
	if word == "-" {
		data, err := io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
		if err != nil {
			return engine.Invitation{}, err
		}
		word = string(data)
	}
	return engine.ParseInvitation(word)
}

func exportCmd() *cobra.Command {
	var dir string
	var move bool
	cmd := &cobra.Command{
		Use: "export [--move]", Short: "Print the queue, a task a line, for a copy or another fleet",
		Long: `Print the queue, a task a line. With --move it ends here: this fleet's servers decide nothing any
more, machines work on, and report to the fleet that imports it.`,
		Example: "  ccdir-fleet export > queue.jsonl\n  ccdir-fleet export --move > queue.jsonl",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStream(dir, func(js jetstream.JetStream) error { return fleet.Export(cmd.Context(), js, os.Stdout, move) })
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` of the server's data")
	cmd.Flags().BoolVar(&move, "move", false, "the queue goes on elsewhere: nobody leads this fleet any more")
	return cmd
}

func importCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over an exported queue into a fleet that has none",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) error {
			f, err := os.Open(list[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			return withStream(dir, func(js jetstream.JetStream) error {
				n, err := fleet.Import(cmd.Context(), js, f)
				if err == nil {
					fmt.Printf("%d tasks\n", n)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` of the server's data")
	return cmd
}

func withStream(dir string, fn func(jetstream.JetStream) error) error {
	p, _, err := here()
	if err != nil {
		return err
	}
	nc, err := admin(p, dir)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return fn(js)
}

// callWait bounds a call.
const callWait = 30 * time.Second

// call asks the leader by whatever this machine may.
func call(ctx context.Context, dir string, r api.FleetRequest) (api.FleetReply, error) {
	p, _, err := here()
	if err != nil {
		return api.FleetReply{}, err
	}
	nc, name, err := connect(p, cmp.Or(dir, serverDir(p)))
	if err != nil {
		return api.FleetReply{}, err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	return fleet.Ask(ctx, nc, name, r)
}

func statusCmd() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status [--json]", Short: "Show the machines, their free places and the queue",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			reply, err := call(cmd.Context(), dir, api.FleetRequest{Op: api.FleetState})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(reply.Fleet)
			}
			return printFleet(os.Stdout, *reply.Fleet, time.Now())
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` of the server's data")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printFleet prints a fleet for people.
func printFleet(w io.Writer, f api.Fleet, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MACHINE\tIN USE\tLABELS\tVERSION\t")
	for _, n := range f.Nodes {
		note := ""
		if !n.Away.IsZero() {
			note = "away for " + now.Sub(n.Away).Round(time.Second).String()
		} else if len(n.Limited) > 0 {
			note = "at its limit: " + strings.Join(n.Limited, ", ")
		}
		fmt.Fprintf(t, "%s\t%d of %d\t%s\t%s\t%s\n", textsafe.Line(n.Name), n.Used, n.Slots, textsafe.Line(strings.Join(n.Labels, " ")), textsafe.Line(n.Version), textsafe.Line(note))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(f.Nodes) == 0 {
		fmt.Fprintln(w, "no machine has joined: `ccdir-fleet invite NAME` prints an invitation")
	}
	var counts []string
	for _, s := range api.TaskStates() {
		if n := f.Queue.Counts[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	_, err := fmt.Fprintf(w, "tasks: %s (%s leads)\n", cmp.Or(strings.Join(counts, ", "), "none"), textsafe.Line(f.Leader))
	return err
}

// callCmd is how ccdir asks the fleet: a request as JSON on standard input, the reply on standard output.
func callCmd() *cobra.Command {
	return &cobra.Command{
		Use: "call", Short: "Ask the fleet for ccdir: JSON in, JSON out", Hidden: true,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var r api.FleetRequest
			if err := json.NewDecoder(io.LimitReader(os.Stdin, 64<<20)).Decode(&r); err != nil {
				return usageError{fmt.Errorf("the request: %w", err)}
			}
			reply, err := call(cmd.Context(), "", r)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(reply)
		},
	}
}
