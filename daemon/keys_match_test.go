package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/sessions"
)

// matched makes a call for a version of its target, with a key unless that is "".
func (p *place) matched(key, version string, c keyed) (status int, code api.Code) {
	p.t.Helper()
	req, err := http.NewRequest(c.method, "http://ccdir"+c.path, bytes.NewReader([]byte(toJSON(p.t, c.in))))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set(api.HeaderMatch, `"`+version+`"`)
	if key != "" {
		req.Header.Set(api.HeaderKey, key)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	conform(p.t, c.method, c.path, resp.StatusCode, body)
	var e api.Error
	if resp.StatusCode >= 300 {
		_ = json.Unmarshal(body, &e)
	}
	return resp.StatusCode, e.Code
}

func (p *place) wantMatch(want int, key, version string, c keyed) {
	p.t.Helper()
	status, code := p.matched(key, version, c)
	if status != want || want == http.StatusPreconditionFailed && code != api.CodePrecondition {
		p.t.Errorf("%s %s for %s: %d %s, want %d", c.method, c.path, version, status, code, want)
	}
}

// TestPreconditions: a call for a version that is no longer there does nothing, with a
// key or without, and says so.
func TestPreconditions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Name: "one", Argv: p.writer("file", "exec sleep 1000")})
	first := p.get(s.ID).Version()
	restart := keyed{"POST", "/v1/sessions/one/restart", nil}
	p.wantMatch(http.StatusOK, "k1", first, restart)
	p.wantMatch(http.StatusOK, "k1", first, restart) // replayed
	second := p.get(s.ID)
	if second.Launch == "" || second.Version() == first {
		t.Fatalf("the version was %s and is %s", first, second.Version())
	}
	p.wantMatch(http.StatusPreconditionFailed, "k2", first, restart)
	p.wantMatch(http.StatusPreconditionFailed, "k2", first, restart)
	p.wantMatch(http.StatusPreconditionFailed, "", first, restart)
	p.wantMatch(http.StatusPreconditionFailed, "", first, keyed{"POST", "/v1/sessions/one/kill", api.Kill{}})
	p.wantMatch(http.StatusPreconditionFailed, "", first, keyed{"POST", "/v1/sessions/one/rename", api.Rename{Name: "two"}})
	p.wantMatch(http.StatusUnprocessableEntity, "k1", second.Version(), restart)
	until(t, "the process to begin again", func() bool { return p.lines("file") >= 2 })
	if v := p.get(s.ID); v.Launch != second.Launch || v.Name != "one" || v.State.Ended() || p.lines("file") != 2 {
		t.Errorf("%+v, begun %d times", v, p.lines("file"))
	}
	// A name that another session has by now.
	p.call("POST", "/v1/sessions/one/rename", api.Rename{Name: "old"}, nil)
	other := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000")})
	p.wantMatch(http.StatusPreconditionFailed, "", second.Version(), keyed{"POST", "/v1/sessions/one/kill", api.Kill{}})
	if p.get(other.ID).State.Ended() {
		t.Error("another session was ended")
	}
	// A session keeps its version when its state changes, and so over its end.
	p.wantMatch(http.StatusOK, "", second.Version(), keyed{"POST", "/v1/sessions/old/kill", api.Kill{}})
	if v := p.get(s.ID); v.Version() != second.Version() {
		t.Errorf("the version of the ended session is %s, was %s", v.Version(), second.Version())
	}
	for _, c := range []struct {
		version string
		call    keyed
	}{{first, keyed{"POST", "/v1/sessions", api.NewSession{CWD: "/"}}}, {"two words", restart}, {"", restart}} {
		p.wantMatch(http.StatusBadRequest, "", c.version, c.call)
	}
	c := p.control()
	c.say(fmt.Sprintf(`{"id": 1, "method": "sessions.restart", "params": {"ref": "old"}, "match": %q}`, first))
	if r := c.hear(); r.Error == nil || r.Error.Code != api.CodePrecondition {
		t.Errorf("over the control socket: %+v", r)
	}
}

