package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/web/devices"
)

// place is a page with what stands for the daemon behind it.
type place struct {
	t       testing.TB
	handler http.Handler
	url     string
	devices *devices.Store
	changed chan struct{} // tells watchers
	looking atomic.Int32

	mu       sync.Mutex // guards what follows
	sessions []api.Session
	requests []api.Request
	answers  []api.Answer
	turns    []api.Turn
	prompts  []string
	rows     []api.LedgerRow
	inside   bool
	started  []api.NewSession
	nodes    []Node
	looked   int
	events   []api.Event
	tasks    []api.Task
	trees    []api.Worktree
	hits     []api.SearchHit
	comments []api.ReviewComment
	asked    []string // what the daemon was asked for
	settings any
	// strangers counts calls.
	strangers int
	refused   []string
	notes     []string
	ended     []api.Decision
	// attached is what Terminal was last called with.
	attached string
}

// newPlace serves a page on a port of the system's choice.
func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{t: t, changed: make(chan struct{}, 16)}
	store, err := devices.Open(filepath.Join(t.TempDir(), "web.json"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	p.devices = store
	p.handler = New(Deps{Devices: store, Sessions: p, Log: p, Approvals: p, Conversations: p, Reviews: p, Pending: pendingOf{p}, Files: p, Nodes: p, Queue: fakeQueue{p}, Trees: fakeTrees{p}, Usage: fakeUsage{}, Past: fakePast{p}, Looking: &p.looking, Push: p.push(),
		Config: func() any { return p.settings }, Ledger: p, Access: p,
		Refused: func(_ api.Origin, call, why string) {
			p.locked(func() { p.refused = append(p.refused, call+": "+why) })
		},
		Terminal: func(_ http.ResponseWriter, _ *http.Request, id, client string, readOnly bool) error {
			p.locked(func() { p.attached = fmt.Sprint(id, " ", readOnly, " ", client) })
			return nil
		},
		Note: func(m string) { p.locked(func() { p.notes = append(p.notes, m) }) },
		Host: func(name string) bool { return name == "127.0.0.1" || name == "localhost" }})
	server := httptest.NewUnstartedServer(p.handler)
	server.Start()
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *place) locked(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

// Admit lets strangers call fifty times.
func (p *place) Admit(_ http.Header, known bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.strangers++; !known && p.strangers > 50 {
		return api.Errorf(api.CodeLimit, "too many calls")
	}
	return nil
}

func (p *place) Caller(context.Context, bool) (api.Origin, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return api.Origin{Inside: p.inside, Why: "the test says so"}, nil
}

func (p *place) Known(context.Context) error { return nil }
func (p *place) Dismiss(http.ResponseWriter) {}

func (p *place) Get(_ context.Context, ref string) (api.Session, error) {
	for _, v := range p.Sessions() {
		if v.ID == ref || v.Name == ref {
			return v, nil
		}
	}
	return api.Session{}, api.Errorf(api.CodeNotFound, "no session %q", ref)
}

func (p *place) Sessions() []api.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sessions)
}

func (p *place) Requests() []api.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func (p *place) Answer(ref, by string, a api.Answer) (api.Decision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.requests, func(q api.Request) bool { return q.ID == ref })
	if i < 0 {
		return api.Decision{}, api.Errorf(api.CodeNotFound, "no request")
	}
	d := api.Decision{Request: p.requests[i], Outcome: api.OutcomeAnswered, Answer: &a, By: by}
	p.requests = slices.Delete(p.requests, i, i+1)
	p.answers = append(p.answers, a)
	p.rows = append(p.rows, api.LedgerRow{Request: ref, Outcome: d.Outcome, Decision: string(a.Behavior), By: by, Client: a.Client, Tool: d.Request.Tool})
	p.ended = append(p.ended, d)
	p.changed <- struct{}{}
	return d, nil
}

