package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// ask notes what the daemon was asked for.
func (p *place) note(what string) { p.locked(func() { p.asked = append(p.asked, what) }) }

func (p *place) Events(_ context.Context, f api.EventFilter) (list []api.Event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if f.Matches(e) {
			list = append(list, e)
		}
	}
	if n := len(list) - f.Limit; f.Limit > 0 && n > 0 {
		if f.Since > 0 {
			return list[:f.Limit], nil
		}
		list = list[n:]
	}
	return list, nil
}

func (p *place) SumDecisions(_ context.Context, session string, since time.Time) (api.LedgerSum, error) {
	return api.LedgerSum{Since: since, Complete: true, Counts: []api.LedgerCount{{Decision: api.EffectAllow, By: api.ByPolicy, Rows: 41}}, Sessions: []api.LedgerCount{{ID: "s1", Name: "one" + session, Rows: 41}}, Others: 3}, nil
}

type fakeQueue struct{ *place }

func (q fakeQueue) Tasks(context.Context) ([]api.Task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.tasks), nil
}

func (q fakeQueue) Task(_ context.Context, ref string) (api.Task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tasks {
		if t.ID == ref {
			return t, nil
		}
	}
	return api.Task{}, api.Errorf(api.CodeNotFound, "no task %q", ref)
}

func (q fakeQueue) Add(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	n := list[0]
	q.note("add " + n.Prompt + " after " + strconv.Itoa(len(n.After)) + " " + strconv.Itoa(n.Priority))
	if n.Node != "" {
		return []api.Task{{ID: n.Node + "/t9", NewTask: n}}, nil
	}
	return []api.Task{{ID: "t9", NewTask: n}}, nil
}

func (q fakeQueue) Start(ctx context.Context, ref string) (api.Task, error) {
	q.note("start " + ref)
	return q.Task(ctx, ref)
}

func (q fakeQueue) Cancel(ctx context.Context, ref string) (api.Task, error) {
	q.note("cancel " + ref)
	return q.Task(ctx, ref)
}

func (q fakeQueue) Queue(context.Context) (api.Queue, error) {
	return api.Queue{Mode: api.QueueAuto, Limit: 1, Counts: map[api.TaskState]int{api.TaskRunning: 1}}, nil
}

func (q fakeQueue) ChangeQueue(_ context.Context, c api.QueueChange) (api.Queue, error) {
	q.note("paused " + strconv.FormatBool(*c.Paused))
	return api.Queue{}, nil
}

type fakeTrees struct{ *place }

func (f fakeTrees) List(context.Context, string, bool) ([]api.Worktree, error) { return f.trees, nil }

type fakeUsage struct{}

func (fakeUsage) Windows() []api.UsageWindow {
	used, there := 42.0, 77.0
	return []api.UsageWindow{{Agent: "claude", Account: "default", Name: "5h", UsedPercent: &used}, {Node: "gpu", Agent: "claude", Account: "default", Name: "5h", UsedPercent: &there}}
}

func (fakeUsage) Rows(_ context.Context, by api.UsageBy, _ time.Time) ([]api.UsageRow, error) {
	in, cost := int64(12345), 1.25
	return []api.UsageRow{{Key: "by " + string(by), InputTokens: &in, CostUSD: &cost, Estimate: true}}, nil
}

func (fakeUsage) Prices() string { return "2026-11-01" }

type fakePast struct{ *place }

func (f fakePast) Search(_ context.Context, text string, _ int) ([]api.SearchHit, error) {
	f.note("search " + text)
	return f.hits, nil
}

