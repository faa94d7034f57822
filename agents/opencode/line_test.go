package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// fakeServer is opencode's server as far as lines use it.
type fakeServer struct {
	t      *testing.T
	events chan string
	open   string // what GET /permission answers
	idle   bool   // no conversation works
	mu     sync.Mutex
	calls  []string
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, password, ok := r.BasicAuth(); !ok || name != user || password != "secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost {
		f.mu.Lock()
		f.calls = append(f.calls, r.URL.Path+" "+string(body))
		f.mu.Unlock()
	}
	switch r.URL.Path {
	case "/event":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"type\":\"server.connected\"}\n\n")
		w.(http.Flusher).Flush()
		for {
			select {
			case e := <-f.events:
				fmt.Fprintf(w, "data: %s\n\n", e)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	case "/session/status":
		if f.idle {
			fmt.Fprint(w, `{}`)
			return
		}
		fmt.Fprint(w, `{"ses_a":{"type":"busy"}}`)
	case "/permission":
		fmt.Fprint(w, f.open)
	case "/agent":
		fmt.Fprint(w, `[{"name":"build","permission":[{"permission":"*","pattern":"*","action":"allow"},{"permission":"bas?","pattern":"*","action":"ask"}]}]`)
	case "/question":
		fmt.Fprint(w, `[]`)
	case "/session":
		fmt.Fprint(w, `{"id":"ses_new"}`)
	case "/session/ses_old/fork":
		fmt.Fprint(w, `{"id":"ses_forked"}`)
	case "/permission/per_gone/reply":
		w.WriteHeader(http.StatusNotFound)
	case "/session/ses_bad/prompt_async":
		w.WriteHeader(http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (f *fakeServer) called(path string) string {
	f.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		for _, c := range f.calls {
			if strings.HasPrefix(c, path+" ") {
				f.mu.Unlock()
				return strings.TrimPrefix(c, path+" ")
			}
		}
		f.mu.Unlock()
	}
	f.t.Fatalf("%s was not called", path)
	return ""
}

func connect(t *testing.T, f *fakeServer) agents.Line {
	t.Helper()
	f.t, f.events = t, make(chan string)
	if f.open == "" {
		f.open = "[]"
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	l, err := Adapter{}.Connect(t.Context(), agents.Control{Network: "tcp", Address: strings.TrimPrefix(server.URL, "http://"), Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func next(t *testing.T, l agents.Line) agents.Report {
	t.Helper()
	r, err := l.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLine: what stands at the connection is reported, then what happens; answers and prompts
// go to the server.
func TestLine(t *testing.T) {
	f := &fakeServer{open: `[{"id":"per_1","sessionID":"ses_a","permission":"bash","metadata":{"command":"ls"},"tool":{"callID":"c1"}}]`}
	l := connect(t, f)
	if r := next(t, l); r.Hook.Evidence.Fields["state"] != "working" {
		t.Errorf("%+v", r)
	}
	if r := next(t, l); r.Opens != "per_1" || r.Hook.Tool != "Bash" {
		t.Errorf("%+v", r)
	}
	if r := next(t, l); r.Hook.Evidence.Fields["state"] != "blocked" {
		t.Errorf("%+v", r)
	}
	deny := api.Decision{Outcome: api.OutcomeAnswered, Answer: &api.Answer{Behavior: api.AnswerDeny, Message: "not so"}}
	for _, key := range []string{"per_1", "per_gone"} {
		if err := l.Answer(t.Context(), key, deny); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if got := f.called("/permission/per_1/reply"); got != `{"message":"not so","reply":"reject"}` {
		t.Error(got)
	}
	question := api.Request{Tool: api.ToolAsk, Input: json.RawMessage(`{"questions":[{"question":"Which?"}]}`)}
	if err := l.Answer(t.Context(), "que_1", api.Decision{Request: question, Outcome: api.OutcomeAnswered, Answer: &api.Answer{Behavior: api.AnswerAllow, Text: "Blue"}}); err != nil {
		t.Error(err)
	}
	if got := f.called("/question/que_1/reply"); got != `{"answers":[["Blue"]]}` {
		t.Error(got)
	}
	f.events <- `{"id":"e","type":"permission.replied","properties":{"sessionID":"ses_a","requestID":"per_1","reply":"once"}}`
	if r := next(t, l); r.Closes != "per_1" {
		t.Errorf("%+v", r)
	}
	next(t, l) // works again
	if handled, err := l.Prompt(t.Context(), "id", "do it"); !handled || err != nil {
		t.Error(handled, err)
	}
	if got := f.called("/session/ses_a/prompt_async"); got != `{"parts":[{"text":"do it","type":"text"}]}` {
		t.Error(got)
	}
	if handled, _ := l.Prompt(t.Context(), "id", "/new"); handled {
		t.Error("a command of the terminal was given as a prompt")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Next(ctx); err == nil {
		t.Error("no error after the end")
	}
}

// TestFirstPrompt: it makes a conversation, which the terminal shows.
func TestFirstPrompt(t *testing.T) {
	f := &fakeServer{}
	l := connect(t, f)
	l.(*line).tracker.session = ""
	if handled, err := l.Prompt(t.Context(), "id", "do it"); !handled || err != nil {
		t.Error(handled, err)
	}
	f.called("/session/ses_new/prompt_async")
	if got := f.called("/tui/select-session"); got != `{"sessionID":"ses_new"}` {
		t.Error(got)
	}
	l.(*line).tracker.session = "ses_bad"
	if handled, err := l.Prompt(t.Context(), "id", "do it"); handled || err == nil {
		t.Error(handled, err)
	}
}

// TestConversationGoesOn: a line to an agent that is in a conversation gives prompts to that one.
func TestConversationGoesOn(t *testing.T) {
	f := &fakeServer{t: t, events: make(chan string), open: "[]", idle: true}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	l, err := Adapter{}.Connect(t.Context(), agents.Control{Network: "tcp", Address: strings.TrimPrefix(server.URL, "http://"), Secret: "secret", Conversation: "ses_old"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if handled, err := l.Prompt(t.Context(), "id", "do it"); !handled || err != nil {
		t.Error(handled, err)
	}
	f.called("/session/ses_old/prompt_async")
}

// TestConnectElsewhere: the password goes to this machine alone.
// TestFork: a fork goes on in a conversation of its own, which the first prompt is for; a later line does
// not fork once more.
func TestFork(t *testing.T) {
	f := &fakeServer{t: t, events: make(chan string), open: "[]", idle: true}
	server := httptest.NewServer(f)
	defer server.Close()
	for _, c := range []struct{ conversation, prompted string }{{"", "ses_forked"}, {"ses_mine", "ses_mine"}} {
		l, err := Adapter{}.Connect(t.Context(), agents.Control{Network: "tcp", Address: strings.TrimPrefix(server.URL, "http://"), Secret: "secret", Fork: "ses_old", Conversation: c.conversation})
		if err != nil {
			t.Fatal(err)
		}
		if handled, err := l.Prompt(t.Context(), "", "hello"); !handled || err != nil {
			t.Error(handled, err)
		}
		f.called("/session/" + c.prompted + "/prompt_async")
		_ = l.Close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	forks := 0
	for _, call := range f.calls {
		if strings.HasPrefix(call, "/session/ses_old/fork") {
			forks++
		}
	}
	if forks != 1 {
		t.Errorf("%d forks: %q", forks, f.calls)
	}
}

func TestConnectElsewhere(t *testing.T) {
	for _, address := range []string{"192.0.2.1:80", "localhost:80", "x", ""} {
		if _, err := (Adapter{}).Connect(t.Context(), agents.Control{Network: "tcp", Address: address, Secret: "s"}); err == nil || !strings.Contains(err.Error(), "no address") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestLineSaysWhatPasses: a line says that a server does not have the plugin, and which reads are the
// policy's alone.
func TestLineSaysWhatPasses(t *testing.T) {
	l := connect(t, &fakeServer{open: `[{"id":"per_1","sessionID":"ses_a","permission":"read","patterns":["a"]}]`})
	if why := l.(agents.GuardedLine).Unguarded(); !strings.Contains(why, "without ccdir's plugin") {
		t.Errorf("%q", why)
	}
	if why := unguarded([]agent{{Permission: []rule{{"*", "*", allow}}}, {Permission: []rule{{gateMark, "*", allow}}}}); why != "" {
		t.Errorf("%q", why)
	}
	for r := next(t, l); ; r = next(t, l) {
		if r.Opens != "" {
			if r.Unasked != "per_1" {
				t.Errorf("%+v", r)
			}
			return
		}
	}
}
