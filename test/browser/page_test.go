package browser

import (
	"strings"
	"testing"

	"ccdir/api"
)

// testPair: the address with the code in its fragment pairs the browser; the code goes from the address,
// and works once.
func testPair(t *testing.T, b *browser) {
	r := newRig(t, b)
	r.start("one", "say done")
	code, err := r.Client.WebCode(r.ctx, api.WebSee)
	if err != nil {
		t.Fatal(err)
	}
	p := b.tab(t)
	p.open(r.url + "/")
	p.sees("Pair this browser")
	p.open(code.URL)
	p.until("the code", `document.getElementById("code").value && !location.hash`)
	p.press("Pair")
	p.sees("one")
	p.until("the overview", `location.pathname === "/" && document.querySelector(".card")`)
	other := b.tab(t)
	other.open(code.URL)
	other.press("Pair")
	other.sees("this code is not valid")
	list, err := r.Client.WebDevices(r.ctx)
	if err != nil || len(list) != 1 || list[0].Rights != api.WebSee || !strings.Contains(list[0].Name, "Chrome") {
		t.Errorf("%+v %v", list, err)
	}
	p.click(".foot button")
	p.sees("Pair this browser")
	p.open(r.url + "/")
	p.sees("Pair this browser")
}

// testDeny: what an agent asks appears by itself, is denied with words and allowed, and the answers are
// the requests' own.
func testDeny(t *testing.T, b *browser) {
	r := newRig(t, b)
	p := r.device(api.WebApprove)
	q := r.asking("worker", "permit Bash rm -rf build")
	p.sees("worker")
	p.press("Look, and answer")
	p.sees("rm -rf build")
	p.types("textarea[name=message]", "first\nsecond")
	p.press("Deny")
	p.said("Denied: Bash of worker")
	if row := r.decision(q.ID); row.Decision != api.EffectDeny || row.By != api.ByPerson || !strings.HasPrefix(row.Client, "page on Chrome") || !strings.Contains(row.Reason, "first\nsecond") {
		t.Errorf("the ledger: %+v", row)
	}
	p.open(r.url + "/approvals")
	p.sees("Nothing is asked")
	r.start("second", "permit Bash make", "say all done")
	p.press("Allow once")
	p.said("Allowed: Bash of second")
	p.open(r.url + "/")
	p.sees("all done")
}

// testQuestion: a question is answered by a choice.
func testQuestion(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("asker", "ask Which unit? | seconds | milliseconds", "say thank you")
	p := r.device(api.WebApprove)
	p.press("Approvals 1")
	p.sees("Which unit?")
	p.click("label.choice:nth-of-type(2) input")
	p.press("Answer")
	p.said("Answered:")
	if row := r.decision(q.ID); row.Decision != api.EffectAllow {
		t.Errorf("%+v", row)
	}
	p.open(r.url + "/")
	p.sees("thank you")
}

// testPrompt: a prompt of several lines with CJK text reaches the agent, and its answer appears.
func testPrompt(t *testing.T, b *browser) {
	r := newRig(t, b)
	id := r.start("worker", "say ready")
	r.State(r.ctx, id, api.StateIdle)
	p := r.device(api.WebType)
	p.press("worker")
	p.sees("ready")
	p.types("#text", "say 漢字とかな\nsay second line")
	p.sendPrompt()
	p.said("The agent has it")
	p.until("the answer", `[...document.querySelectorAll(".says")].some((e) => e.innerText.includes("second line"))`)
	p.sees("漢字とかな")
	p.until("an empty field", `!document.getElementById("text").value`)
	// A text under way outlives the page.
	p.types("#text", "under way")
	p.open(r.url + "/")
	p.press("worker")
	p.until("the draft", `document.getElementById("text").value === "under way"`)
}

// testHostile: what an agent wrote is text: no element, no link, no script, nothing that turns text around.
func testHostile(t *testing.T, b *browser) {
	const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>` + "\x1b[31m\u202ejavascript:alert(1)"
	r := newRig(t, b)
	r.asking("hostile", "say "+evil, "permit Bash echo "+evil)
	p := r.device(api.WebApprove)
	for _, path := range []string{"/", "/approvals", "/sessions/hostile"} {
		p.open(r.url + path)
		p.sees("<img src=x onerror=")
		p.until("the live stream", `!document.hidden`)
		if bad, err := js[bool](p, `!!document.querySelector("main img, main script, a[href^='javascript']") || document.title.includes("owned") || /[\u001b\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)`); bad || err != nil {
			t.Errorf("%s: what the agent wrote is not only text (%v):\n%s", path, err, p.text())
		}
	}
}

// testTwoDevices: of two devices at one request the second is told that it is over, and keeps its words.
func testTwoDevices(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash ls", "say done")
	one, two := r.device(api.WebApprove), r.device(api.WebApprove)
	for _, p := range []*tab{one, two} {
		p.open(r.url + "/approvals")
		p.sees("ls")
	}
	two.types("textarea[name=message]", "rather not")
	one.press("Allow once")
	one.said("Allowed: Bash of worker")
	two.sees("not open any more")
	two.until("the words", `document.querySelector("textarea[name=message]").value === "rather not" && document.querySelector("button.deny").disabled`)
	if row := r.decision(q.ID); row.Decision != api.EffectAllow {
		t.Errorf("%+v", row)
	}
}

// testRevoked: a revoked device is out at once, and says so.
func testRevoked(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash ls")
	p := r.device(api.WebApprove)
	p.open(r.url + "/approvals")
	p.sees("Allow once")
	list, err := r.Client.WebDevices(r.ctx)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := r.Client.RevokeDevice(r.ctx, list[0].ID); err != nil {
		t.Fatal(err)
	}
	p.sees("not paired")
	p.open(r.url + "/approvals")
	p.sees("Pair this browser")
	if open, err := r.Client.Approvals(r.ctx); err != nil || len(open) != 1 || open[0].ID != q.ID {
		t.Errorf("%v %v", open, err)
	}
}

// testNoScript: the overview, an answer and a prompt work in a browser without script.
func testNoScript(t *testing.T, b *browser) {
	r := newRig(t, b)
	q := r.asking("worker", "permit Bash rm x", "say as you like")
	p := b.tab(t)
	p.scriptOff()
	code, err := r.Client.WebCode(r.ctx, api.WebType)
	if err != nil {
		t.Fatal(err)
	}
	p.open(r.url + "/pair")
	p.types("#code", code.Code)
	p.press("Pair")
	p.sees("worker")
	p.press("Look, and answer")
	p.types("textarea[name=message]", "not now")
	p.press("Deny")
	p.until("how it ended", `!document.querySelector("button.deny")`)
	if row := r.decision(q.ID); row.Decision != api.EffectDeny {
		t.Errorf("%+v", row)
	}
	r.State(r.ctx, q.Session, api.StateIdle)
	p.open(r.url + "/sessions/worker")
	p.types("#text", "say without script")
	p.press("Send")
	r.Answered(r.ctx, q.Session, "without script")
	p.open(r.url + "/sessions/worker")
	p.sees("without script")
}
