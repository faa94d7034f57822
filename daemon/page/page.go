package page

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/callers"
	"ccdir/daemon/far"
	"ccdir/daemon/httpapi"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/journal"
	"ccdir/daemon/listen"
	"ccdir/daemon/reviews"
	"ccdir/internal/contain"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timer"
	"ccdir/sessions"
	"ccdir/web"
	"ccdir/web/devices"
	"ccdir/web/push"
)

// firstAddress is tried first where no address is configured; if another program has it, the system
// chooses a port. What was taken is kept.
const firstAddress = "127.0.0.1:7435"

// Options are what the page needs of the daemon. All are needed.
type Options struct {
	Paths paths.Paths
	UID   int
	// Env is the environment of sessions and of ssh, Shim the program that holds a link to a node.
	Env  []string
	Shim string
	// Config returns the configuration in force.
	Config   func() *config.Loaded
	Registry *sessions.Registry
	Journal  *journal.Log
	Reviews  *reviews.Reviews
	Callers  *callers.Callers
	Alarms   *timer.Clock
	// Offers are what a session can be started as on this machine, and directories for it.
	Offers func(context.Context) ([]api.AgentInfo, []api.Directory, error)
	// Note writes an event of the daemon.
	Note func(eventType, message string)
	// Shown are the rooms that the page shows as they are: Conversations, Pending, Ledger, Queue, Trees,
	// Usage and Past. The page sets the rest.
	Shown  web.Deps
	Logger *slog.Logger
}

// Page is the listener of the page in the browser, and who is paired. It implements httpapi.Web. Its
// methods may be called from any goroutine.
type Page struct {
	o Options

	mu sync.Mutex // guards what follows
	// devices is nil until the file is there or needed.
	devices *devices.Store
	// server is nil while the page is not served; served is the configuration that it has.
	server *listen.Server
	served config.Web
	url    string
	// push tells devices what wants a person, until endTelling.
	push       *push.Service
	endTelling func()
	// far are the person's nodes.
	far *far.Far
	// problem is why the page is not served though it is on.
	problem string
}

// New returns a page that is not served yet.
func New(o Options) *Page { return &Page{o: o} }

// Begin serves the page if it is on. Where it never was, that is one look for a file.
func (p *Page) Begin() {
	if _, err := os.Lstat(p.o.Paths.WebFile()); errors.Is(err, fs.ErrNotExist) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err == nil {
		if on, _ := store.State(); !on {
			return
		}
		err = p.serve()
	}
	if err != nil {
		p.failed(err)
	}
}

// failed notes why the page is not served. The caller holds mu.
func (p *Page) failed(err error) {
	p.problem = err.Error()
	p.o.Logger.Error("the page is not served", "error", err)
	p.o.Note(api.EventConfigError, textsafe.Line("the page is not served: "+err.Error()))
}

// store opens the file of the devices. The caller holds mu.
func (p *Page) store() (*devices.Store, error) {
	if p.devices != nil {
		return p.devices, nil
	}
	store, err := devices.Open(p.o.Paths.WebFile(), func() time.Time { return time.Now().UTC() })
	if err == nil {
		p.devices = store
	}
	return store, err
}

// serve begins to listen as the configuration says. The caller holds mu.
func (p *Page) serve() error {
	c := p.o.Config().Web
	if err := c.Check(); err != nil {
		return err
	}
	cert, err := newCertificate(c)
	if err != nil {
		return err
	}
	l, err := p.listen(c)
	if err != nil {
		return fmt.Errorf("%w: set web.listen to an address that is free", err)
	}
	o := p.o
	url := scheme(cert) + "://" + cert.name(l.Addr()) + "/"
	var looking atomic.Int32
	p.push = push.New(push.Options{
		Store: p.devices, Secure: cert != nil, Subject: url, Watch: pageLog{o.Journal}.Watch, Requests: o.Registry.Requests, Sessions: o.Journal.Sessions,
		Looking: func() bool { return looking.Load() > 0 }, Note: func(m string) { o.Note(api.EventWeb, m) }, Client: push.NewClient(), Now: time.Now, Logger: o.Logger,
	})
	p.far = far.New(far.Options{Paths: o.Paths, UID: o.UID, Env: o.Env, Shim: o.Shim, Logger: o.Logger,
		Nodes: func() map[string]config.Node { return o.Config().Nodes }})
	deps := o.Shown
	deps.Devices, deps.Push, deps.Looking, deps.Logger = p.devices, p.push, &looking, o.Logger
	deps.Sessions, deps.Log, deps.Approvals = pageSessions{o.Registry, o}, pageLog{o.Journal}, o.Registry
	deps.Reviews, deps.Files, deps.Queue = pageReviews{o.Reviews}, pageFiles{o}, pageQueue{deps.Queue, o}
	deps.Config = func() any { return o.Config() }
	deps.Access, deps.Refused = &pageAccess{callers: o.Callers}, o.Callers.Refused
	deps.Note = func(m string) { o.Note(api.EventWeb, textsafe.Line(m)) }
	deps.Terminal = httpapi.Terminals{Sessions: o.Registry, Alarms: o.Alarms, Logger: o.Logger, Elsewhere: p.far.Host}.Attach
	deps.Host, deps.Secure = cert.host(l.Addr()), cert != nil
	p.far.Join(&deps)
	p.server = listen.NewServer(web.New(deps), o.UID, o.Logger)
	bounded := access.NewTCPListener(l, o.Logger)
	var listener net.Listener = bounded
	if cert != nil {
		listener = tls.NewListener(access.NewOpenListener(l, o.Logger), &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: cert.get})
	}
	p.server.ServeOn(listener)
	p.served, p.problem, p.url = c, "", url
	telling, endTelling := context.WithCancel(context.Background())
	service, ended := p.push, make(chan struct{})
	p.endTelling = func() { endTelling(); <-ended }
	contain.Go(o.Logger, func() {
		defer close(ended)
		service.Run(telling)
	})
	o.Logger.Info("the page is served", "address", l.Addr().String())
	return nil
}

