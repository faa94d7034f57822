package browser

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/realcli"
)

// rig is a daemon with a page of its own.
type rig struct {
	*realcli.Product
	t   testing.TB
	ctx context.Context
	b   *browser
	// url is the page's address, without a slash at its end.
	url string
}

// newRig is an installation whose agents are scripted ones. Its page has a port of its own: the one that ccdir
// takes first may be another test's as soon as the daemon is dead. config is added to its configuration.
func newRig(t testing.TB, b *browser, config ...string) *rig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // the daemon listens there
	return rigOf(t, b, realcli.InstallAgent(t, realcli.NewPlace(t, ".demo"), "demo", "fast_path = false\n"+strings.Join(config, "\n")+"\n[web]\nlisten = "+strconv.Quote(address)+"\n"))
}

// rigOf serves the page of an installation.
func rigOf(t testing.TB, b *browser, p *realcli.Product) *rig {
	t.Helper()
	r := &rig{Product: p, t: t, b: b}
	var end context.CancelFunc
	r.ctx, end = context.WithTimeout(t.Context(), 3*patience)
	t.Cleanup(end)
	r.url = strings.TrimSuffix(r.Run(r.ctx, "web"), "/")
	return r
}

// device pairs a browser and returns its page, on the overview.
func (r *rig) device(rights api.WebRights) *tab {
	r.t.Helper()
	p := r.b.tab(r.t)
	r.pair(p, rights)
	return p
}

// pair pairs a page by the address that `ccdir web pair` prints.
func (r *rig) pair(p *tab, rights api.WebRights) {
	r.t.Helper()
	code, err := r.Client.WebCode(r.ctx, rights)
	if err != nil {
		r.t.Fatal(err)
	}
	p.open(code.URL)
	p.until("the code", "document.getElementById('code').value")
	p.press("Pair")
	p.until("the overview", `location.pathname === "/" && document.querySelector("[data-blocks]")`)
}

// start starts a session that follows a script.
func (r *rig) start(name string, steps ...string) (id string) {
	r.t.Helper()
	return r.New(r.ctx, "-n", name, "--prompt", strings.Join(steps, "\n"))
}

// asking starts a session and waits until it asks.
func (r *rig) asking(name string, steps ...string) api.Request {
	r.t.Helper()
	q, _ := r.Request(r.ctx, r.start(name, steps...), 0)
	return q
}

// decision is the last row of the ledger of a request.
func (r *rig) decision(id string) api.LedgerRow {
	r.t.Helper()
	rows, err := r.Client.Decisions(r.ctx, api.LedgerFilter{Request: id})
	if err != nil || len(rows) == 0 {
		r.t.Fatalf("the ledger: %v %v", rows, err)
	}
	return rows[len(rows)-1]
}
