package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

// testDaemonKilled: after kill -9 of the daemon the page says that it is not connected, finds the next
// daemon by itself, and a request that was open can be answered.
func testDaemonKilled(t *testing.T, b *browser) {
	r := newRig(t, b)
	r.asking("worker", "permit Bash ls", "say went on")
	p := r.device(api.WebApprove)
	p.open(r.url + "/approvals")
	p.sees("Allow once")
	r.kill()
	p.sees("not connected")
	r.Run(r.ctx, "ls") // starts the next one
	p.gone("not connected")
	p.press("Allow once")
	p.said("Allowed: Bash of worker")
	p.open(r.url + "/")
	p.sees("went on")
}

// kill ends the daemon by kill -9.
func (r *rig) kill() {
	r.t.Helper()
	health, err := r.Client.Health(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := unix.Kill(health.PID, unix.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
}

// away has the page believe that nobody sees it, or that somebody does again, as a browser does with a tab behind
// others or a phone in a pocket.
func (p *tab) away(is bool) {
	p.t.Helper()
	if _, err := js[bool](p, fmt.Sprintf(`(() => { Object.defineProperty(document, "hidden", { value: %t, configurable: true }); document.dispatchEvent(new Event("visibilitychange")); return true })()`, is)); err != nil {
		p.t.Fatal(err)
	}
}

// testSleep: a tab that has slept, over a kill -9 of the daemon and more events than a page has, is told on
// waking what was answered, and misses no event.
func testSleep(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash ls", "say went on")
	p := r.device(api.WebApprove)
	p.open(r.url + "/events")
	p.until("the last event", `document.querySelector("[data-key^='e-']")`)
	before, err := js[int64](p, `Number(document.querySelector("[data-key^='e-']").dataset.key.slice(2))`)
	if err != nil {
		t.Fatal(err)
	}
	p.away(true)
	r.kill()
	r.Run(r.ctx, "ls") // starts the next one
	if _, err := r.Client.Answer(r.ctx, q.ID, api.Answer{Behavior: api.AnswerAllow}); err != nil {
		t.Fatal(err)
	}
	busy := r.start("busy", append(slices.Repeat([]string{"tool Grep func parse"}, 60), "say all read")...)
	r.Answered(r.ctx, busy, "all read")
	p.away(false)
	p.said("Bash approved by person")
	list, err := r.Client.Events(r.ctx, client.EventFilter{Since: before})
	if err != nil || len(list) < 110 {
		t.Fatalf("%d events, %v", len(list), err)
	}
	numbers := make([]string, len(list))
	for i, e := range list {
		numbers[i] = fmt.Sprint(e.Seq)
	}
	p.until("every event", `[`+strings.Join(numbers, ",")+`].every((n) => document.querySelector("[data-key=e-" + n + "]"))`)
}

// testPhone: on a phone what an agent asks is answered by touch, and nothing is wider than the screen.
func testPhone(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash rm -rf build", "say all done")
	p := r.device(api.WebApprove)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	p.open(r.url + "/")
	p.tap("Look, and answer")
	p.sees("rm -rf build")
	p.fits()
	p.tap("Deny")
	p.said("Denied: Bash of worker")
	if row := r.decision(q.ID); row.Decision != api.EffectDeny {
		t.Errorf("%+v", row)
	}
}

// fits fails if the page is wider than the screen.
func (p *tab) fits() {
	p.t.Helper()
	wide, err := js[string](p, `(() => { const w = document.documentElement.clientWidth; if (document.documentElement.scrollWidth <= w) return ""; return [...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > w + 1).map((e) => e.tagName + "." + e.className).join(" ") || "?" })()`)
	if err != nil || wide != "" {
		p.t.Errorf("%s is wider than the screen: %v", wide, err)
	}
}

// testNarrow: no page scrolls sideways at 320 pixels, whatever agents write.
func testNarrow(t *testing.T, b *browser) {
	long := fmt.Sprintf("%0200d", 7)
	r := newRig(t, b)
	r.asking("name-"+long[:50], "say "+long, "permit Bash "+long)
	p := r.device(api.WebType)
	p.do(chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile))
	list, err := r.Client.Sessions(r.ctx)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for _, path := range []string{"/", "/approvals", "/sessions/" + list[0].ID, "/sessions/" + list[0].ID + "/changes", "/pair", "/none"} {
		p.open(r.url + path)
		p.fits()
		if broken, err := js[string](p, `[...document.querySelectorAll(".acts a")].filter((a) => a.offsetHeight > 40).map((a) => a.textContent).join()`); err != nil || broken != "" {
			t.Errorf("%s: the words of %q are broken (%v)", path, broken, err)
		}
	}
}

// testLateScript: an answer that is given before the page's script has come, as on a slow line, is the same
// answer: the form goes without the script's secret, and is sent again with it.
func testLateScript(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash ls")
	p := r.device(api.WebApprove)
	p.open(r.url + "/approvals/" + q.ID)
	p.types("textarea[name=message]", "rather\nnot")
	// submit() asks no listener, as if there was none.
	if _, err := js[bool](p, `(() => { const f = document.querySelector("form[action^='/approvals']"); const i = document.createElement("input"); i.name = "behavior"; i.value = "deny"; f.append(i); f.submit(); return true })()`); err != nil {
		t.Fatal(err)
	}
	p.sees("Not open any more")
	if row := r.decision(q.ID); row.Decision != api.EffectDeny || !strings.Contains(row.Reason, "rather\nnot") {
		t.Errorf("%+v", row)
	}
}

// testManyTabs: with more tabs than a browser opens connections to a host, an answer still arrives.
func testManyTabs(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash ls", "say went on")
	p := r.device(api.WebApprove)
	for range 7 {
		other := p.beside()
		other.open(r.url + "/")
		other.sees("worker")
	}
	p.open(r.url + "/approvals")
	p.press("Allow once")
	p.said("Allowed: Bash of worker")
	if row := r.decision(q.ID); row.Decision != api.EffectAllow {
		t.Errorf("%+v", row)
	}
}

// testRealAgent: the real CLI's request is allowed on the page, the next one refused with words that the
// model reads.
func testRealAgent(t *testing.T, b *browser) {
	realcli.Claude(t)
	place := realcli.Home(t, "")
	bash := func(command string) fakeapi.Reply {
		return fakeapi.Tool("Bash", map[string]any{"command": command, "description": "a scripted command"})
	}
	fake := fakeapi.New(fakeapi.Turns(bash("touch made"), bash("touch never")))
	defer fake.Close()
	place.Env = append(place.Env, "ANTHROPIC_BASE_URL="+fake.URL())
	r := rigOf(t, b, realcli.Install(t, place))
	id := r.New(r.ctx, "-n", "real")
	r.State(r.ctx, id, api.StateIdle)
	p := r.device(api.WebType)
	p.press("real")
	p.types("#text", "go")
	p.press("Send")
	p.sees("touch made")
	p.press("Allow once")
	p.sees("touch never")
	p.types("textarea[name=message]", "rather not")
	p.press("Deny")
	r.State(r.ctx, id, api.StateIdle)
	if _, err := os.Stat(filepath.Join(place.CWD, "made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(place.CWD, "never")); err == nil {
		t.Error("what was denied was run")
	}
	if !slices.ContainsFunc(fake.Requests(), func(q fakeapi.Request) bool { return strings.Contains(string(q.Body), "rather not") }) {
		t.Error("the words did not reach the model")
	}
}
