package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
)

// TestKeys: what holds for every call with a key.
func TestKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	n := api.NewSession{CWD: p.paths.Home, Argv: sh("exec sleep 1000"), Env: []string{"PATH=" + os.Getenv("PATH")}}
	create := keyed{"POST", "/v1/sessions", n}
	// At the same time: one is carried out, the others wait for it.
	var wg sync.WaitGroup
	all := make([]answered, 6)
	for i := range all {
		wg.Go(func() {
			var err error
			if all[i], err = p.tryKeyed([]string{"one", `"one"`}[i%2], create); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	replayed := 0
	for _, a := range all {
		if a.status != http.StatusCreated || a.body != all[0].body {
			t.Errorf("%+v beside %+v", a, all[0])
		}
		if a.replayed {
			replayed++
		}
	}
	if replayed != len(all)-1 {
		t.Errorf("%d of %d were replayed", replayed, len(all))
	}
	// Another key is another call; a key of another call is refused.
	if a, err := p.tryKeyed("two", create); err != nil || a.replayed || a.body == all[0].body {
		t.Errorf("another key: %v %+v", err, a)
	}
	for _, c := range []keyed{{"POST", "/v1/sessions", api.NewSession{CWD: "/", Argv: n.Argv}}, {"POST", "/v1/shutdown", api.Stop{}}, {"POST", "/v1/sessions?x=1", n}} {
		if a, err := p.tryKeyed("one", c); err != nil || a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, string(api.CodeKeyReused)) {
			t.Errorf("%s: %v %+v", c.path, err, a)
		}
	}
	for _, key := range []string{"", "two words", strings.Repeat("x", api.MaxKey+1), "é", `a"b`} {
		if a, err := p.tryKeyed(key, create); err == nil && a.status != http.StatusBadRequest {
			t.Errorf("key %q: %+v", key, a)
		}
	}
	// A refusal is kept, too: what was asked for was not possible then.
	taken := keyed{"POST", "/v1/sessions", api.NewSession{Name: "taken", CWD: p.paths.Home, Argv: n.Argv}}
	s := p.create(api.NewSession{Name: "taken", Argv: n.Argv})
	if a, err := p.tryKeyed("three", taken); err != nil || a.status != http.StatusConflict {
		t.Errorf("%v %+v", err, a)
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/rename", api.Rename{Name: "free"}, nil)
	if a, err := p.tryKeyed("three", taken); err != nil || a.status != http.StatusConflict || !a.replayed {
		t.Errorf("the repeat of a refusal: %v %+v", err, a)
	}
	// The control socket has the same keys.
	c := p.control()
	var first, second api.ControlReply
	params := json.RawMessage(toJSON(t, n))
	for i, r := range []*api.ControlReply{&first, &second} {
		*r = c.keyed(fmt.Sprint(i), "sessions.create", "one", params)
	}
	if first.Error != nil || string(first.Result) != strings.TrimSpace(all[0].body) || string(second.Result) != string(first.Result) {
		t.Errorf("over the control socket: %+v", first)
	}
}

// keyed makes a call with a key over the control socket.
func (c controlSocket) keyed(id, method, key string, params json.RawMessage) api.ControlReply {
	c.t.Helper()
	c.say(toJSON(c.t, api.ControlCall{ID: json.RawMessage(id), Method: method, Params: params, Key: key}))
	return c.hear()
}

// TestKeysForgotten: of one caller so many are kept, and for so long.
func TestKeysForgotten(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	seen := keyed{"POST", "/v1/sessions/" + s.ID + "/seen", nil}
	for i := range api.MaxKeys + 1 {
		if a, err := p.tryKeyed(fmt.Sprint("k", i), seen); err != nil || a.replayed || a.status != http.StatusNoContent {
			t.Fatalf("%d: %v %+v", i, err, a)
		}
	}
	for i, key := range []string{fmt.Sprint("k", api.MaxKeys), "k1", "k0"} { // the last call drops another one
		if a, err := p.tryKeyed(key, seen); err != nil || a.replayed != (i < 2) {
			t.Errorf("%s: %v %+v", key, err, a)
		}
	}
}
