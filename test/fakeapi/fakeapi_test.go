package fakeapi

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// body is a request as Claude Code sends it: a system message at the end, a
// reminder beside the prompt.
const body = `{"model":"m","stream":true,"system":[{"type":"text","text":"be good"}],"tools":[{"name":"Bash"},{"name":"Read"}],
"safeguards":[{"type":"dangerous_tool_use"}],"messages":[
{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"text","text":"ok"}]},
{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"do it"}]},
{"role":"system","content":"s"}]}`

const toolResult = `{"model":"m","tools":[{"name":"Bash"}],"messages":[
{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"out"}]}]}]}`

type event struct {
	Type  string
	Delta struct {
		Text        string
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
		Safeguards  []any  `json:"safeguard_results"`
	}
	Block struct{ Type, ID, Name string } `json:"content_block"`
}

// post sends a request and passes on the events as they come.
func post(t *testing.T, s *Server, body string) (*http.Response, <-chan event) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Claude-Code-Session-Id", "conv")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan event)
	go func() {
		defer close(events)
		defer func() { _ = resp.Body.Close() }()
		for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
			if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
				var e event
				if json.Unmarshal([]byte(data), &e) == nil {
					events <- e
				}
			}
		}
	}()
	return resp, events
}

func types(events <-chan event) (list []event, names string) {
	for e := range events {
		list = append(list, e)
		names += e.Type + " "
	}
	return list, names
}

func TestEcho(t *testing.T) {
	s := New(nil)
	defer s.Close()
	_, events := post(t, s, body)
	list, names := types(events)
	if names != "message_start content_block_start content_block_delta content_block_stop message_delta message_stop " {
		t.Fatalf("events %s", names)
	}
	if list[2].Delta.Text != "You said: do it" || list[4].Delta.StopReason != "end_turn" {
		t.Errorf("%+v", list)
	}
	r := s.Requests()[0]
	if r.N != 1 || r.Session != "conv" || r.Prompt != "do it" || r.System != "be good" || !r.Main() || !r.Safeguards {
		t.Errorf("request %+v", r)
	}
	_, events = post(t, s, toolResult)
	if list, _ := types(events); list[2].Delta.Text != "Done." {
		t.Errorf("after a tool %+v", list)
	}
	if r := s.Requests()[1]; r.Results["t1"] != "out" || r.Prompt != "" {
		t.Errorf("request %+v", r)
	}
}

func TestToolUse(t *testing.T) {
	s := New(Turns(Tool("Bash", map[string]any{"command": "ls"})))
	defer s.Close()
	_, events := post(t, s, body)
	list, _ := types(events)
	if b := list[1].Block; b.Type != "tool_use" || b.Name != "Bash" || b.ID == "" {
		t.Errorf("block %+v", b)
	}
	if list[2].Delta.PartialJSON != `{"command":"ls"}` || list[4].Delta.StopReason != "tool_use" || len(list[4].Delta.Safeguards) != 1 {
		t.Errorf("%+v", list)
	}
	_, events = post(t, s, body) // the script is at its end
	if list, _ := types(events); !strings.HasPrefix(list[2].Delta.Text, "You said") {
		t.Errorf("%+v", list)
	}
}

// TestConnected: the script sees a prompt once the servers are connected, and once.
func TestConnected(t *testing.T) {
	var seen []string
	script := Connected(func(_ context.Context, r Request) Reply {
		seen = append(seen, r.Prompt)
		return Text("said")
	})
	ask := func(session, prompt string, tools ...string) string {
		reply := script(t.Context(), Request{Session: session, Prompt: prompt, Tools: tools})
		return reply.Blocks[0].Tool + reply.Blocks[0].Text
	}
	for _, c := range []struct{ session, prompt, tools, want string }{
		{"a", "go", "Bash " + waitForServers, waitForServers},
		{"b", "other", "Bash mcp__x__y", "said"},
		{"a", "", "Bash mcp__x__y", "said"},
		{"a", "", "Bash mcp__x__y", "said"},
		{"c", "none", "Bash", "said"},
		{"d", "never", waitForServers, waitForServers},
		{"d", "", waitForServers, "said"}, // they did not connect: the model goes on
	} {
		if got := ask(c.session, c.prompt, strings.Fields(c.tools)...); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := strings.Join(seen, ","); got != "other,go,,none,never" {
		t.Errorf("the script saw %s", got)
	}
}

func TestErrors(t *testing.T) {
	for status, kind := range map[int]string{400: "invalid_request_error", 401: "authentication_error", 529: "overloaded_error"} {
		s := New(func(context.Context, Request) Reply { return Error(status, "because") })
		resp, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Error struct{ Type, Message string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&e); err != nil || resp.StatusCode != status || e.Error.Type != kind || e.Error.Message != "because" {
			t.Errorf("%d: %d %+v %v", status, resp.StatusCode, e, err)
		}
		_ = resp.Body.Close()
		s.Close()
	}
}

// TestGates: each part of an answer is sent when its channel is closed, and not
// before.
func TestGates(t *testing.T) {
	block, end := make(chan struct{}), make(chan struct{})
	s := New(func(context.Context, Request) Reply {
		return Reply{Blocks: []Block{{Text: "one"}, {Text: "two", Wait: block}}, End: end}
	})
	defer s.Close()
	_, events := post(t, s, body)
	expect := func(want string) {
		t.Helper()
		for _, w := range strings.Fields(want) {
			if e := <-events; e.Type != w {
				t.Fatalf("event %s instead of %s", e.Type, w)
			}
		}
	}
	held := func() {
		t.Helper()
		select {
		case e := <-events:
			t.Fatalf("event %s was not held back", e.Type)
		case <-time.After(20 * time.Millisecond):
		}
	}
	expect("message_start content_block_start content_block_delta content_block_stop")
	held()
	close(block)
	expect("content_block_start content_block_delta content_block_stop")
	held()
	close(end)
	expect("message_delta message_stop")
}

func TestAwait(t *testing.T) {
	s := New(nil)
	defer s.Close()
	got := make(chan Request, 1)
	go func() {
		r, err := s.Await(t.Context(), func(r Request) bool { return r.Prompt == "do it" })
		if err == nil {
			got <- r
		}
	}()
	_, events := post(t, s, body)
	types(events)
	if r := <-got; r.N != 1 {
		t.Errorf("request %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Await(ctx, func(Request) bool { return false }); err == nil {
		t.Error("a request that never came was found")
	}
}

func TestOtherPaths(t *testing.T) {
	s := New(nil)
	defer s.Close()
	resp, err := http.Get(s.URL() + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", resp.StatusCode)
	}
	resp, _ = post(t, s, "not JSON")
	if resp.StatusCode != http.StatusBadRequest || len(s.Requests()) != 0 {
		t.Errorf("status %d", resp.StatusCode)
	}
}
