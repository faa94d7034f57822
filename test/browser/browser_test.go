package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ccdir/test/programs"
	"ccdir/test/realcli"
)

func TestMain(m *testing.M) { realcli.Main(m, 1) }

// patience bounds every wait for the browser: generous, because machines that run tests are slow at times.
const patience = time.Minute

// names are what Chromium is called in distributions.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// TestPage runs all tests of the page in one browser, each in tabs of its own.
func TestPage(t *testing.T) {
	b := start(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *browser)
	}{
		{"pair", testPair}, {"deny", testDeny}, {"question", testQuestion}, {"prompt", testPrompt}, {"hostile", testHostile},
		{"two devices", testTwoDevices}, {"revoked", testRevoked}, {"daemon killed", testDaemonKilled}, {"sleep", testSleep}, {"no script", testNoScript},
		{"phone", testPhone}, {"narrow", testNarrow}, {"late script", testLateScript}, {"many tabs", testManyTabs}, {"real agent", testRealAgent}, {"terminal", testTerminal}, {"terminal tools", testTerminalTools}, {"terminal on a phone", testTerminalPhone}, {"inside", testInside}, {"accessible", testAccessible}, {"worker", testWorker}, {"review", testReview}, {"pictures", testPictures},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, b)
		})
	}
}

// browser is a running Chromium.
type browser struct {
	ctx     context.Context
	program string
}

// start starts the browser, which ends with the test.
func start(t testing.TB) *browser {
	t.Helper()
	program := ""
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		programs.Need(t, names[0])
	}
	dir, err := os.MkdirTemp("", "ccdir-chromium")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.Flag("lang", "en"), chromedp.Flag("enable-unsafe-swiftshader", true)) // WebGL without a graphics card
	alloc, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, _ := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		end()
		_ = os.RemoveAll(dir)
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return &browser{ctx, program}
}

// tab is a page in the browser.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu sync.Mutex // guards what follows
	// faults are exceptions and errors that the page's console has.
	faults []string
	// workers are the service workers that the page has registered.
	workers []serviceworker.RegistrationID
}

// tab opens an empty page with cookies and storage of its own.
func (b *browser) tab(t testing.TB) *tab { return openTab(t, b.ctx, chromedp.WithNewBrowserContext()) }

// beside opens another tab of the same device.
func (p *tab) beside() *tab { return openTab(p.t, p.ctx) }

func openTab(t testing.TB, parent context.Context, options ...chromedp.ContextOption) *tab {
	t.Helper()
	p := &tab{t: t}
	ctx, _ := chromedp.NewContext(parent, append(options, chromedp.WithListener(p.listen))...)
	p.ctx = ctx
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page:\n%s", p.text())
		}
		_ = chromedp.Cancel(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, f := range p.faults {
			t.Errorf("the page's console: %s", f)
		}
	})
	p.do(chromedp.EmulateViewport(1280, 800))
	return p
}

// listen collects what goes wrong in the page.
func (p *tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, e.ExceptionDetails.Text+" "+fmt.Sprint(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.faults = append(p.faults, fmt.Sprint(e.Args))
		}
	case *serviceworker.EventWorkerRegistrationUpdated:
		for _, r := range e.Registrations {
			if !r.IsDeleted {
				p.workers = append(p.workers, r.RegistrationID)
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity {
			p.faults = append(p.faults, e.Entry.Text)
		}
	}
}

// registration is that of the page's service worker; it waits until the browser has told of it.
func (p *tab) registration() serviceworker.RegistrationID {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		p.mu.Lock()
		known := slices.Clone(p.workers)
		p.mu.Unlock()
		if len(known) > 0 {
			return known[len(known)-1]
		}
	}
	p.t.Fatal("the browser told of no worker")
	return ""
}

// do runs steps in the page.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		ctx, end := context.WithTimeout(ctx, patience)
		defer end()
		return chromedp.Steps(steps...)(ctx, t)
	}); err != nil {
		p.t.Fatalf("in the browser: %v\n%s", err, p.text())
	}
}

// open goes to an address and waits until it is loaded.
func (p *tab) open(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
}

// js is the value of an expression in the page.
func js[T any](p *tab, expression string) (T, error) {
	ctx, end := context.WithTimeout(p.ctx, patience)
	defer end()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// text is what a person reads on the page.
func (p *tab) text() string {
	text, err := js[string](p, `document.title + "\n" + document.body.innerText`)
	if err != nil {
		return err.Error()
	}
	return text
}

// until waits until an expression is true in the page.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		var is bool
		if is, err = js[bool](p, "!!("+expression+")"); is && err == nil { // an error: the page is just changing
			return
		}
	}
	p.t.Fatalf("%s did not come (%v):\n%s", what, err, p.text())
}

// sees waits until a text is on the page, gone (below) until it is not.
func (p *tab) sees(text string) {
	p.t.Helper()
	p.until(text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// said waits until the page has told the person something, which then goes again.
func (p *tab) said(text string) {
	p.t.Helper()
	p.until(text, fmt.Sprintf("document.getElementById('status').textContent.includes(%q)", text))
}

func (p *tab) gone(text string) {
	p.t.Helper()
	p.until("the end of "+text, fmt.Sprintf("!document.body.innerText.includes(%q)", text))
}

// click clicks where the element is, as a person does.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.until(selector, "document.querySelector("+quote(selector)+")")
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// press clicks the button or link with that text.
func (p *tab) press(label string) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(p.place(label)))
}

// tap touches the button or link with that text.
func (p *tab) tap(label string) {
	p.t.Helper()
	p.do(chromedp.TapXY(p.place(label)))
}

// place is the middle of the button or link with that text, scrolled into view.
func (p *tab) place(label string) (x, y float64) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("main button, main a, main summary, nav a")].find((e) => !e.hidden && !e.disabled && e.innerText.trim() === %s)`, quote(label))
	p.until("the button "+label, find)
	at, err := js[[]float64](p, `(() => { const e = `+find+`; e.scrollIntoView({ block: "center", behavior: "instant" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	if err != nil {
		p.t.Fatal(err)
	}
	return at[0], at[1]
}

// types puts the focus into an element and enters a text, as an input method does.
func (p *tab) types(selector, text string) {
	p.t.Helper()
	p.click(selector)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// key presses a key.
func (p *tab) key(key string, options ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(key, options...))
}

// strikes presses the keys of a text one after the other, as a keyboard does: a page that takes a key's
// press gets no character after it.
func (p *tab) strikes(text string) {
	p.t.Helper()
	for _, r := range text {
		p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			var down, up input.DispatchKeyEventParams
			for _, e := range kb.Encode(r) {
				switch e.Type {
				case kb.KeyDown:
					down = *e
				case kb.KeyChar:
					down.Text, down.UnmodifiedText = e.Text, e.UnmodifiedText
				default:
					up = *e
				}
			}
			_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, down)
			if err == nil {
				_, err = cdp.Call(ctx, t, input.DispatchKeyEvent, up)
			}
			return err
		}))
	}
}

// sendPrompt presses the keys that send a prompt.
func (p *tab) sendPrompt() { p.key(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)) }

// forget has the browser forget the files that it keeps.
func (p *tab) forget() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.ClearBrowserCache, cdp.Empty{})
		return err
	}))
}

// scriptOff lets the page run no script, as in a browser where that is turned off.
func (p *tab) scriptOff() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// quote is a text in an expression.
func quote(text string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(text, "")) }