// TestPreconditionOfTask: a task that has moved on is not started.
func TestPreconditionOfTask(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	var list []api.Task
	p.call("POST", "/v1/tasks", []api.NewTask{{Prompt: "say one.", Agent: "demo", CWD: p.paths.Home, Env: os.Environ()}}, &list)
	start := keyed{"POST", "/v1/tasks/" + list[0].ID + "/start", nil}
	p.wantMatch(http.StatusOK, "", list[0].Version(), start)
	p.wantMatch(http.StatusPreconditionFailed, "", list[0].Version(), start)
	p.wantMatch(http.StatusPreconditionFailed, "key", list[0].Version(), start)
	if task := p.waitTask(list[0].ID, api.TaskDone); task.Attempt != 1 {
		t.Errorf("%d attempts", task.Attempt)
	}
}

// TestPreconditionTakesTurns: of calls at the same time for one version one is carried
// out.
func TestPreconditionTakesTurns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: p.writer("file", "exec sleep 1000")})
	until(t, "the process", func() bool { return p.lines("file") == 1 })
	version := p.get(s.ID).Version()
	var wg sync.WaitGroup
	statuses := make([]int, 4)
	for i := range statuses {
		wg.Go(func() {
			statuses[i], _ = p.matched("", version, keyed{"POST", "/v1/sessions/" + s.ID + "/restart", nil})
		})
	}
	wg.Wait()
	done := 0
	for _, status := range statuses {
		switch status {
		case http.StatusOK:
			done++
		case http.StatusPreconditionFailed:
		default:
			t.Errorf("a call got %d", status)
		}
	}
	until(t, "the process to begin again", func() bool { return p.lines("file") >= 2 })
	if done != 1 || p.lines("file") != 2 {
		t.Errorf("%d were carried out, begun %d times", done, p.lines("file"))
	}
}

// TestPreconditionWithoutRecord: a retry that no record tells of (its key was not saved,
// or forgotten) is carried out once too: the precondition is refused.
func TestPreconditionWithoutRecord(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Argv: p.writer("file", "exec sleep 1000")})
	until(t, "the process", func() bool { return p.lines("file") == 1 })
	version := p.get(s.ID).Version()
	p.kill9()
	p.spawnDying(sessions.PauseLaunched)
	restart := keyed{"POST", "/v1/sessions/" + s.ID + "/restart", nil}
	if status, _ := p.matched("", version, restart); status != 0 {
		t.Fatalf("the daemon survived and answered %d", status)
	}
	p.died()
	p.spawn()
	p.wantMatch(http.StatusPreconditionFailed, "", version, restart)
	until(t, "the process to begin again", func() bool { return p.lines("file") >= 2 })
	if n := p.lines("file"); n != 2 {
		t.Errorf("begun %d times", n)
	}
}

// TestRetriedInputIsNotForTheNextProcess: input whose call was cut off is not typed for a
// process that was started since.
func TestRetriedInputIsNotForTheNextProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Argv: sh("exec cat")})
	p.kill9()
	c := keyed{"POST", "/v1/sessions/" + s.ID + "/input/raw", api.RawInput{Data: []byte("secret\n")}}
	p.spawnDying("call-begun")
	if a, err := p.tryKeyed("key", c); err == nil {
		t.Fatalf("the daemon survived: %+v", a)
	}
	p.died()
	p.spawn()
	p.call("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil)
	for range 2 {
		if a, err := p.tryKeyed("key", c); err != nil || a.status != http.StatusPreconditionFailed {
			t.Errorf("the retry: %v %+v", err, a)
		}
	}
	if text := p.screen(s.ID); strings.Contains(text, "secret") {
		t.Errorf("the next process got it: %q", text)
	}
}

// TestVersionHeader: one session and one task come with the version for If-Match.
func TestVersionHeader(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	var list []api.Task
	p.call("POST", "/v1/tasks", []api.NewTask{{Prompt: "say one.", Agent: "demo", CWD: p.paths.Home}}, &list)
	for path, want := range map[string]string{"/v1/sessions/" + s.ID: p.get(s.ID).Version(), "/v1/tasks/" + list[0].ID: list[0].Version()} {
		resp, err := p.http.Get("http://ccdir" + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get(api.HeaderVersion); got != `"`+want+`"` {
			t.Errorf("%s: %s, want %q", path, got, want)
		}
	}
}
