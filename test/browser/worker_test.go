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
// sends, a push that cannot be read too, and one of the same request in the place of the older.
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
}