// filled is a place that has something on every page.
func filled(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle, Agent: "claude"})
	p.ask("r1", "Bash", `{"command":"ls"}`)
	p.turns = []api.Turn{{Turn: 1, Prompt: "first"}, {Turn: 40, Conversation: "c", Prompt: "the fortieth"}}
	p.events = []api.Event{{Seq: 1, Type: "web", Message: "<b>on"}, {Seq: 2, Type: "prompt", Session: "s1", Message: "go", Data: []byte(`{"a":1}`)}}
	p.tasks = []api.Task{{ID: "t1", NewTask: api.NewTask{Prompt: "tidy <up>", Steps: []string{"and <more>"}}, State: api.TaskQueued}, {ID: "t2", NewTask: api.NewTask{Prompt: "later", After: []api.TaskAfter{{Task: "t1"}}}, State: api.TaskQueued}}
	p.rows = []api.LedgerRow{{Seq: 1, Session: "s1", Name: "one", Tool: "Bash", Decision: api.EffectDeny, By: api.ByPerson, Client: "page on x", Input: []byte(`{"command":"rm <x>"}`)}}
	p.trees = []api.Worktree{{Path: "/src/a", Branch: "topic", Dirty: 2, Sessions: []string{"s1"}}}
	p.hits = []api.SearchHit{{Kind: api.HitTurn, Session: "s1", Name: "one", Conversation: "c", Turn: 40, Part: api.SaidAnswer, Line: "found <it>"}}
	p.nodes = []Node{{Name: "gpu", State: "online", Target: "me@gpu", Version: "1.0"}}
	p.settings = map[string]any{"file": "/c.toml", "config": map[string]any{"web": map[string]any{"listen": "<here>"}, "n": 3}}
	return p
}

// TestRights: every address needs its rights, and is there for a device that has them.
func TestRights(t *testing.T) {
	t.Parallel()
	example := strings.NewReplacer("/approvals/{id}", "/approvals/r1", "/sessions/{id}", "/sessions/s1", "/queue/{id}", "/queue/t1", "/conversations/{id}", "/conversations/s1",
		"{name...}", "page.css", "{comment}", "c1", "{$}", "")
	for _, have := range append([]api.WebRights{""}, api.AllWebRights()...) {
		p := filled(t)
		b, form := &browser{p: p}, url.Values{}
		if have != "" {
			b = p.paired(have, false)
			form.Set("token", b.token("/"))
		}
		b.headers = http.Header{"Origin": {p.url}} // as of a browser's WebSocket
		for _, r := range routes() {               // the last one is /unpair
			path := example.Replace(r.path)
			if path == "/live" {
				continue // TestDoor and TestLive
			}
			status, body, _ := b.do(r.method, path, form)
			want := r.rights == "" || have.Has(r.rights)
			refused := status == http.StatusUnauthorized || status == http.StatusForbidden && !strings.HasPrefix(path, "/pair")
			if want == refused || status >= 500 || want && status == http.StatusNotFound {
				t.Errorf("%s %s by a device that may %q: %d\n%s", r.method, path, have, status, body)
			}
		}
	}
}

