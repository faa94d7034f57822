package web

import (
	"net/http"
	"strings"
	"testing"

	"ccdir/api"
)

// TestTerminal: a terminal is looked at by who may see, and typed into by a page that proves its device,
// and its process each time.
func TestTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle})
	p.session(api.Session{ID: "s2", Name: "gone", State: api.StateExited})
	see, types := p.paired(api.WebSee, true), p.paired(api.WebType, true)
	if _, body := types.get("/sessions/one/terminal"); !strings.Contains(body, `data-terminal="s1"`) || !strings.Contains(body, "data-type") || !strings.Contains(body, `data-key="C-c"`) {
		t.Errorf("the page:\n%s", body)
	}
	if _, body := see.get("/sessions/one/terminal"); strings.Contains(body, "data-type") || strings.Contains(body, "data-key") {
		t.Error("who may see is offered to type")
	}
	if _, body := see.get("/terminals"); !strings.Contains(body, `data-terminal="s1"`) || strings.Contains(body, "s2") {
		t.Errorf("the grid:\n%s", body)
	}
	token := types.token("/")
	for name, c := range map[string]struct {
		b                 *browser
		path, origin, has string
		inside            bool
		want              int
		attached          string
	}{
		"looks":            {see, "/sessions/one/attach", p.url, "ccdir.attach.v1", false, 200, "s1 true"},
		"without origin":   {see, "/sessions/one/attach", "", "ccdir.attach.v1", false, 403, ""},
		"may not type":     {see, "/sessions/one/attach?type=1", p.url, "ccdir.attach.v1, token." + see.token("/") + ", secret." + see.secret, false, 403, ""},
		"types":            {types, "/sessions/one/attach?type=1", p.url, "ccdir.attach.v1, token." + token + ", secret." + types.secret, false, 200, "s1 false"},
		"no secret":        {types, "/sessions/one/attach?type=1", p.url, "ccdir.attach.v1, token." + token, false, 403, ""},
		"another's secret": {types, "/sessions/one/attach?type=1", p.url, "ccdir.attach.v1, token." + token + ", secret." + see.secret, false, 403, ""},
		"from inside":      {types, "/sessions/one/attach?type=1", p.url, "ccdir.attach.v1, token." + token + ", secret." + types.secret, true, 403, ""},
		"no session":       {see, "/sessions/none/attach", p.url, "ccdir.attach.v1", false, 404, ""},
	} {
		p.locked(func() { p.inside, p.attached = c.inside, "" })
		c.b.headers = http.Header{"Sec-Websocket-Protocol": {c.has}}
		if c.origin != "" {
			c.b.headers.Set("Origin", c.origin)
		}
		status, _ := c.b.get(c.path)
		p.locked(func() {
			if status != c.want || !strings.HasPrefix(p.attached, c.attached) || c.attached == "" && p.attached != "" {
				t.Errorf("%s: %d, attached %q", name, status, p.attached)
			}
		})
		c.b.headers = nil
	}
}
