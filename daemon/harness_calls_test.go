package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/wire"
)

type httpTransport = http.Transport

// try makes a call and returns its error.
func (p *place) try(method, path string, in, out any) error {
	var body io.Reader
	switch in := in.(type) {
	case nil:
	case []byte:
		body = bytes.NewReader(in)
	default:
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, "http://ccdir"+path, body)
	if err != nil {
		return err
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	conform(p.t, method, path, resp.StatusCode, data)
	if resp.StatusCode >= 300 {
		e := &api.Error{}
		if err := json.Unmarshal(data, e); err != nil {
			return fmt.Errorf("status %d: %s", resp.StatusCode, data)
		}
		if e.Code.Status() != resp.StatusCode {
			return fmt.Errorf("status %d with code %s", resp.StatusCode, e.Code)
		}
		return e
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

// call is try for calls that must work.
func (p *place) call(method, path string, in, out any) {
	p.t.Helper()
	if err := p.try(method, path, in, out); err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// wantCode makes a call that must fail with the code.
func (p *place) wantCode(code api.Code, method, path string, in any) {
	p.t.Helper()
	err := p.try(method, path, in, nil)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		p.t.Errorf("%s %s: got %v, want code %s", method, path, err, code)
		return
	}
	if strings.ContainsRune(e.Message, '\n') || e.Message == "" {
		p.t.Errorf("%s %s: the error is no line: %q", method, path, e.Message)
	}
}

// create starts a session that runs a command of the shell.
func (p *place) create(n api.NewSession) api.Session {
	p.t.Helper()
	if n.CWD == "" {
		n.CWD = p.paths.Home
	}
	if n.Env == nil {
		n.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.paths.Home}
	}
	var s api.Session
	p.call("POST", "/v1/sessions", n, &s)
	return s
}

// get returns a session.
func (p *place) get(ref string) api.Session {
	p.t.Helper()
	var s api.Session
	p.call("GET", "/v1/sessions/"+ref, nil, &s)
	return s
}

// wait waits for a state.
func (p *place) wait(ref string, state api.State) api.Session {
	p.t.Helper()
	var s api.Session
	p.call("GET", "/v1/sessions/"+ref+"/wait?timeout="+patience.String()+"&state="+string(state), nil, &s)
	return s
}

// events returns the log from the beginning.
func (p *place) events() []api.Event {
	p.t.Helper()
	var list []api.Event
	p.call("GET", "/v1/events?since=0&limit=10000", nil, &list)
	for i, e := range list {
		if i > 0 && e.Seq != list[i-1].Seq+1 {
			p.t.Errorf("events %d and %d follow one another", list[i-1].Seq, e.Seq)
		}
	}
	return list
}

// screen is what a session shows, or showed at its end.
func (p *place) screen(ref string) string {
	p.t.Helper()
	var out wire.OutputResult
	p.call("GET", "/v1/sessions/"+ref+"/buffer?format=text&scrollback=1", nil, &out)
	return out.Text
}

// eventTypes are the types of a session's events ("": all), in order.
func (p *place) eventTypes(session string) string {
	p.t.Helper()
	var types []string
	for _, e := range p.events() {
		if session == "" || e.Session == session {
			types = append(types, e.Type)
		}
	}
	return strings.Join(types, " ")
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