// TestLists: each page shows what there is as text, and says so when there is nothing.
func TestLists(t *testing.T) {
	t.Parallel()
	full, empty := filled(t), newPlace(t)
	many, none := full.paired(api.WebSee, false), empty.paired(api.WebSee, false)
	for path, want := range map[string]struct{ has, lacks string }{
		"/queue":                    {"tidy &lt;up&gt;|limit of 1 reached|waits for t1|mode <strong>auto", "The queue is empty"},
		"/queue/t1":                 {"tidy &lt;up&gt;|and &lt;more&gt;|limit of 1 reached", ""},
		"/events":                   {"&lt;b&gt;on|>one</a>|<summary>details", "No event fits"},
		"/decisions":                {"rm \\u003cx\\u003e|page on x|>one</a>", "Nothing was decided yet"},
		"/decisions?since=12h":      {"<strong>41</strong> allow|and 3 more", ""},
		"/trees":                    {"topic|2 changed|>one</a>", "No repository is known"},
		"/nodes":                    {"me@gpu|ccdir 1.0|This machine|42% used|77% used|href=\"/usage?node=gpu\"", "No other machine is known"},
		"/usage":                    {"by day|42% used|77% used|on gpu|~$1.25|12 k|2026-11-01", ""},
		"/usage?node=gpu&by=model":  {"Used on gpu|77% used|model of gpu|href=\"/usage?by=task&amp;node=gpu\"|prices of 2026-10-31", ""},
		"/usage?by=model":           {"by model", ""},
		"/config":                   {"web.listen|&lt;here&gt;|/c.toml", "Nothing is set"},
		"/search?q=it":              {"found &lt;it&gt;|/conversations/s1?turn=40#t-c-40", "Nothing has all these words"},
		"/search":                   {"All words must be in one place", "All words must be in one place"},
		"/conversations/s1":         {"first", "Nothing is there"},
		"/conversations/s1?turn=40": {"the fortieth|id=\"t-c-40\"|Earlier turns", ""},
	} {
		status, body := many.get(path)
		for text := range strings.SplitSeq(want.has, "|") {
			if status != http.StatusOK || !strings.Contains(body, text) {
				t.Errorf("%s: %d, lacks %q:\n%s", path, status, text, body)
			}
		}
		if want.lacks == "" {
			continue
		}
		if status, body := none.get(path); status != http.StatusOK || !strings.Contains(body, want.lacks) {
			t.Errorf("%s without anything: %d\n%s", path, status, body)
		}
	}
	for _, path := range []string{"/decisions?by=nobody", "/decisions?since=soon", "/usage?by=x", "/events?before=x", "/conversations/s1?turn=-1"} {
		if status, _ := many.get(path); status != http.StatusBadRequest {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// TestLongLists: a long list is in parts, each of which leads to the next.
func TestLongLists(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range 250 {
		p.events = append(p.events, api.Event{Seq: int64(i + 1), Type: "prompt"})
		p.trees = append(p.trees, api.Worktree{Path: "/t/" + strconv.Itoa(i), Branch: "b" + strconv.Itoa(i)})
	}
	b := p.paired(api.WebSee, false)
	if _, body := b.get("/events"); strings.Count(body, "rowline") != 100 || !strings.Contains(body, `href="/events?before=151"`) || !strings.Contains(body, "data-live") {
		t.Errorf("the newest events:\n%s", body)
	}
	if _, body := b.get("/events?before=51&type=prompt"); strings.Count(body, "rowline") != 50 || strings.Contains(body, "Older") || strings.Contains(body, "data-live") {
		t.Errorf("the oldest events:\n%s", body)
	}
	if _, body := b.get("/trees?from=200"); strings.Count(body, "<article") != 50 || !strings.Contains(body, `href="/trees?from=100"`) || !strings.Contains(body, "201–250 of 250") {
		t.Errorf("the last work trees:\n%s", body)
	}
}

// TestQueue: a device that may type adds, starts, cancels and holds.
func TestQueue(t *testing.T) {
	t.Parallel()
	p := filled(t)
	b := p.paired(api.WebType, true)
	for _, c := range []struct {
		path, answer string
		fields       []string
	}{
		{"/queue", "Added: t9", []string{"text", "do it", "after", "t1, t2", "priority", "5", "cwd", "/src"}},
		{"/queue", "Added: gpu/t9", []string{"text", "do it there", "node", "gpu"}},
		{"/queue/t1/start", "Started: t1", nil},
		{"/queue/t1/cancel", "Cancelled: t1", nil},
		{"/queue/hold", "starts nothing", []string{"paused", "1"}},
		{"/queue/hold", "goes on", []string{"paused", ""}},
	} {
		if status, body := b.send("/queue", c.path, c.fields...); status != http.StatusOK || !strings.Contains(body, c.answer) {
			t.Errorf("%s: %d %s", c.path, status, body)
		}
	}
	if status, _ := b.send("/queue", "/queue", "text", " "); status != http.StatusBadRequest {
		t.Errorf("an empty prompt: %d", status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := []string{"add do it after 2 5", "add do it there after 0 0", "start t1", "cancel t1", "paused true", "paused false"}; !slices.Equal(p.asked, want) {
		t.Errorf("%q, want %q", p.asked, want)
	}
	if !slices.ContainsFunc(p.notes, func(n string) bool {
		return strings.HasPrefix(n, "page on tester (") && strings.HasSuffix(n, "added the task t9 of node gpu")
	}) {
		t.Errorf("what was added elsewhere is not noted with the device: %q", p.notes)
	}
}

// TestQueueElsewhere: the form of a node offers what that node has, and says so where it cannot be asked; the queue is there
// all the same.
func TestQueueElsewhere(t *testing.T) {
	t.Parallel()
	b := filled(t).paired(api.WebType, false)
	for path, want := range map[string]string{"/queue": `value="/src/"`, "/queue?node=gpu": `value="/src/gpu"`, "/queue?node=away": "node away is offline"} {
		if status, body := b.get(path); status != http.StatusOK || !strings.Contains(body, want) || !strings.Contains(body, "tidy &lt;up&gt;") || !strings.Contains(body, `href="/queue?node=gpu"`) {
			t.Errorf("%s: %d, lacks %q:\n%s", path, status, want, body)
		}
	}
}

// TestLiveLists: a new event comes by itself, with its number.
func TestLiveLists(t *testing.T) {
	t.Parallel()
	p := filled(t)
	b := p.paired(api.WebSee, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := b.stream(ctx, "/live?view=events&type=prompt")
	if m := next(); m == nil || len(m.Blocks) != 2 || m.Blocks["e-2"].HTML == "" {
		t.Fatalf("%+v", m)
	}
	p.change(func() { p.events = append(p.events, api.Event{Seq: 3, Type: "prompt", Message: "more"}) })
	if m := next(); m == nil || len(m.Blocks) != 1 || !strings.Contains(m.Blocks["e-3"].HTML, "more") || !slices.Equal(m.Order, []string{"e-3", "e-2", "pages"}) {
		t.Errorf("%+v", m)
	}
}

// TestResumed: a page that comes back with the number of the last event that it knew gets all events since,
// however many, keeps them, and is told what was answered; none that comes in a rush is left out.
func TestResumed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one"})
	add := func(n int) {
		for range n {
			p.events = append(p.events, api.Event{Seq: int64(len(p.events) + 1), Type: "prompt", Session: "s1"})
		}
	}
	add(150)
	p.events[119] = api.Event{Seq: 120, Type: api.EventPermissionEnded, Session: "s1", Message: "Bash denied by person"}
	b := p.paired(api.WebSee, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, body := b.get("/events"); !strings.Contains(body, `data-seen="150"`) {
		t.Errorf("the page does not say up to where it is:\n%s", body)
	}
	events := func(m *liveMessage) int { return len(m.Order) - 1 }
	next := b.stream(ctx, "/live?view=events&seen=10")
	m := next()
	if m == nil || events(m) != 140 || m.Order[139] != "e-11" || !slices.Equal(m.Notes, []string{"one: Bash denied by person"}) {
		t.Fatalf("after number 10: %+v", m)
	}
	p.change(func() { add(1) })
	if m = next(); m == nil || events(m) != 140 || m.Order[139] != "e-12" || m.Notes != nil {
		t.Fatalf("one more: %+v", m)
	}
	p.change(func() { add(200) })
	if m = next(); m == nil || events(m) != 200 || m.Order[199] != "e-152" {
		t.Fatalf("many more: %+v", m)
	}
	b.headers = http.Header{"Last-Event-Id": {"351"}}
	if m = b.stream(ctx, "/live?view=events&seen=1")(); m == nil || events(m) != 100 || m.Notes != nil {
		t.Errorf("by the header: %+v", m)
	}
	b.headers = nil
	// A page of one session is told of its own answers, and of many that there were.
	p.locked(func() {
		for range 8 {
			p.events = append(p.events, api.Event{Seq: int64(len(p.events) + 1), Type: api.EventPermissionEnded, Session: "s1", Message: "Bash allowed by person"},
				api.Event{Seq: int64(len(p.events) + 2), Type: api.EventPermissionEnded, Session: "s2", Message: "Edit allowed by person"})
		}
	})
	if m = b.stream(ctx, "/live?view=session&ref=one&seen=351")(); m == nil || len(m.Notes) != 6 || m.Notes[0] != "3 requests ended before these" || m.Notes[5] != "one: Bash allowed by person" {
		t.Errorf("%+v", m)
	}
	if status, _ := b.get("/live?view=events&seen=x"); status != http.StatusBadRequest {
		t.Errorf("a number that is none: %d", status)
	}
}

// TestDecisionsWithoutSession: a decision that is no session's has no link, which would lead nowhere and have no name.
func TestDecisionsWithoutSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.rows = []api.LedgerRow{{Seq: 1, Tool: "Bash", Decision: api.EffectDeny, By: api.ByPolicy}}
	if _, body := p.paired(api.WebSee, false).get("/decisions"); !strings.Contains(body, `id="d-1"`) || strings.Contains(body, `href="/sessions/"`) {
		t.Errorf("%s", body)
	}
}
