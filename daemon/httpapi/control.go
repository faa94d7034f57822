package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/daemon/httpapi/websock"
	"ccdir/internal/contain"
)

const (
	// maxCalls bounds the calls of one control socket that run at once, streams
	// included.
	maxCalls = 32
	// maxReply bounds the answer of one call, in bytes.
	maxReply = 64 << 20
	// maxCallID bounds the id of a call, in bytes.
	maxCallID = 128
)

// controller is one control socket. Its calls run concurrently, each through the same
// chain of handlers as an HTTP call.
type controller struct {
	s      *server
	r      *http.Request // the upgrade
	socket *websock.Conn
	wg     contain.Group

	mu      sync.Mutex // guards running
	running map[string]context.CancelFunc
}

// control serves the control socket.
func (s *server) control(w http.ResponseWriter, r *http.Request) error {
	c := &controller{s: s, r: r, running: map[string]context.CancelFunc{}}
	var err error
	if c.socket, err = websock.Upgrade(w, r, api.SubprotocolControl, s.Alarms, s.log); err != nil {
		return err
	}
	for {
		kind, data, readErr := c.socket.Read()
		if readErr != nil {
			break
		}
		if kind != websocket.MessageText {
			err = api.Errorf(api.CodeInvalid, "calls are text messages")
			break
		}
		c.take(data)
	}
	c.socket.Drop(err)
	c.wg.Wait()
	c.socket.End(err)
	return nil
}

// take starts one call.
func (c *controller) take(data []byte) {
	var call api.ControlCall
	if err := json.Unmarshal(data, &call); err != nil {
		c.reply(api.ControlReply{ID: json.RawMessage("null"), Error: failure(badJSON(data, err))})
		return
	}
	if !validID(call.ID) {
		c.reply(api.ControlReply{ID: json.RawMessage("null"), Error: api.Errorf(api.CodeInvalid, "a call needs an id: a number or a string of at most %d bytes", maxCallID)})
		return
	}
	id := string(call.ID)
	if call.Method == "cancel" {
		c.reply(c.stop(call))
		return
	}
	req, cancel, err := c.request(c.socket.Context(), call)
	if err != nil {
		c.reply(api.ControlReply{ID: call.ID, Error: failure(err)})
		return
	}
	c.mu.Lock()
	_, twice := c.running[id]
	full := len(c.running) >= maxCalls
	if !twice && !full {
		c.running[id] = cancel
	}
	c.mu.Unlock()
	switch {
	case twice:
		cancel()
		c.reply(api.ControlReply{ID: call.ID, Error: api.Errorf(api.CodeConflict, "a call with the id %s runs already", id)})
		return
	case full:
		cancel()
		c.reply(api.ControlReply{ID: call.ID, Error: api.Errorf(api.CodeLimit, "%d calls run already: wait for one, or cancel one", maxCalls)})
		return
	}
	c.wg.Go(func() {
		out := &answerWriter{c: c, id: call.ID, header: http.Header{}}
		c.s.root.ServeHTTP(out, req)
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		cancel()
		c.reply(out.result())
	})
}

// stop cancels the call whose id is in params.
func (c *controller) stop(call api.ControlCall) api.ControlReply {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(call.Params, &p); err != nil {
		return api.ControlReply{ID: call.ID, Error: api.Errorf(api.CodeInvalid, "cancel wants params with the id of a call")}
	}
	c.mu.Lock()
	cancel, ok := c.running[string(p.ID)]
	c.mu.Unlock()
	if !ok {
		return api.ControlReply{ID: call.ID, Error: api.Errorf(api.CodeNotFound, "no call with that id runs")}
	}
	cancel()
	return api.ControlReply{ID: call.ID, Result: json.RawMessage("null")}
}

// reply sends one message; a failure ends the socket.
func (c *controller) reply(m api.ControlReply) { _ = c.socket.SendJSON(m) }

// validID reports whether a call's id is a number or a short string.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && len(id) <= maxCallID && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// failure converts an error to one of the API.
func failure(err error) *api.Error {
	return &api.Error{Code: api.CodeOf(err), Message: err.Error()}
}

