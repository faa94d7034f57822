package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/callers"
	"ccdir/daemon/far"
	"ccdir/daemon/httpapi"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/listen"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/web"
	"ccdir/web/devices"
	"ccdir/web/push"
)

// webFirst is tried first where no address is configured; if another program has it, the system
// chooses a port. What was taken is kept.
const webFirst = "127.0.0.1:7435"

// webPage is the page in the browser: its listener, and who is paired. It implements httpapi.Web.
type webPage struct {
	d *daemon

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

// begin serves the page if it is on. Where it never was, that is one look for a file.
func (p *webPage) begin() {
	if _, err := os.Lstat(p.d.o.Paths.WebFile()); errors.Is(err, fs.ErrNotExist) {
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
func (p *webPage) failed(err error) {
	p.problem = err.Error()
	p.d.log.Error("the page is not served", "error", err)
	p.d.note(api.EventConfigError, textsafe.Line("the page is not served: "+err.Error()))
}

// store opens the file of the devices. The caller holds mu.
func (p *webPage) store() (*devices.Store, error) {
	if p.devices != nil {
		return p.devices, nil
	}
	store, err := devices.Open(p.d.o.Paths.WebFile(), func() time.Time { return time.Now().UTC() })
	if err == nil {
		p.devices = store
	}
	return store, err
}

// serve begins to listen as the configuration says. The caller holds mu.
func (p *webPage) serve() error {
	c := p.d.config.Load().Web
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
	d := p.d
	url := scheme(cert) + "://" + cert.name(l.Addr()) + "/"
	var looking atomic.Int32
	p.push = push.New(push.Options{
		Store: p.devices, Secure: cert != nil, Subject: url, Watch: pageLog{d.events}.Watch, Requests: d.registry.Requests, Sessions: d.events.Sessions,
		Looking: func() bool { return looking.Load() > 0 }, Note: func(m string) { d.note(api.EventWeb, m) }, Client: push.NewClient(), Now: time.Now, Logger: d.log,
	})
	p.far = far.New(far.Options{Paths: d.o.Paths, UID: d.o.UID, Env: d.o.Env, Shim: d.o.Shim, Logger: d.log,
		Nodes: func() map[string]config.Node { return d.config.Load().Nodes }})
	deps := web.Deps{
		Devices: p.devices, Sessions: pageSessions{d.registry, d}, Log: pageLog{d.events}, Approvals: d.registry,
		Conversations: d.conversations, Reviews: pageReviews{d.reviews}, Pending: d.pending, Files: pageFiles{d}, Ledger: d.store,
		Queue: d.tasks, Trees: d.repositories, Usage: usageView{d}, Past: d.history, Config: func() any { return d.config.Load() }, Push: p.push, Looking: &looking,
		Access: &pageAccess{callers: d.callers}, Refused: d.callers.Refused, Note: func(m string) { d.note(api.EventWeb, textsafe.Line(m)) },
		Terminal: httpapi.Terminals{Sessions: d.registry, Alarms: d.alarms, Logger: d.log, Elsewhere: p.far.Host}.Attach,
		Host:     cert.host(l.Addr()), Secure: cert != nil, Logger: d.log,
	}
	p.far.Join(&deps)
	p.server = listen.NewServer(web.New(deps), d.o.UID, d.log)
	bounded := access.NewTCPListener(l, d.log)
	var listener net.Listener = bounded
	if cert != nil {
		listener = tls.NewListener(access.NewOpenListener(l, d.log), &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: cert.get})
	}
	p.server.ServeOn(listener)
	p.served, p.problem, p.url = c, "", url
	telling, endTelling := context.WithCancel(context.Background())
	service, ended := p.push, make(chan struct{})
	p.endTelling = func() { endTelling(); <-ended }
	contain.Go(d.log, func() {
		defer close(ended)
		service.Run(telling)
	})
	d.log.Info("the page is served", "address", l.Addr().String())
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
func (p *webPage) listen(c config.Web) (net.Listener, error) {
	if c.Listen != "" {
		return net.Listen("tcp", c.Listen)
	}
	_, kept := p.devices.State()
	if kept == "" {
		kept = webFirst
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

// end ends the server. Its calls end first.
func (p *webPage) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// stop ends the server, if there is one. The caller holds mu.
func (p *webPage) stop() {
	if p.server == nil {
		return
	}
	p.server.End()
	p.far.End()
	p.endTelling()
	p.server, p.url, p.push = nil, "", nil
}

// follow serves the page anew if its configuration has changed.
func (p *webPage) follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.devices == nil || p.d.config.Load().Web == p.served && p.problem == "" {
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
func (p *webPage) State() api.Web {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state()
}

func (p *webPage) state() api.Web {
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
func (p *webPage) Set(on bool) (api.Web, error) {
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
		p.d.note(api.EventWeb, map[bool]string{true: "the page was turned on: " + p.url, false: "the page was turned off"}[on])
	}
	return p.state(), nil
}

// Code implements httpapi.Web.
func (p *webPage) Code(rights api.WebRights) (api.WebCode, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return api.WebCode{}, api.Errorf(api.CodeConflict, "the page is off: `ccdir web` turns it on")
	}
	text, expires := p.devices.Code(rights)
	return api.WebCode{URL: p.url + "pair#" + text, Code: text, Rights: rights, ExpiresAt: expires}, nil
}

// Devices implements httpapi.Web.
func (p *webPage) Devices() ([]api.WebDevice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err != nil {
		return nil, err
	}
	return store.List(), nil
}

// Revoke implements httpapi.Web.
func (p *webPage) Revoke(ref string) (api.WebDevice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store, err := p.store()
	if err != nil {
		return api.WebDevice{}, err
	}
	gone, err := store.Revoke(ref)
	if err == nil {
		p.d.note(api.EventWeb, textsafe.Line("the browser "+gone.Name+" ("+gone.ID+") was revoked"))
	}
	return gone, err
}

// webRate bounds the calls of paired devices together, per second.
const webRate = 50

// pageAccess implements web.Access.
type pageAccess struct {
	callers *callers.Callers
	rates   access.Rates
}

func (a *pageAccess) Admit(h http.Header, known bool) error {
	if err := a.rates.Admit(h, known, webRate, time.Now()); err != nil {
		return err
	}
	return nil
}

func (a *pageAccess) Caller(ctx context.Context, looks bool) (api.Origin, error) {
	if err := access.OtherUser(ctx); err != nil {
		return api.Origin{}, err
	}
	if looks {
		return access.OriginAtFirst(ctx, a.callers)
	}
	return access.OriginOf(ctx, a.callers)
}

func (a *pageAccess) Known(ctx context.Context) error {
	if err := access.Authenticated(ctx); err != nil {
		return err
	}
	return nil
}

func (a *pageAccess) Dismiss(w http.ResponseWriter) { access.Dismiss(w) }

// certificate is the page's certificate, read again when its file has changed. A nil one stands for a
// page without TLS.
type certificate struct {
	files config.Web

	mu sync.Mutex // guards what follows
	at time.Time
	is *tls.Certificate
}

// newCertificate reads the certificate; nil without one.
func newCertificate(c config.Web) (*certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	cert := &certificate{files: c}
	if _, err := cert.get(nil); err != nil {
		return nil, fmt.Errorf("web.tls_cert and web.tls_key: %w", err)
	}
	return cert, nil
}

// get implements tls.Config.GetCertificate. A file that cannot be read leaves the certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.files.TLSCert)
	if err == nil && !info.ModTime().Equal(c.at) {
		var read tls.Certificate
		if read, err = tls.LoadX509KeyPair(c.files.TLSCert, c.files.TLSKey); err == nil {
			c.is, c.at = &read, info.ModTime()
		}
	}
	if c.is == nil {
		return nil, err
	}
	return c.is, nil
}

// host says by which names the page may be called: those of the certificate, or of this machine.
func (c *certificate) host(listening net.Addr) func(name string) bool {
	own, _, _ := net.SplitHostPort(listening.String())
	return func(name string) bool {
		if c == nil {
			return name == "localhost" || name == own
		}
		cert, err := c.get(nil)
		return err == nil && cert.Leaf != nil && cert.Leaf.VerifyHostname(name) == nil
	}
}

// name is the host with its port by which the page is called.
func (c *certificate) name(listening net.Addr) string {
	if c == nil {
		return listening.String()
	}
	host, port, _ := net.SplitHostPort(listening.String())
	cert, err := c.get(nil)
	if err == nil && cert.Leaf != nil {
		for _, name := range cert.Leaf.DNSNames {
			if !strings.Contains(name, "*") {
				return net.JoinHostPort(name, port)
			}
		}
	}
	return net.JoinHostPort(host, port)
}
