package browser

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"ccdir/api"
)

// screen waits until a text is in the terminal's rows.
func (p *tab) screen(text string) {
	p.t.Helper()
	p.until(text, `[...document.querySelectorAll(".xterm-rows > div, .textrows > div")].some((e) => e.textContent.replaceAll("\u00a0", " ").includes(`+quote(text)+`))`)
}

// shell starts a session with a shell.
func (r *rig) shell(name string) {
	r.t.Helper()
	r.Run(r.ctx, "new", "-n", name, "--cols", "80", "--rows", "24", "--", "env", "PS1=ready> ", "sh")
}

// testTerminal: a terminal is looked at, and typed into after that was chosen: keys, several lines pasted as
// one, text of input methods; it has the window's size; it is there again after a new daemon.
func testTerminal(t *testing.T, b *browser) {
	r := newRig(t, b)
	r.shell("sh")
	p := r.device(api.WebType)
	p.open(r.url + "/sessions/sh/terminal")
	p.screen("ready>")
	p.sees("only looking")
	p.click(".xterm")
	p.key("exit\r") // goes nowhere
	p.press("Type here")
	p.sees("you type here")
	p.until("its size", `document.querySelector("section.typing.open")`)
	p.strikes("echo a$((40+2))b\r")
	p.screen("a42b")
	p.types("#compose", "echo 漢字\necho two$((1+1))lines")
	p.press("Send with Enter")
	p.screen("two2lines")
	p.screen("漢字")
	p.types("#compose", "stty size | sed 's/^/is /'")
	p.press("Send with Enter")
	p.until("a size of its own", `[...document.querySelectorAll(".xterm-rows > div")].some((e) => { const m = e.textContent.replaceAll("\u00a0", " ").match(/^is \d+ (\d+)/); return m && m[1] > 100 })`)
	p.press("Only look")
	p.sees("only looking")
	p.open(r.url + "/terminals")
	p.screen("two2lines")
	see := r.device(api.WebSee)
	see.open(r.url + "/sessions/sh/terminal")
	see.screen("two2lines")
	if may, err := js[bool](see, `!!document.querySelector("[data-type], [data-key], [data-compose]")`); err != nil || may {
		t.Errorf("a device that may look has buttons that type (%v)", err)
	}
}

// testTerminalTools: a terminal is searched, and drawn by WebGL where that is chosen, for which more is loaded then only; the
// choice is kept, and where WebGL is lost or missing the terminal is drawn without, and says so.
func testTerminalTools(t *testing.T, b *browser) {
	r := newRig(t, b)
	r.shell("sh")
	p := r.device(api.WebType)
	open := func() {
		p.open(r.url + "/sessions/sh/terminal")
		p.until("the terminal", `document.querySelector("section.open .xterm-screen")`)
		p.press("Tools")
	}
	loaded := func(names string) {
		t.Helper()
		got, err := js[string](p, `performance.getEntriesByType("resource").map((e) => e.name.match(/(webgl|search)\.js/)?.[1]).filter(Boolean).sort().join(" ")`)
		if err != nil || got != names {
			t.Errorf("%q is loaded, want %q (%v)", got, names, err)
		}
	}
	const drawn, text = `document.querySelector(".xterm-screen canvas") && !document.querySelector(".xterm-rows")`, `!document.querySelector(".xterm-screen canvas") && document.querySelector(".xterm-rows") && !document.querySelector("[data-webgl]").checked`
	open()
	p.screen("ready>")
	loaded("")
	r.Run(r.ctx, "keys", "-l", "sh", "echo Find th$((1+1))s")
	r.Run(r.ctx, "keys", "sh", "Enter")
	p.screen("Find th2s")
	p.types("#find", "FIND TH2S")
	p.press("Next")
	p.until("what was found", `document.querySelector(".xterm-selection div")`)
	p.types("#find", "x")
	p.press("Previous")
	p.until("that it is not there", `document.querySelector("[data-told]").textContent === "not found"`)
	loaded("search")
	p.click("[data-webgl]")
	p.until("a drawing by WebGL", drawn)
	open()
	p.until("a drawing by WebGL, which was kept", drawn)
	loaded("webgl")
	if _, err := js[bool](p, `(() => { for (const c of document.querySelectorAll(".xterm-screen canvas")) c.getContext("webgl2")?.getExtension("WEBGL_lose_context").loseContext(); return true })()`); err != nil {
		t.Fatal(err)
	}
	p.sees("WebGL was lost")
	p.until("rows", text)
	p.screen("Find th2s")
	if _, err := js[bool](p, `(() => { HTMLCanvasElement.prototype.getContext = () => null; return true })()`); err != nil {
		t.Fatal(err)
	}
	p.click("[data-webgl]")
	p.sees("WebGL is not there")
	p.until("rows", text)
	p.screen("Find th2s")
	open()
	p.until("rows", text)
	loaded("")
}

