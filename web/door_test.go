package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ccdir/api"
)

// TestDoor: what comes from elsewhere, from nobody or without the right proof gets nothing.
func TestDoor(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle})
	known, nobody := p.paired(api.WebType, true), &browser{p: p}
	for name, c := range map[string]struct {
		b       *browser
		method  string
		path    string
		headers map[string]string
		want    int
	}{
		"the person":                      {known, "GET", "/", nil, 200},
		"typed into the address bar":      {known, "GET", "/", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		"nobody":                          {nobody, "GET", "/", nil, 401},
		"nobody's stream":                 {nobody, "GET", "/live?view=overview", nil, 401},
		"nobody's styles":                 {nobody, "GET", "/assets/page.css", nil, 200},
		"another name":                    {known, "GET", "/", map[string]string{"Host": "evil.example:80"}, 403},
		"another name for styles":         {nobody, "GET", "/assets/page.css", map[string]string{"Host": "evil.example"}, 403},
		"another site's script":           {known, "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, 403},
		"another port's script":           {known, "GET", "/live?view=overview", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403},
		"another site's frame":            {known, "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		"another site's link":             {known, "GET", "/approvals", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		"another origin":                  {known, "GET", "/", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		"another origin's form":           {known, "POST", "/unpair", map[string]string{"Origin": "http://evil.example"}, 403},
		"an origin that is none":          {known, "POST", "/unpair", map[string]string{"Origin": "null"}, 403},
		"a form without a token":          {known, "POST", "/unpair", nil, 403},
		"a form of another site":          {known, "POST", "/unpair", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a form that names no origin":     {known, "POST", "/pair", map[string]string{"Origin": "", "Sec-Fetch-Site": ""}, 403},
		"no such page":                    {known, "GET", "/v1/sessions", nil, 404},
		"a way out of the assets":         {nobody, "GET", "/assets/..%2f..%2fweb.go", nil, 404},
		"a method that is none of a page": {known, "DELETE", "/", nil, 403},
	} {
		b := *c.b
		b.headers = http.Header{}
		for k, v := range c.headers {
			b.headers.Set(k, v)
		}
		status, body, header := b.do(c.method, c.path, nil)
		if status != c.want {
			t.Errorf("%s: %d, want %d: %s", name, status, c.want, body)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", name, policy)
		}
		if status != 200 && strings.Contains(body, "one") && strings.Contains(body, "s-s1") {
			t.Errorf("%s: the refusal shows sessions", name)
		}
	}
	if !strings.Contains(strings.Join(p.devicesNames(), " "), "tester") {
		t.Error("a refused form did something")
	}
}

func (p *place) devicesNames() (names []string) {
	for _, d := range p.devices.List() {
		names = append(names, d.Name)
	}
	return names
}

// TestInside: a process that runs in a session may neither pair nor look, whatever cookie it has, and
// that is recorded.
func TestInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	stolen := p.paired(api.WebType, true)
	token := stolen.token("/")
	code, _ := p.devices.Code(api.WebType)
	p.locked(func() { p.inside = true })
	for _, path := range []string{"/", "/approvals", "/live?view=overview", "/pair"} {
		if status, body := stolen.get(path); status != http.StatusForbidden || !strings.Contains(body, "runs inside a session") {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	for path, form := range map[string]url.Values{"/pair": {"code": {code}}, "/unpair": {"token": {token}}, "/approvals/r1": {"token": {token}, "behavior": {"allow"}}} {
		if status, body, _ := stolen.post(path, form); status != http.StatusForbidden {
			t.Errorf("POST %s: %d %s", path, status, body)
		}
	}
	if n := len(p.devices.List()); n != 1 {
		t.Errorf("%d devices", n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) != 7 || !strings.Contains(p.refused[0], "GET / (page): the page is for the person alone (the test says so)") {
		t.Errorf("refused %q", p.refused)
	}
}

// TestPairing: without script a form is enough; a script gets a secret that its forms need; a code holds
// once; five wrong ones lock, which is noted.
func TestPairing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	plain, script := p.paired(api.WebSee, false), p.paired(api.WebSee, true)
	stolen := &browser{p: p, name: script.name, key: script.key, withScript: true} // the cookie alone
	if status, _ := stolen.get("/"); status != 200 {
		t.Errorf("looking by the cookie: %d", status)
	}
	if status, body := stolen.send("/", "/unpair"); status != http.StatusForbidden {
		t.Errorf("a form by the cookie alone: %d %s", status, body)
	}
	if status, body := script.send("/", "/unpair"); status != 200 {
		t.Errorf("a form with the secret: %d %s", status, body)
	}
	if status, body := plain.send("/", "/unpair"); status != http.StatusSeeOther {
		t.Errorf("a form without script: %d %s", status, body)
	}
	for _, b := range []*browser{plain, script} {
		if status, _ := b.get("/"); status != http.StatusUnauthorized {
			t.Errorf("after it has left: %d", status)
		}
	}
	code, _ := p.devices.Code(api.WebSee)
	anyone := &browser{p: p}
	for i := range 5 {
		if status, body, _ := anyone.post("/pair", url.Values{"code": {"AAAA-AAAA-AAAA"}}); status != map[bool]int{false: 403, true: 429}[i == 4] {
			t.Errorf("wrong code %d: %d %s", i+1, status, body)
		}
	}
	if status, _, _ := anyone.post("/pair", url.Values{"code": {code}}); status != 429 {
		t.Errorf("the right one after that: %d", status)
	}
	if !strings.Contains(strings.Join(p.notes, "\n"), "no code for pairing is accepted") || strings.Contains(strings.Join(p.notes, "\n"), code) {
		t.Errorf("notes %q", p.notes)
	}
}

// TestRates: who is not paired cannot call for ever, and keeps nobody out who is.
func TestRates(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	known, nobody := p.paired(api.WebSee, false), &browser{p: p}
	status := 0
	for range 80 {
		if status, _ = nobody.get("/assets/none.css"); status == http.StatusTooManyRequests {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the last call: %d", status)
	}
	if status, _ := known.get("/"); status != 200 {
		t.Errorf("the paired browser: %d", status)
	}
}

// FuzzRouter: whoever is not paired gets nothing but what is public, whatever is asked for.
func FuzzRouter(f *testing.F) {
	f.Add("GET", "/approvals/r1", "127.0.0.1", "", "")
	f.Add("POST", "/approvals/%2e%2e/pair", "localhost", "http://localhost", "ccdir-00=x")
	f.Add("GET", "//evil", "[::1]", "null", "")
	p := newPlace(f)
	p.session(api.Session{ID: "s1", Name: "hidden-session"})
	p.ask("r1", "Bash", `{"command": "hidden-command"}`)
	f.Fuzz(func(t *testing.T, method, path, host, origin, cookie string) {
		u, err := url.Parse(path)
		if err != nil || method == "" {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL, r.Host = method, u, host
		r.Header.Set("Origin", origin)
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		p.handler.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
		if body := w.Body.String(); strings.Contains(body, "hidden-") && !strings.Contains(path, "hidden-") && !strings.Contains(method, "hidden-") {
			t.Fatalf("%s %s shows %s", method, path, body)
		}
		if len(p.answers) > 0 {
			t.Fatalf("%s %s answers", method, path)
		}
	})
}