// request makes the HTTP request of a method; ctx bounds it.
func (c *controller) request(ctx context.Context, call api.ControlCall) (*http.Request, context.CancelFunc, error) {
	all := table()
	i := slices.IndexFunc(all, func(r route) bool { return r.name == call.Method })
	if i < 0 || all[i].kind == socket || all[i].kind == raw {
		return nil, nil, api.Errorf(api.CodeNotFound, "no method is called %.60q: they are the operation ids of GET /v1/openapi.json", call.Method)
	}
	route := all[i]
	params := map[string]json.RawMessage{}
	if len(call.Params) > 0 && string(call.Params) != "null" {
		if err := json.Unmarshal(call.Params, &params); err != nil {
			return nil, nil, api.Errorf(api.CodeInvalid, "params must be an object")
		}
	}
	target, err := address(route, params)
	if err != nil {
		return nil, nil, err
	}
	data, err := bodyOf(route, params)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, route.method, target, bytes.NewReader(data))
	if err != nil {
		cancel()
		return nil, nil, err
	}
	req.Host, req.RemoteAddr, req.RequestURI = c.r.Host, c.r.RemoteAddr, target
	req.Header.Set("User-Agent", c.r.UserAgent())
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if call.Key != "" {
		req.Header.Set(api.HeaderKey, call.Key)
	}
	if call.Match != "" {
		req.Header.Set(api.HeaderMatch, call.Match)
	}
	return req, cancel, nil
}

// pathParams are the names of the parameters in a route's path.
func pathParams(route route) (names []string) {
	for part := range strings.SplitSeq(route.path, "/") {
		if name, found := strings.CutPrefix(part, "{"); found {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// address returns path and query, and removes their parameters from params.
func address(route route, params map[string]json.RawMessage) (string, error) {
	target := route.path
	for _, name := range pathParams(route) {
		var value string
		if err := json.Unmarshal(params[name], &value); err != nil || value == "" {
			return "", api.Errorf(api.CodeInvalid, "%s wants the parameter %s (a string)", route.name, name)
		}
		if value == "." || value == ".." { // in a path they would select another route
			return "", api.Errorf(api.CodeNotFound, "nothing is called %q", value)
		}
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value))
		delete(params, name)
	}
	q := url.Values{}
	for _, p := range route.query {
		value, ok := params[p.name]
		if !ok {
			continue
		}
		delete(params, p.name)
		text := string(value)
		if err := json.Unmarshal(value, &text); err != nil && strings.ContainsAny(text, "[{") {
			return "", api.Errorf(api.CodeInvalid, "the parameter %s must be a string, a number or a boolean", p.name)
		}
		q.Set(p.name, text)
	}
	if len(q) > 0 {
		target += "?" + q.Encode()
	}
	return target, nil
}

// bodyOf returns the rest of params as the body; nil for none.
func bodyOf(route route, params map[string]json.RawMessage) ([]byte, error) {
	if whole, ok := params["body"]; ok && len(params) == 1 && route.in != nil {
		return whole, nil
	}
	if route.in == nil && len(params) > 0 {
		names := slices.Sorted(maps.Keys(params))
		return nil, api.Errorf(api.CodeInvalid, "%s has no parameter %.60q", route.name, names[0])
	}
	if len(params) == 0 {
		return nil, nil
	}
	return json.Marshal(params)
}

// answerWriter is the http.ResponseWriter of a call on the control socket.
type answerWriter struct {
	c      *controller
	id     json.RawMessage
	header http.Header
	status int
	body   bytes.Buffer
	// streamed: events were sent.
	streamed bool
}

// Header returns the headers, which are not sent.
func (a *answerWriter) Header() http.Header { return a.header }

// WriteHeader stores the status.
func (a *answerWriter) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write stores a part of the answer.
func (a *answerWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(p) > maxReply {
		return 0, io.ErrShortBuffer
	}
	return a.body.Write(p)
}

// event sends one element of a stream.
func (a *answerWriter) event(data []byte) error {
	a.streamed = true
	return a.c.socket.SendJSON(api.ControlReply{ID: a.id, Event: data})
}

// result returns the last message of the call.
func (a *answerWriter) result() api.ControlReply {
	m := api.ControlReply{ID: a.id}
	data := bytes.TrimSpace(a.body.Bytes())
	switch {
	case a.status >= http.StatusMultipleChoices:
		m.Error = &api.Error{}
		if json.Unmarshal(data, m.Error) != nil || m.Error.Code == "" {
			m.Error = api.Errorf(api.CodeInternal, "the call failed with status %d", a.status)
		}
	case a.status == 0 && !a.streamed:
		m.Error = api.Errorf(api.CodeUnavailable, "the call was cancelled")
	case len(data) == 0:
		m.Result = json.RawMessage("null")
	case !json.Valid(data):
		m.Error = api.Errorf(api.CodeTooLarge, "the answer is larger than %d bytes: ask for less", maxReply)
	default:
		m.Result = data
	}
	return m
}