// testTerminalPhone: on a phone keys are buttons, and the page stays as wide as the screen.
func testTerminalPhone(t *testing.T, b *browser) {
	r := newRig(t, b)
	r.shell("sh")
	p := r.device(api.WebType)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	p.open(r.url + "/sessions/sh/terminal")
	p.screen("ready>")
	p.until("rows of text, and no xterm.js", `document.querySelector(".textrows") && !document.querySelector(".xterm") && !performance.getEntriesByType("resource").some((e) => e.name.includes("/xterm.js"))`)
	p.tap("Type here")
	p.sees("you type here")
	p.types("#compose", `printf '\033[31mred \033[1mbold\033[m <b>plain</b>\n'`)
	p.tap("Send with Enter")
	p.until("colours, and text that is only text", `[...document.querySelectorAll(".textrows span")].some((e) => e.textContent === "bold" && e.style.fontWeight === "bold" && e.style.color !== "") && !document.querySelector(".textrows b")`)
	p.types("#compose", "stty size | sed 's/^/is /'")
	p.tap("Send with Enter")
	p.until("a size of its own", `[...document.querySelectorAll(".textrows > div")].some((e) => { const m = e.textContent.match(/^is (\d+) (\d+)/); return m && m[2] < 60 && m[2] > 30 && m[1] >= 8 })`)
	// What is selected stays, and what has come meanwhile is shown when it is not any more.
	if _, err := js[bool](p, `(() => { getSelection().selectAllChildren(document.querySelector(".textrows > div")); return true })()`); err != nil {
		t.Fatal(err)
	}
	r.Run(r.ctx, "keys", "-l", "sh", "echo se$((40+2))lected")
	r.Run(r.ctx, "keys", "sh", "Enter")
	r.Screen(r.ctx, "sh", "se42lected")
	if is, err := js[bool](p, `document.querySelector(".textrows").textContent.includes("se42lected")`); err != nil || is {
		t.Errorf("a selection is painted over (%v)", err)
	}
	if _, err := js[bool](p, `(() => { getSelection().removeAllRanges(); return true })()`); err != nil {
		t.Fatal(err)
	}
	p.screen("se42lected")
	p.types("#compose", "echo first; cat")
	p.tap("Send with Enter")
	p.screen("first")
	p.tap("^C")
	p.types("#compose", "echo after$((1+1))")
	p.tap("Text alone")
	p.tap("⏎")
	p.screen("after2")
	p.fits()
}

// testInside: a browser that an agent starts gets nothing but a refusal, with a device's cookie too, and
// cannot pair with a code that holds.
func testInside(t *testing.T, b *browser) {
	r := newRig(t, b)
	code, err := r.Client.WebCode(r.ctx, api.WebType)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.ctx, http.MethodPost, r.url+"/pair", strings.NewReader(url.Values{"code": {code.Code}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", r.url)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || len(resp.Cookies()) != 1 {
		t.Fatalf("pairing: %v %v", resp, err)
	}
	resp.Body.Close()
	cookie := resp.Cookies()[0]
	if code, err = r.Client.WebCode(r.ctx, api.WebType); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	r.Run(r.ctx, "new", "-n", "inside", "--", b.program, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	var port []byte
	for end := time.Now().Add(patience); len(port) == 0; time.Sleep(30 * time.Millisecond) {
		if port, _ = os.ReadFile(filepath.Join(dir, "DevToolsActivePort")); time.Now().After(end) {
			t.Fatalf("no browser:\n%s", r.Dump())
		}
	}
	number, _, _ := strings.Cut(string(port), "\n")
	alloc, end := remote.NewAllocator(r.ctx, "http://127.0.0.1:"+number)
	t.Cleanup(end)
	p := openTab(t, alloc)
	for _, path := range []string{"/", "/pair", "/approvals", "/sessions/inside/terminal"} {
		p.open(r.url + path)
		p.sees("the page is for the person alone")
	}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetCookies, network.SetCookiesParams{Cookies: []*network.CookieParam{{Name: cookie.Name, Value: cookie.Value, URL: r.url}}})
		return err
	}))
	for _, path := range []string{"/", "/approvals", "/sessions/inside/attach", "/pair#" + code.Code} {
		p.open(r.url + path)
		p.sees("the page is for the person alone")
	}
	if list, err := r.Client.WebDevices(r.ctx); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
	r.Run(r.ctx, "kill", "inside")
}
