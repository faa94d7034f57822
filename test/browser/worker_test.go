package browser

import (
	"context"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"ccdir/api"
)

// testWorker: the service worker runs in the browser, shows each push as a notification with what the daemon
// sends, a push that cannot be read too, and one of the same request in the place of the older; a click leads there.
func testWorker(t *testing.T, b *browser) {
	r := newRig(t, b)
	p := r.device(api.WebSee)
	p.do(chromedp.Func(func(ctx context.Context, tt *chromedp.Target) error {
		info, err := cdp.Call(ctx, tt, target.GetTargetInfo, target.GetTargetInfoParams{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, tt, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"},
			Setting: cdpbrowser.PermissionSettingGranted, Origin: r.url, BrowserContextID: info.TargetInfo.BrowserContextID})
		return err
	}), chromedp.Func(func(ctx context.Context, tt *chromedp.Target) error {
		_, err := cdp.Call(ctx, tt, serviceworker.Enable, cdp.Empty{})
		return err
	}))
	p.open(r.url + "/notifications")
	if _, err := js[bool](p, `(() => { navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then((r) => { window.worker = r }); return true })()`); err != nil {
		t.Fatal(err)
	}
	p.until("the worker", "window.worker?.active?.state === 'activated'")
	for _, c := range []struct{ data, want string }{
		{`{"title":"maker asks","body":"Bash: make","url":"/approvals/r1","tag":"r1"}`, "maker asks|Bash: make|r1|/approvals/r1"},
		{`{"title":"maker asks on","body":"Bash: make all","url":"/approvals/r1","tag":"r1"}`, "maker asks on|Bash: make all|r1|/approvals/r1"},
		{"no JSON", "maker asks on|Bash: make all|r1|/approvals/r1\nccdir||ccdir|/"},
	} {
		p.do(chromedp.Func(func(ctx context.Context, tt *chromedp.Target) error {
			_, err := cdp.Call(ctx, tt, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{Origin: r.url, RegistrationID: p.registration(), Data: c.data})
			return err
		}))
		p.until(c.want, `(window.worker.getNotifications().then((l) => { window.shown = l.map((n) => [n.title, n.body, n.tag, n.data.url].join("|")).sort().reverse().join("\n") }), window.shown === `+quote(c.want)+`)`)
	}

	// A click opens what the notification is about, in the tab that shows it already if there is one.
	session := "/sessions/" + r.start("maker", "say made")
	for _, c := range []struct{ at, url, want string }{
		{"/notifications", session, "closed, opened " + r.url + session}, {session, session, "closed, shown"}, {session, "https://example.com/", "closed"},
	} {
		if got := p.notified(c.at, c.url); got != c.want {
			t.Errorf("a click on a notification about %s beside %s: %q, want %q", c.url, c.at, got, c.want)
		}
	}
	p.open(r.url + session)
	p.sees("made")
}

// notified clicks a notification about an address in the worker's script, and returns what that did. The event needs a desktop that
// shows notifications, and only there a worker may open windows: the script has stand-ins of both.
func (p *tab) notified(at, url string) string {
	p.t.Helper()
	script, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`fetch("/worker.js").then((r) => r.text())`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	did, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`(async () => {
		let did = [], ends;
		const self = Object.assign(new EventTarget(), { location, clients: {
			openWindow: async (url) => { did.push("opened " + url) },
			matchAll: async ({ type }) => type === "window" ? [{ url: location.origin + `+quote(at)+`, focus: async () => { did.push("shown") } }] : [],
		} });
		{ `+script+` }
		self.dispatchEvent(Object.assign(new Event("notificationclick"), { notification: { data: { url: `+quote(url)+` }, close: () => { did.push("closed") } }, waitUntil: (until) => { ends = until } }));
		await ends;
		return did.join(", ") })()`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	return did
}
