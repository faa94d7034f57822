package rename

import (
	"context"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// namer is a client that takes a name, or not.
type namer struct {
	ui.Client
	err error
}

func (n namer) RenameSession(_ context.Context, id, name string) (api.Session, error) {
	return api.Session{ID: id, Name: name}, n.err
}

// TestRefusedName: the dialog comes back with the reason, unless something was typed
// since.
func TestRefusedName(t *testing.T) {
	env := uitest.Env(60, 12)
	v := api.Session{ID: "aaaa1111", Name: "api"}
	env.Sessions = []api.Session{v}
	d := New(v)
	uitest.Everywhere(t, env, d, "rename")
	refused := namer{err: api.Errorf(api.CodeConflict, "the name api2 is in use")}
	d, effects := uitest.Press(env, d, "2", "Enter")
	_, after := uitest.Answer(env, d, refused, effects)
	open, ok := after[len(after)-1].(ui.Open)
	if !ok || !strings.Contains(uitest.Picture(env, open.Component).Dump(), "the name api2 is in use") {
		t.Errorf("after a refusal: %v", after)
	}
	later := env
	later.Typed++
	if _, after := uitest.Answer(later, d, refused, effects); len(after) == 0 || after[len(after)-1] != (ui.Warn{Text: "renaming to api2 failed: the name api2 is in use"}) {
		t.Errorf("after something was typed: %v", after)
	}
}

func TestNothingToRename(t *testing.T) {
	env := uitest.Env(60, 12)
	d := New(api.Session{ID: "aaaa1111", Name: "api"})
	if _, effects := uitest.Press(env, d, "Enter"); len(effects) != 1 {
		t.Errorf("the old name: %v", effects)
	}
	if _, effects := uitest.Press(env, d, "x", "Enter"); len(effects) != 2 || effects[1] != (ui.Warn{Text: "api was removed meanwhile"}) {
		t.Errorf("a session that has gone: %v", effects)
	}
}
