package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/orchestrator"
)

func serveCmd() *cobra.Command {
	var o engine.Options
	var outside engine.Outside
	var secret string
	cmd := &cobra.Command{
		Use:   "serve [--dir DIR] [--listen HOST:PORT]",
		Short: "Run a server of the fleet, in the foreground",
		Long: `Run a server: the queue, and the NATS server that keeps it. A fleet has one, or three with
--cluster and --route. Each write is on disk before it is acknowledged. With --nats it keeps the queue
on a NATS server, or cluster, that runs already (docs/fleet.md says what that has to be).`,
		Example: `  ccdir-fleet serve
  ccdir-fleet serve --nats tls://nats1:4222,tls://nats2:4222 --creds fleet.creds --monitor http://nats1:8222
  ccdir-fleet serve --listen 0.0.0.0:4222 --tls-cert cert.pem --tls-key key.pem`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			o.Dir = cmp.Or(o.Dir, serverDir(p))
			if outside.URL != "" {
				return serveOutside(cmd, o.Dir, o.Name, outside)
			}
			if secret != "" {
				data, err := os.ReadFile(secret)
				if err != nil {
					return err
				}
				o.Secret = strings.TrimSpace(string(data))
			}
			return serve(cmd, o)
		},
	}
	host, _ := os.Hostname() // else the flag names it
	fl := cmd.Flags()
	fl.StringVar(&o.Dir, "dir", "", "`DIR` of its data (default: fleet in ccdir's state directory)")
	fl.StringVar(&o.Name, "name", nameOf(host), "`NAME` of this server, another one for each")
	fl.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "`ADDRESS` for machines; beyond loopback it needs a certificate")
	fl.StringVar(&o.Cert, "tls-cert", "", "`FILE` of its certificate")
	fl.StringVar(&o.Key, "tls-key", "", "`FILE` of the certificate's key")
	fl.StringVar(&o.Cluster, "cluster", "", "`ADDRESS` for the two other servers")
	fl.StringArrayVar(&o.Routes, "route", nil, "`URL` of another server, nats-route://HOST:PORT; twice")
	fl.StringVar(&secret, "secret-file", "", "`FILE` with what the three servers know of each other")
	fl.StringVar(&outside.URL, "nats", "", "`URL` of a NATS server that runs already; several with commas")
	fl.StringVar(&outside.Creds, "creds", "", "`FILE` of its credentials (default: the key of DIR, see `ccdir-fleet rights`)")
	fl.StringVar(&outside.CA, "ca", "", "`FILE` of the authority of its certificate")
	fl.StringArrayVar(&outside.Monitor, "monitor", nil, "`URL` of its monitoring, http://HOST:PORT, by which its settings are read; once for each server")
	for _, ours := range []string{"listen", "tls-cert", "tls-key", "cluster", "route", "secret-file"} {
		cmd.MarkFlagsMutuallyExclusive("nats", ours)
	}
	return cmd
}

// nameOf makes a name of the fleet of a machine's.
func nameOf(host string) string {
	host, _, _ = strings.Cut(host, ".")
	return strings.Map(func(r rune) rune {
		if fleet.ValidName(string(r)) {
			return r
		}
		return '-'
	}, cmp.Or(host, "server"))
}

func logger() *slog.Logger { return slog.New(slog.NewTextHandler(os.Stderr, nil)) }

func serve(cmd *cobra.Command, o engine.Options) error {
	o.Log = logger()
	e, err := engine.Serve(cmd.Context(), o)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := engine.Use(o.Dir, nil); err != nil {
		return err
	}
	if err := atomicfile.Write(addressFile(o.Dir), []byte(e.URL()+"\n")); err != nil {
		return err
	}
	defer func() { _ = os.Remove(addressFile(o.Dir)) }()
	nc, err := e.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	fmt.Printf("serving the fleet at %s; `ccdir-fleet invite NAME` adds machines\n", e.URL())
	replicas := 1
	if o.Cluster != "" {
		replicas = 3
	}
	return fleet.Lead(cmd.Context(), fleet.Options{Conn: nc, Name: o.Name, Replicas: replicas, Mark: e.MarkFile(), Times: orchestrator.DefaultTimes(), Log: o.Log})
}

