package grid

import (
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
)

// TestScope: sessions that are not in the scope have no pane and no number; going to one of them
// leaves the scope, and so does the session that others of it have left alone.
func TestScope(t *testing.T) {
	all := many(4)
	for i := range all {
		all[i].CWD = []string{"/shop", "/docs"}[i%2]
	}
	r := newRig(t, 160, 40, all...)
	r.Connected(true)
	set := func(dir string) {
		r.carryOut(r.Receive(r.env, ui.Scope{GridScope: api.GridScope{Repository: dir}}, nil))
		r.settle()
	}
	set("/docs")
	if got := r.names(); got != "s2 s4" || r.Focus != all[1].ID {
		t.Errorf("in /docs: %s, focus %s", got, r.Focus)
	}
	if p := r.Picture(r.env); p.Total != 2 {
		t.Errorf("%d in all, others are not hidden", p.Total)
	}
	r.key("2")
	if r.Focus != all[3].ID {
		t.Errorf("the second has the focus: %s", r.Focus)
	}
	if a := r.Arrangement(r.env.World); a.Scope.Repository != "/docs" {
		t.Errorf("kept: %+v", a.Scope)
	}
	// A session that is asked for by name is not out of reach.
	r.carryOut(r.Give(r.env.World, all[0].ID))
	r.settle()
	if r.names() != "s1 s2 s3 s4" || r.Focus != all[0].ID || r.lines[len(r.lines)-1] != "s1 is not in docs: all sessions are shown" {
		t.Errorf("%s, focus %s, %q", r.names(), r.Focus, r.lines)
	}
	set("/nowhere")
	if r.Focus != "" || len(r.env.Tiles) != 0 {
		t.Errorf("nothing is in it: focus %s", r.Focus)
	}
	set("")
	if r.names() != "s1 s2 s3 s4" || r.Focus == "" {
		t.Errorf("left: %s, focus %q", r.names(), r.Focus)
	}
	// Another terminal's scope, and that of the last time.
	k := newRig(t, 160, 40, all...)
	k.Take(&api.Grid{Scope: api.GridScope{Repository: "/shop"}}, true)
	k.settle()
	if got := k.names(); got != "s1 s3" {
		t.Errorf("attached again: %s", got)
	}
}
