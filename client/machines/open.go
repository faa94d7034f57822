package machines

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/nodes"
	"ccdir/nodes/link"
)

// Patience bounds the wait of a call for a connection with a node, and for its daemon's first
// answer; ShortPatience if the node is one of several, whose rows need not wait for it.
const (
	Patience      = 8 * time.Second
	ShortPatience = 1500 * time.Millisecond
)

// Opener makes clients of nodes.
type Opener struct {
	Paths paths.Paths
	UID   int
	// Env is the environment of ssh.
	Env []string
	// Shim returns the path of ccdir-shim, which holds a link.
	Shim func(ctx context.Context) (string, error)
	// Name is the client's name in the ledgers of nodes, which adds from where it came.
	Name string
	// Wait is how long a person waits for a call that is retried (client.Options.Patience).
	Wait time.Duration
}

// Remote returns the node of that name. background: nobody asked for it by its name, so that one
// that was taken down stays down. It does no I/O.
func (o Opener) Remote(name string, n config.Node, background bool) *nodes.Remote {
	return nodes.New(LinkNode(name, n), nodes.Options{Paths: o.Paths, Shim: o.Shim, Env: o.Env, Background: background})
}

// LinkNode returns a node of the configuration as links know it.
func LinkNode(name string, n config.Node) link.Node {
	return link.Node{Name: name, Target: n.SSH, Options: n.Options, Program: n.Program, Home: n.Home}
}

// Client returns the options of a client of the node whose calls wait for it no longer than most;
// 0: as long as the person waits.
func (o Opener) Client(r *nodes.Remote, most time.Duration) client.Options {
	c := client.Options{Paths: o.Paths, UID: o.UID, Env: o.Env, Far: r, Name: viaHere(o.Name), Patience: o.Wait}
	if most > 0 {
		c.Far, c.StartTimeout = Within(r, most), most
	}
	return c
}

// viaHere is a client's name for a node, whose ledger keeps it: it says from where it came.
func viaHere(name string) string {
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	host, _, _ = strings.Cut(host, ".")
	return name + " via " + strings.NewReplacer("(", "", ")", "").Replace(host)
}

// Within returns the node for callers that wait for it no longer than most.
func Within(r *nodes.Remote, most time.Duration) client.Far { return within{r, most} }

type within struct {
	*nodes.Remote
	most time.Duration
}

// Ready implements client.Far.
func (w within) Ready(ctx context.Context) (api.Server, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.most, errLate)
	defer cancel()
	srv, err := w.Remote.Ready(ctx)
	return srv, w.why(ctx, err)
}

// Dial implements client.Far.
func (w within) Dial(ctx context.Context, socket string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.most, errLate)
	defer cancel()
	conn, err := w.Remote.Dial(ctx, socket)
	return conn, w.why(ctx, err)
}

// errLate: the time of within is over.
var errLate = errors.New("late")

// why says that a node was late.
func (w within) why(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errLate) {
		return err
	}
	return api.Errorf(api.CodeUnavailable, "node %s does not answer: ssh has not connected within %s and goes on trying (`ccdir node doctor %[1]s`)", w.Node(), w.most)
}