// scheme is that of the page's address.
func scheme(cert *certificate) string {
	if cert == nil {
		return "http"
	}
	return "https"
}

// listen opens the configured address, or the one that was kept, or a new one, which it keeps. The
// caller holds mu.
func (p *Page) listen(c config.Web) (net.Listener, error) {
	if c.Listen != "" {
		return net.Listen("tcp", c.Listen)
	}
	_, kept := p.devices.State()
	if kept == "" {
		kept = firstAddress
	}
	l, err := net.Listen("tcp", kept)
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if err := p.devices.Set(true, l.Addr().String()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// End ends the server. Its calls end first.
func (p *Page) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// stop ends the server, if there is one. The caller holds mu.
func (p *Page) stop() {
	if p.server == nil {
		return
	}
	p.server.End()
	p.far.End()
	p.endTelling()
	p.server, p.url, p.push = nil, "", nil
}

// Follow serves the page anew if its configuration has changed.
func (p *Page) Follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.devices == nil || p.o.Config().Web == p.served && p.problem == "" {
		return
	}
	if on, _ := p.devices.State(); !on {
		return
	}
	p.stop()
	if err := p.serve(); err != nil {
		p.failed(err)
	}
}

// State implements httpapi.Web.
func (p *Page) State() api.Web {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state()
}

func (p *Page) state() api.Web {
	if p.devices == nil {
		return api.Web{Problem: p.problem}
	}
	on, _ := p.devices.State()
	w := api.Web{On: on, URL: p.url, Devices: len(p.devices.List()), Problem: p.problem}
	if p.push != nil {
		w.Push = p.push.Last()
	}
	return w
}

// Set implements httpapi.Web.
func (p *Page) Set(on bool) (api.Web, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err != nil {
		return api.Web{}, api.Errorf(api.CodeConflict, "%s", err.Error())
	}
	was := p.server != nil
	switch {
	case on && !was:
		if err := p.serve(); err != nil {
			return api.Web{}, api.Errorf(api.CodeConflict, "the page cannot be served: %s", err.Error())
		}
	case !on:
		p.stop()
		p.problem = ""
	}
	if err := store.Set(on, ""); err != nil {
		return api.Web{}, err
	}
	if on != was {
		p.o.Note(api.EventWeb, map[bool]string{true: "the page was turned on: " + p.url, false: "the page was turned off"}[on])
	}
	return p.state(), nil
}

// Code implements httpapi.Web.
func (p *Page) Code(rights api.WebRights) (api.WebCode, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return api.WebCode{}, api.Errorf(api.CodeConflict, "the page is off: `ccdir web` turns it on")
	}
	text, expires := p.devices.Code(rights)
	return api.WebCode{URL: p.url + "pair#" + text, Code: text, Rights: rights, ExpiresAt: expires}, nil
}

// Devices implements httpapi.Web.
func (p *Page) Devices() ([]api.WebDevice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err != nil {
		return nil, err
	}
	return store.List(), nil
}

// Revoke implements httpapi.Web.
func (p *Page) Revoke(ref string) (api.WebDevice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err != nil {
		return api.WebDevice{}, err
	}
	gone, err := store.Revoke(ref)
	if err == nil {
		p.o.Note(api.EventWeb, textsafe.Line("the browser "+gone.Name+" ("+gone.ID+") was revoked"))
	}
	return gone, err
}
