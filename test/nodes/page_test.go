package nodes

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
)

// page is a browser without script, paired with the laptop's page.
type page struct {
	*rig
	url    string
	client *http.Client
}

// pair turns the page on and pairs with it.
func (r *rig) pair(rights string) *page {
	r.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.Fatal(err)
	}
	p := &page{r, strings.TrimSuffix(r.ok("web"), "/"), &http.Client{Jar: jar}}
	var code api.WebCode
	r.decode(r.ok("web", "pair", "--rights", rights, "--json"), &code)
	p.post("/pair", url.Values{"code": {code.Code}})
	return p
}

// get is a page's status and text.
func (p *page) get(path string) (int, string) {
	p.Helper()
	resp, err := p.client.Get(p.url + path)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return resp.StatusCode, html.UnescapeString(string(data))
}

// post sends a form.
func (p *page) post(path string, form url.Values) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.url)
	resp, err := p.client.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	if data, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		p.Fatalf("POST %s: %s\n%s", path, resp.Status, data)
	}
}

// shows waits until a page has all of the texts.
func (p *page) shows(path string, texts ...string) (text string) {
	p.Helper()
	p.until(path+" shows "+strings.Join(texts, ", "), func() bool {
		_, text = p.get(path)
		for _, t := range texts {
			if !strings.Contains(text, t) {
				return false
			}
		}
		return true
	})
	return text
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// TestPage: a node's sessions are on the page of this machine, with their conversations; a request of it is
// answered there as the node's own, in whose ledger the device is named; a prompt reaches it; a node that is
// away is said, and what is known of it stays, and the page does not wait for it.
func TestPage(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "worker", "-a", "demo", "box/")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	r.ok("send", "box/worker", "say words from afar")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	ref := r.asks("box/worker", "touch by-page")
	p := r.pair("type")

	p.shows("/", "box/worker", "Look, and answer")
	p.shows("/nodes", "box", "online")
	var v api.Session
	r.decode(r.ok("show", "box/worker", "--json"), &v)
	session := "/sessions/" + url.PathEscape("box/"+strings.TrimPrefix(v.ID, "box/"))
	p.shows(session, "words from afar", "touch by-page")
	token := tokenField.FindStringSubmatch(p.shows("/approvals/"+url.PathEscape(ref), "touch by-page"))
	if token == nil {
		t.Fatal("no form")
	}
	p.post("/approvals/"+url.PathEscape(ref), url.Values{"token": {token[1]}, "behavior": {string(api.AnswerAllow)}})
	r.until("the answer in the node's ledger", func() bool { return len(r.answered("touch by-page")) > 0 })
	rows := r.answered("touch by-page")
	if len(rows) != 1 || rows[0].Decision != api.EffectAllow || !strings.HasPrefix(rows[0].Client, "page on ") || !strings.Contains(rows[0].Client, " via ") {
		t.Errorf("the node's ledger: %+v", rows)
	}
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	p.post(session+"/prompt", url.Values{"token": {token[1]}, "text": {"say said on the page"}, "id": {"one"}})
	p.shows(session, "said on the page")

	// What was said there is found from here, its queue is on the page, and a task of it is cancelled there.
	p.shows("/search?q=afar", "words from afar", "box/")
	r.ok("task", "add", "--node", "box", "-n", "busy", "-a", "demo", "permit Bash sleep 1")
	r.ok("task", "add", "--node", "box", "-n", "tidy", "-a", "demo", "--after", "busy", "say tidied")
	task := regexp.MustCompile(`href="/queue/(box%2F[a-z0-9]+)"`).FindStringSubmatch(p.shows("/queue", "tidy", "box/"))
	if task == nil {
		t.Fatal("no task of the node")
	}
	p.shows("/queue/"+task[1], "say tidied")
	p.post("/queue/"+task[1]+"/cancel", url.Values{"token": {token[1]}})
	p.shows("/queue/"+task[1], "cancelled")

	// A task is added there from here, as one is added here; both have an environment to run in. The form is in the device's
	// name, and what was used there is shown.
	p.shows("/queue?node=box", "Add on box")
	p.post("/queue", url.Values{"token": {token[1]}, "text": {"say added afar"}, "node": {"box"}, "name": {"afar"}, "agent": {"demo"}, "cwd": {r.dir}, "after": {"box/busy"}, "id": {"two"}})
	p.shows("/queue", "afar", "waits for box/")
	p.post("/queue", url.Values{"token": {token[1]}, "text": {"permit Bash near"}, "name": {"near"}, "agent": {"demo"}, "cwd": {r.dir}, "id": {"three"}})
	r.ok("task", "start", "near")
	r.until("what it asks", func() bool { return strings.Contains(r.ok("approvals", "--json"), `"near"`) })
	var added api.Task
	r.decode(r.ok("task", "show", "near", "--json"), &added)
	r.decode(r.ok("show", added.Session, "--json"), &v)
	if env, err := os.ReadFile("/proc/" + strconv.Itoa(v.PID) + "/environ"); err != nil || !strings.Contains(string(env), "PATH=/") {
		t.Errorf("the environment of what the page added (%v):\n%q", err, env)
	}
	p.shows("/events?type=web", "added the task", "of node box")
	p.shows("/usage?node=box&by=session", "Used on box", "worker")

	_ = r.sshd.Process.Kill()
	s, _ := r.status()
	kill(s.SSH)
	p.shows("/", "box/worker", "its machine does not answer since")
	p.shows(session, "does not answer since")
	p.shows("/nodes", "offline")
	if status, text := p.get("/approvals"); status != http.StatusOK {
		t.Errorf("%d: %s", status, text)
	}
}
