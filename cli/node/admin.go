package node

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes/link"
)

// installFlags say what is installed on a node.
type installFlags struct {
	install, always bool
	from            string
}

func (f *installFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.install, "install", false, "copy ccdir's programs there if none fits")
	cmd.Flags().StringVar(&f.from, "from", "", "`DIR` with programs for the node's system (default: this ccdir's own)")
}

// programs returns what to install, nil for nothing.
func (f installFlags) programs(a *verb.App) (*link.Install, error) {
	if !f.install {
		return nil, nil
	}
	dir := filepath.Dir(a.Exe)
	if f.from != "" {
		dir = verb.Absolute(a.Dir, f.from)
	} else if real, err := filepath.EvalSymlinks(a.Exe); err == nil {
		dir = filepath.Dir(real)
	}
	for _, name := range link.Programs {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, fmt.Errorf("a program to install is missing: %w: `make build` makes all three, --from names their directory", err)
		}
	}
	return &link.Install{Version: api.Version, Dir: dir, Always: f.always}, nil
}

// answerSSH asks the person at the terminal what ssh asks; nil: there is none.
func answerSSH(ctx context.Context, a *verb.App) func(string) (string, bool) {
	if !verb.Terminal(a.Stdin) {
		return nil
	}
	return func(question string) (string, bool) {
		text := strings.TrimRight(textsafe.Block(question), " \n")
		fmt.Fprint(a.Stderr, text+" ")
		if strings.Contains(question, "(yes/no") { // a host key: what is typed is no secret
			line, err := bufio.NewReader(io.LimitReader(a.Stdin, verb.MaxAnswer)).ReadString('\n')
			return strings.TrimSpace(line), err == nil && ctx.Err() == nil
		}
		data, err := term.ReadPassword(a.Stdin.Fd())
		fmt.Fprintln(a.Stderr)
		return string(data), err == nil && ctx.Err() == nil
	}
}

func newNodeUpdateCmd(a *verb.App) *cobra.Command {
	f := installFlags{install: true, always: true}
	cmd := &cobra.Command{
		Use:   "update NODE [--from DIR] [--json]",
		Short: "Install this version there and restart the daemon; sessions go on",
		Long: `Copy this ccdir's programs to the node over its ssh (SHA-256 compared there), then
restart its daemon with them. Sessions go on. A node of another system needs
programs for it: --from names the directory of an unpacked release.`,
		Example: `  ccdir node update gpu1
  ccdir node update pi --from ./ccdir-linux-arm64`,
		Args:              verb.Exactly(1, "NODE"),
		ValidArgsFunction: verb.Completing(a, completeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			r, err := a.Remote(name, false)
			if err != nil {
				return err
			}
			install, err := f.programs(a)
			if err != nil {
				return err
			}
			s, err := r.Up(ctx, install, answerSSH(ctx, a), progress(a))
			if err != nil {
				return err
			}
			if s.State != link.StateOnline {
				return fmt.Errorf("node %s is %s: %s", name, s.State, textsafe.Line(s.Reason))
			}
			if err := restartThere(ctx, a, name, s); err != nil {
				return err
			}
			return printNode(a, lookAt(ctx, a, name))
		},
	}
	cmd.Flags().StringVar(&f.from, "from", "", "`DIR` with programs for the node's system (default: this ccdir's own)")
	a.JSONFlag(cmd, "print the node as JSON")
	return cmd
}

// restartThere stops a daemon of another version; the bridge starts the one beside it.
func restartThere(ctx context.Context, a *verb.App, name string, s link.Status) error {
	if s.Greeting == nil || s.Greeting.Server != nil && s.Greeting.Server.Version == s.Greeting.Version {
		return nil
	}
	r, err := a.Remote(name, false)
	if err != nil {
		return err
	}
	p, err := a.Paths()
	if err != nil {
		return err
	}
	c := client.New(client.Options{Paths: p, UID: a.UID, Far: r, Name: "cli"})
	defer c.Close()
	if err := c.Shutdown(ctx, api.Stop{}); err != nil && api.CodeOf(err) != api.CodeUnavailable {
		return fmt.Errorf("the programs are installed, but the daemon there did not stop: %w", err)
	}
	if err := r.Reconnect(ctx); err != nil {
		return err
	}
	_, err = r.Ready(ctx)
	return err
}

func newNodeDoctorCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor NODE [--json]",
		Short: "Show what is run to reach a node, and where it ends",
		Long: `Show step by step how a node is reached: ssh's command and its configuration, the
login, ccdir there, its daemon. The login is a second ssh and may not ask.`,
		Example:           "  ccdir node doctor gpu1",
		Args:              verb.Exactly(1, "NODE"),
		ValidArgsFunction: verb.Completing(a, completeNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, failed, err := examine(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			err = a.Output(steps, func() error {
				t := verb.Table{}
				for _, s := range steps {
					t.Row(verb.Plain(s.Step, map[bool]string{true: "ok", false: "FAILED"}[s.OK], s.Found)...)
				}
				return t.Write(a.Out, a.Colours())
			})
			if err == nil && failed {
				err = verb.QuietError{}
			}
			return err
		},
	}
	a.JSONFlag(cmd, "print a JSON array of steps")
	return cmd
}

// nodeDoctorTimeout bounds `node doctor`, which waits for logins that are slow.
const nodeDoctorTimeout = time.Minute

// doctorStep is one step of `node doctor`.
type doctorStep struct {
	Step  string `json:"step"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
}

// examine follows the way to a node until a step fails.
func examine(ctx context.Context, a *verb.App, name string) (steps []doctorStep, failed bool, err error) {
	n, err := a.NodeConfig(name)
	if err != nil {
		return nil, false, err
	}
	node := machines.LinkNode(name, n)
	add := func(step, found string, err error) bool {
		if err != nil {
			found = strings.TrimSpace(found + " " + err.Error())
			failed = true
		}
		steps = append(steps, doctorStep{step, err == nil, textsafe.Line(found)})
		return err == nil
	}
	path, err := exec.LookPath("ssh")
	if !add("ssh", path, err) {
		return steps, failed, nil
	}
	argv := node.Command(true)
	add("command", strings.Join(argv, " "), nil)
	ctx, cancel := context.WithTimeout(ctx, nodeDoctorTimeout)
	defer cancel()
	conf, err := exec.CommandContext(ctx, path, append(append([]string{"-G"}, n.Options...), "--", n.SSH)...).CombinedOutput()
	add("configuration", sshSummary(string(conf)), err)
	probe := exec.CommandContext(ctx, path, append(argv[1:len(argv)-1], "echo ccdir-login; uname -sm")...)
	probe.Env = a.Env
	out, err := probe.CombinedOutput()
	if !add("login", lastLine(string(out)), err) {
		return steps, failed, nil
	}
	r, err := a.Remote(name, false)
	if err != nil {
		return nil, failed, err
	}
	srv, err := r.Ready(ctx)
	s, _ := r.Status(ctx) // without a link the error of Ready tells why
	if g := s.Greeting; g != nil {
		add("programs", fmt.Sprintf("%s (ccdir %s, %s)", g.Program, g.Version, g.System), nil)
	}
	if err == nil {
		add("daemon", fmt.Sprintf("pid %d, version %s, API revision %d", srv.PID, srv.Version, srv.Revision), nil)
		add("link", fmt.Sprintf("%s, round trip %s, pid %d, ssh pid %d", s.State, s.Round, s.PID, s.SSH), nil)
		if srv.Revision != api.Revision {
			add("protocol", "", fmt.Errorf("this ccdir needs revision %d of the API: `ccdir node update %s`", api.Revision, name))
		}
	} else {
		add("connection", "", err)
	}
	return steps, failed, nil
}

// sshSummary returns the lines of `ssh -G` that say where a connection leads.
func sshSummary(conf string) string {
	var out []string
	for line := range strings.Lines(conf) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "hostname", "user", "port", "proxyjump", "proxycommand":
			out = append(out, key+" "+value)
		}
	}
	return cmp.Or(strings.Join(out, ", "), lastLine(conf))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// sameMachine says which machine a node is, if it is known here already: this one, or another
// node that is connected.
func sameMachine(ctx context.Context, a *verb.App, name string, s link.Status) string {
	if s.Greeting == nil || s.Greeting.Server == nil || s.Greeting.Server.Machine == "" {
		return ""
	}
	machine := s.Greeting.Server.Machine
	if c, err := a.NewClient("cli"); err == nil {
		if srv, err := c.Health(ctx); err == nil && srv.Machine == machine {
			return "this machine itself"
		}
	}
	for _, other := range a.NodeNames() {
		r, err := a.Remote(other, true)
		if err != nil || other == name {
			continue
		}
		if o, err := r.Status(ctx); err == nil && o.Greeting != nil && o.Greeting.Server != nil && o.Greeting.Server.Machine == machine {
			return "the same as node " + other
		}
	}
	return ""
}