// serveOutside leads on a NATS server of others.
func serveOutside(cmd *cobra.Command, dir, name string, o engine.Outside) error {
	lock, err := engine.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	nc, err := o.Connect(dir)
	if err != nil {
		return err
	}
	defer nc.Close()
	unknown, err := o.Check(cmd.Context(), nc)
	if err != nil {
		return err
	}
	logger().Warn("what this NATS server guarantees is not known in full", "unknown", unknown)
	if err := errors.Join(engine.Use(dir, &o), atomicfile.Write(addressFile(dir), []byte(o.URL+"\n"))); err != nil {
		return err
	}
	defer func() { _ = errors.Join(engine.Use(dir, nil), os.Remove(addressFile(dir))) }()
	fmt.Printf("serving the fleet on %s; `ccdir-fleet invite NAME` makes keys, `ccdir-fleet rights` prints what they may do, for its configuration\n", o.URL)
	return fleet.Lead(cmd.Context(), fleet.Options{Conn: nc, Name: name, Replicas: engine.Replicas(nc), Mark: engine.MarkFile(dir), Times: orchestrator.DefaultTimes(), Log: logger()})
}

func rightsCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "rights", Short: "Print the fleet's keys and their rights, for the configuration of a NATS server that runs already",
		Example: "  ccdir-fleet rights > /etc/nats/ccdir-fleet.conf && nats-server --signal reload",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			text, err := engine.RightsConfig(cmp.Or(dir, serverDir(p)))
			if err == nil {
				fmt.Print(text)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` of the server's data")
	return cmd
}

func inviteCmd() *cobra.Command {
	var dir string
	var urls []string
	var m engine.Member
	var only bool
	cmd := &cobra.Command{
		Use:   "invite NAME [--asks] [--only-asks] [--url URL]…",
		Short: "Make a key for a machine, and print its invitation",
		Long: `Make a key for the machine NAME and print the invitation that it joins with: one word, a
secret. The machine may take its own orders and nothing of others. With --asks it may also give
the fleet tasks, which run on every machine; with --only-asks it runs none.`,
		Example: "  ccdir-fleet invite gpu1 | ssh gpu1 'ccdir-fleet join -'",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, list []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			dir = cmp.Or(dir, serverDir(p))
			if len(urls) == 0 {
				address, err := os.ReadFile(addressFile(dir))
				if err != nil {
					return errors.New("no server runs from that directory: start `ccdir-fleet serve`, or name its address with --url")
				}
				urls = []string{strings.TrimSpace(string(address))}
			}
			m.Name, m.Runs, m.Asks, m.Invited = list[0], !only, m.Asks || only, time.Now().UTC()
			i, err := engine.Invite(dir, m, urls)
			if err == nil {
				fmt.Println(i)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&dir, "dir", "", "`DIR` of the server's data")
	fl.StringArrayVar(&urls, "url", nil, "`URL` by which it reaches the server, nats://HOST:PORT or tls://HOST:PORT (default: where the server listens)")
	fl.BoolVar(&m.Asks, "asks", false, "it may give tasks, too")
	fl.BoolVar(&only, "only-asks", false, "it gives tasks and runs none")
	return cmd
}

func revokeCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "revoke NAME", Short: "Take a machine's key away; it is disconnected at once",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, list []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			return engine.Revoke(cmp.Or(dir, serverDir(p)), list[0])
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` of the server's data")
	return cmd
}

// admin connects to the server of a directory with all rights.
func admin(p paths.Paths, dir string) (*nats.Conn, error) {
	dir = cmp.Or(dir, serverDir(p))
	address, err := os.ReadFile(addressFile(dir))
	if err != nil {
		return nil, fmt.Errorf("no server runs from %s: `ccdir-fleet serve`", dir)
	}
	return engine.Admin(dir, strings.TrimSpace(string(address)))
}
