package policymenu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// roles is a client that knows roles.
type roles struct {
	ui.Client
	err error
}

func (c roles) SessionPolicy(context.Context, string) (api.SessionPolicy, error) {
	return api.SessionPolicy{Roles: []string{"dev", "reviewer"}, Rules: []api.SessionRule{{Rule: "Bash(make *)"}}}, c.err
}

func (c roles) SetRole(_ context.Context, id, role string) (api.Session, error) {
	return api.Session{ID: id, Role: role}, c.err
}

func (c roles) SetOverride(_ context.Context, id string, o api.SetOverride) (api.Session, error) {
	return api.Session{ID: id}, c.err
}

func (c roles) RevokeRule(context.Context, string, string) error { return c.err }

// TestMenu: the changes that need no answer are there at once, roles and rules come with
// the answer.
func TestMenu(t *testing.T) {
	env := uitest.Env(90, 20)
	v := api.Session{ID: "aaaa1111", Name: "api", State: api.StateWorking}
	env.Sessions, env.Facts.Focused = []api.Session{v}, true
	d, _ := uitest.Refresh(env, New(v), roles{err: errors.New("busy")})
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "allow reads") || strings.Contains(dump, "reviewer") {
		t.Errorf("without an answer:\n%s", dump)
	}
	d, _ = uitest.Refresh(env, New(v), roles{})
	uitest.Everywhere(t, env, d, "policy")
	_, effects := uitest.Press(env, d, "r", "e", "v", "i", "e", "w", "Enter")
	if _, after := uitest.Answer(env, d, roles{}, effects); len(after) != 2 || after[1] != (ui.Say{Text: "api: role reviewer from its next use of a tool on"}) {
		t.Errorf("a role: %v, then %v", effects, after)
	}
	_, effects = uitest.Press(env, d, "Enter")
	if open, ok := effects[len(effects)-1].(ui.Open); !ok || !strings.Contains(uitest.Picture(env, open.Component).Dump(), "30 minutes") {
		t.Errorf("an override: %v", effects)
	}
}
