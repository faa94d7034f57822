package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// roleFake is a daemon that knows roles.
type roleFake struct{ *fakeClient }

func (c roleFake) SessionPolicy(_ context.Context, ref string) (api.SessionPolicy, error) {
	return api.SessionPolicy{Role: "dev", Roles: []string{"dev", "lead", "reviewer"}, Rules: []api.SessionRule{{Rule: "Bash(make *)"}}}, c.note("policy %s", ref)
}

func (c roleFake) SetRole(_ context.Context, ref, role string) (api.Session, error) {
	v := named(ref, "api", api.StateWorking, 0)
	v.Role = role
	return v, c.note("role %s %s", ref, role)
}

func (c roleFake) SetOverride(_ context.Context, ref string, o api.SetOverride) (api.Session, error) {
	v := named(ref, "api", api.StateWorking, 0)
	if o.Mode != "" {
		v.Override = &api.Override{Mode: o.Mode, Until: epoch.Add(3*time.Minute + time.Duration(o.Seconds)*time.Second)}
	}
	return v, c.note("override %s %s %d", ref, o.Mode, o.Seconds)
}

func (c roleFake) RevokeRule(_ context.Context, ref, rule string) error {
	return c.note("revoke %s %s", ref, rule)
}

func TestPolicyMenu(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"Down", "Enter", "Enter"}, "override aaaa1111 accept-edits 1800"},
		{[]string{"a", "s", "k", "Space", "e", "v", "Enter", "Down", "Enter"}, "override aaaa1111 ask-everything 3600"},
		{[]string{"r", "e", "v", "i", "e", "w", "Enter"}, "role aaaa1111 reviewer"},
		{[]string{"t", "a", "k", "e", "Enter"}, "revoke aaaa1111 Bash(make *)"},
		{[]string{"d", "e", "v", "Enter"}, ""}, // it has that role
		{[]string{"Enter", "Escape"}, ""},
	} {
		m, c := clientModel(t, fourSessions...)
		m.opts.Client = roleFake{c}
		m.setFocus("aaaa1111")
		do(m, append([]string{"C-b", "P"}, tt.keys...)...)
		got := ""
		for _, call := range c.noted() {
			if strings.HasPrefix(call, "override") || strings.HasPrefix(call, "role") || strings.HasPrefix(call, "revoke") {
				got += call
			}
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.keys, got, tt.want)
		}
	}
}

// TestOverrideIsShown: in the title and the list, until its time is over.
func TestOverrideIsShown(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	m.opts.Client = roleFake{c}
	m.setFocus("aaaa1111")
	until := epoch.Add(33 * time.Minute).Local().Format("15:04")
	do(m, "C-b", "P", "Enter", "Enter")
	shows(t, m, "allow reads until "+until)
	v := *m.Session("aaaa1111") // as the watch stream tells it
	v.Override = &api.Override{Mode: api.OverrideReads, Until: epoch.Add(33 * time.Minute)}
	m.take(news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}})
	do(m, "C-b", "P")
	shows(t, m, "end the override (allow reads until "+until+")", "what api may", "role reviewer", "take back Bash(make *)")
	do(m, "Escape", "C-b", "s", "/", "a", "p", "i", "Tab", "P")
	shows(t, m, "what api may")
	do(m, "Escape", "C-b", "s")
	shows(t, m, "⚑ allow reads until "+until)
	do(m, "Escape")
	m.now = func() time.Time { return epoch.Add(time.Hour) }
	if strings.Contains(m.picture().Dump(), "allow reads until") {
		t.Error("it is shown after its time")
	}
}

// TestSnoozeWithoutRequest: a wait that no request is held for is put off too, and
// does not count then. The next press is about another one that waits.
func TestSnoozeWithoutRequest(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	shows(t, m, "web, docs need you")
	off := func(id string) {
		v := *m.Session(id)
		v.SnoozedUntil = m.now().Add(time.Hour)
		m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{id: v}}}})
	}
	m.setFocus("cccc3333")
	do(m, "C-b", "Z", "2")
	off("cccc3333")
	m.notice = notice{}
	shows(t, m, "web needs you", "1 snoozed")
	if all := m.Waiting(m.now()); len(all) != 1 || all[0].ID != "bbbb2222" {
		t.Errorf("%+v", all)
	}
	m.setFocus("aaaa1111")
	do(m, "C-b", "Z", "1")
	off("bbbb2222")
	do(m, "C-b", "Z")
	shows(t, m, "focus it and press C-b Z to have it ask again")
	if calls := calledFor(c, "snooze"); len(calls) != 2 {
		t.Errorf("%v", calls)
	}
}