func (p *place) Decisions(_ context.Context, f api.LedgerFilter) (rows []api.LedgerRow, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.rows {
		if f.Request == "" || r.Request == f.Request {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (p *place) Server() api.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return api.Server{Version: "1.2.3", EventSeq: int64(len(p.events))}
}

// Watch tells of each change, the first time at once.
func (p *place) Watch() (next func(context.Context) ([]api.WatchMessage, error), stop func()) {
	first := true
	return func(ctx context.Context) ([]api.WatchMessage, error) {
		if first {
			first = false
			return []api.WatchMessage{{Snapshot: &api.Snapshot{}}}, nil
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		list := []api.WatchMessage{{}}
		for _, d := range p.ended {
			list = append(list, api.WatchMessage{RequestEnded: &d})
		}
		p.ended = nil
		return list, nil
	}, func() {}
}

// change changes what the daemon has, and tells it.
func (p *place) change(do func()) {
	p.locked(do)
	p.changed <- struct{}{}
}

// browser is a device: its cookie, and the secret of its page.
type browser struct {
	p          *place
	name, key  string
	secret     string
	headers    http.Header
	withScript bool
}

// paired is a browser that was paired with these rights.
func (p *place) paired(rights api.WebRights, script bool) *browser {
	p.t.Helper()
	b := &browser{p: p, withScript: script}
	code, _ := p.devices.Code(rights)
	status, body, header := b.post("/pair", url.Values{"code": {code}, "name": {"tester"}})
	want := http.StatusSeeOther
	if script {
		want = http.StatusOK
		var data struct{ Secret string }
		if err := json.Unmarshal([]byte(body), &data); err != nil || data.Secret == "" {
			p.t.Fatalf("%s: %v", body, err)
		}
		b.secret = data.Secret
	}
	if status != want {
		p.t.Fatalf("pairing: %d %s", status, body)
	}
	cookie, err := http.ParseSetCookie(header.Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" {
		p.t.Fatalf("%q: %v", header.Get("Set-Cookie"), err)
	}
	b.name, b.key = cookie.Name, cookie.Value
	return b
}

// do makes a call.
func (b *browser) do(method, path string, form url.Values) (status int, body string, header http.Header) {
	b.p.t.Helper()
	return b.call(method, path, "application/x-www-form-urlencoded", form.Encode())
}

// raw posts a body of some type.
func (b *browser) raw(path, kind, data string) (status int, body string) {
	b.p.t.Helper()
	status, body, _ = b.call(http.MethodPost, path, kind, data)
	return status, body
}

func (b *browser) call(method, path, kind, data string) (status int, body string, header http.Header) {
	b.p.t.Helper()
	req, err := http.NewRequest(method, b.p.url+path, strings.NewReader(data))
	if err != nil {
		b.p.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Origin", b.p.url)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		if b.withScript {
			req.Header.Set("Accept", "application/json")
			req.Header.Set(headerSecret, b.secret)
		}
	}
	if b.key != "" {
		req.AddCookie(&http.Cookie{Name: b.name, Value: b.key})
	}
	for name, values := range b.headers {
		req.Header[name] = values
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		b.p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		b.p.t.Fatal(err)
	}
	return resp.StatusCode, string(answer), resp.Header
}

func (b *browser) get(path string) (status int, body string) {
	b.p.t.Helper()
	status, body, _ = b.do(http.MethodGet, path, nil)
	return status, body
}

func (b *browser) post(path string, form url.Values) (status int, body string, header http.Header) {
	b.p.t.Helper()
	return b.do(http.MethodPost, path, form)
}

// token finds the token of a page's forms.
func (b *browser) token(path string) string {
	b.p.t.Helper()
	_, body := b.get(path)
	m := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(body)
	if m == nil {
		b.p.t.Fatalf("%s has no token:\n%s", path, body)
	}
	return m[1]
}

// send posts a form of the page at path, with its token.
func (b *browser) send(page, path string, pairs ...string) (status int, body string) {
	b.p.t.Helper()
	form := url.Values{"token": {b.token(page)}}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	status, body, _ = b.post(path, form)
	return status, body
}

// stream opens a live view; each call of next returns its next message, nil at its end.
func (b *browser) stream(ctx context.Context, path string) (next func() *liveMessage) {
	b.p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.p.url+path, nil)
	if err != nil {
		b.p.t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: b.name, Value: b.key})
	for name, values := range b.headers {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.p.t.Fatal(err)
	}
	b.p.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		b.p.t.Fatalf("%s: %s", path, resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func() *liveMessage {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var m liveMessage
				if err := json.Unmarshal([]byte(data), &m); err != nil {
					b.p.t.Error(err)
				}
				return &m
			}
		}
		return nil
	}
}

// session adds a session.
func (p *place) session(s api.Session) {
	p.locked(func() { p.sessions = append(p.sessions, s) })
}

// ask opens a request about a command.
func (p *place) ask(id, tool, input string) {
	p.locked(func() {
		p.requests = append(p.requests, api.Request{ID: id, Session: "s1", SessionName: "one", Tool: tool, Input: json.RawMessage(input), Kind: api.RequestPermission,
			AlwaysRule: "Bash(ls)", AlwaysRules: []string{"Bash(ls)", "Bash(ls *)"}, Scopes: []api.AlwaysScope{{Scope: api.ScopeSession, Rule: "Bash(ls)"}}})
	})
}

func (p *place) last() api.Answer {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.answers) == 0 {
		p.t.Fatal("nothing was answered")
	}
	return p.answers[len(p.answers)-1]
}
