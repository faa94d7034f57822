package browser

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"ccdir/api"
	"ccdir/test/programs"
	"ccdir/test/realcli"
)

// scheme has the browser say that a person wants it light or dark.
func (p *tab) scheme(name string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}

// axe is the program that finds what keeps people from using a page: pinned, of testdata/browser.
func axe(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realcli.Root(t), "testdata", "browser", "node_modules", "axe-core", "axe.min.js"))
	switch {
	case err == nil:
	case programs.RequireAll():
		t.Fatalf("%v: run `make agents`", err)
	default:
		t.Skip("axe-core is not installed (make agents)")
	}
	return string(data)
}

// audit fails for each rule of axe that the page breaks.
func (p *tab) audit(program, what string) {
	p.t.Helper()
	if _, err := js[bool](p, program+`;window.found = null; axe.run().then((r) => { window.found = r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.failureSummary.replaceAll("\n", " ") + " " + n.html.slice(0, 200))) }, (e) => { window.found = [String(e)] }); true`); err != nil {
		p.t.Fatal(err)
	}
	p.until("the end of axe", "window.found")
	text, err := js[string](p, "JSON.stringify(window.found)")
	if err != nil {
		p.t.Fatal(err)
	}
	var found []string
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		p.t.Fatal(err)
	}
	for _, f := range found {
		p.t.Errorf("%s: %s", what, f)
	}
}

// testAccessible: axe finds nothing on any page, on a phone in the light and at a desk in the dark, with what agents
// ask, with lists that have rows, with what can be opened open; and nothing on the pages whose colours differ, the other way round.
func testAccessible(t *testing.T, b *browser) {
	program := axe(t)
	r := newRig(t, b)
	r.shell("sh")
	id := r.start("parser", "tool Grep func parse", "say The parser drops the last token.", "say I added a test.")
	r.Answered(r.ctx, id, "I added a test.")
	permit := r.asking("maker", "say I will rebuild.", "permit Bash rm -rf build/ && make generate")
	asker := r.start("asker", "ask Which unit? | seconds | milliseconds")
	r.State(r.ctx, asker, api.StateInput)
	r.Run(r.ctx, "task", "add", "-n", "tidy", "say tidied")
	paths := []string{
		"/", "/?q=none", "/approvals", "/approvals/" + permit.ID, "/approvals/" + permit.ID + "/always", "/approvals/none",
		"/sessions/" + id, "/sessions/" + permit.Session, "/sessions/" + asker, "/sessions/" + id + "/changes?on=1", "/sessions/" + id + "/end", "/sessions/sh/terminal", "/terminals", "/conversations/" + id,
		"/new", "/queue", "/queue/tidy", "/events", "/decisions", "/decisions?since=12h", "/trees", "/nodes", "/usage", "/config", "/search", "/search?q=parser", "/notifications", "/pair", "/none",
	}
	few := []string{"/", "/approvals/" + permit.ID, "/sessions/" + id, "/sessions/" + asker, "/queue/tidy", "/decisions", "/usage", "/sessions/sh/terminal"}
	for _, size := range []struct {
		schemes [2]string
		w, h    int64
		options []chromedp.EmulateViewportOption
	}{{[2]string{"light", "dark"}, 390, 844, []chromedp.EmulateViewportOption{chromedp.EmulateMobile, chromedp.EmulateTouch}}, {[2]string{"dark", "light"}, 1280, 800, nil}} {
		p := r.device(api.WebType)
		p.do(chromedp.EmulateViewport(size.w, size.h, size.options...))
		for n, list := range [][]string{paths, few} {
			scheme := size.schemes[n]
			p.scheme(scheme)
			for _, path := range list {
				p.auditPage(program, r.url, path, scheme)
			}
		}
	}
}

// auditPage looks at a page with all open that can be opened, and at a terminal that is typed into.
func (p *tab) auditPage(program, url, path, scheme string) {
	p.t.Helper()
	p.open(url + path)
	p.until("the page", `document.readyState === "complete" && document.querySelector("main")`)
	if strings.Contains(path, "erminal") {
		p.until("a screen", `document.querySelector("section.open")`)
	}
	if _, err := js[bool](p, `(() => { for (const d of document.querySelectorAll("details")) d.open = true; return true })()`); err != nil {
		p.t.Fatal(err)
	}
	p.audit(program, path+" "+scheme)
	p.fits()
	if path == "/sessions/sh/terminal" {
		p.open(url + path) // the menu that was opened covers the button
		p.press("Type here")
		p.sees("you type here")
		p.audit(program, path+", typing, "+scheme)
		p.press("Only look")
	}
}
