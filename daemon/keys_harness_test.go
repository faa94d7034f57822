package daemon

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/daemon/httpapi"
)

// keyed is a call with a key.
type keyed struct {
	method, path string
	in           any
}

// answered is its answer.
type answered struct {
	status   int
	replayed bool
	body     string
}

// tryKeyed makes a call with a key.
func (p *place) tryKeyed(key string, c keyed) (a answered, err error) {
	data, err := json.Marshal(c.in)
	if err != nil {
		return a, err
	}
	req, err := http.NewRequest(c.method, "http://ccdir"+c.path, bytes.NewReader(data))
	if err != nil {
		return a, err
	}
	req.Header.Set(api.HeaderKey, key)
	resp, err := p.http.Do(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return a, err
	}
	conform(p.t, c.method, c.path, resp.StatusCode, body)
	return answered{resp.StatusCode, resp.Header.Get(api.HeaderReplayed) != "", string(body)}, nil
}

// once makes a call with a key whose daemon dies at a point, repeats it at the next
// daemon, and once more, which must get the same answer.
func (p *place) once(point, key string, c keyed) answered {
	p.t.Helper()
	p.spawnDying(point)
	if a, err := p.tryKeyed(key, c); err == nil {
		p.t.Fatalf("%s: the daemon survived and answered %d %s", point, a.status, a.body)
	}
	p.died()
	p.spawn()
	first, err := p.tryKeyed(key, c)
	if err != nil || first.status >= 300 {
		p.t.Fatalf("%s: again: %v %d %s", point, err, first.status, first.body)
	}
	if want := point == httpapi.PauseCallKept; first.replayed != want {
		p.t.Errorf("%s: replayed is %t", point, first.replayed)
	}
	second, err := p.tryKeyed(key, c)
	if err != nil || !second.replayed || second.status != first.status || second.body != first.body {
		p.t.Errorf("%s: the third answer is %v %+v, the second %+v", point, err, second, first)
	}
	c.in = map[string]any{"another": "body"}
	if a, err := p.tryKeyed(key, c); err != nil || a.status != http.StatusUnprocessableEntity {
		p.t.Errorf("%s: another body: %v %+v", point, err, a)
	}
	return first
}

// around are the points that every call with a key has.
func around(more ...string) []string {
	return append(more, httpapi.PauseCallBegun, httpapi.PauseCallDone, httpapi.PauseCallKept)
}

// lines counts the lines of a file that a session's processes write to.
func (p *place) lines(name string) int {
	data, err := os.ReadFile(filepath.Join(p.paths.Home, name))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

// writer is a command that leaves a line in a file each time that it is started.
func (p *place) writer(name, then string) []string {
	return sh("echo started >> " + filepath.Join(p.paths.Home, name) + "; " + then)
}

// decode reads an answer.
func decode[T any](t *testing.T, a answered) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return v
}

// each runs a case at each of its points, with a daemon left running in between.
func each(t *testing.T, points []string, run func(p *place, n int, point string)) {
	p := newPlace(t)
	p.config("send_timeout = \"5s\"\nkill_grace = \"300ms\"\nmax_sessions = 100\n")
	for n, point := range points {
		run(p, n, point)
		if p.cmd != nil {
			p.kill9()
		}
	}
	p.spawn()
}
