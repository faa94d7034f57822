package callers_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/mcpserver"
)

// TestTokens: a process inside a session has that session's token and no other, for tools and for
// hooks; the person has any. What is refused is recorded, of the session that tried.
func TestTokens(t *testing.T) {
	t.Parallel()
	p := newPlace(t, os.Getpid())
	one, shell, started := p.process("program"), p.process("program"), p.process("program")
	p.hosts[one.parent], p.hosts[shell.parent] = "one", "shell"
	p.shells = []string{"shell"} // the person's
	outside := newPlace(t, nowhere)
	person := outside.process("program")

	holder := func(p *place, ctx context.Context, session string) error {
		return p.Holder(ctx, mcpserver.Caller{Session: session, Name: p.sessions[session].Name})
	}
	hook := func(p *place, ctx context.Context, session string) error { return p.HookOf(ctx, session, "SomeHook") }
	guest := func(p *place, ctx context.Context, _ string) error { return p.Guest(ctx) }
	for _, c := range []struct {
		name    string
		p       *place
		check   func(p *place, ctx context.Context, session string) error
		ctx     context.Context
		session string
		// want is in the error, row in its row; "": permitted, or without a row.
		want, row string
	}{
		{"its own", p, holder, one.call(t.Context()), "one", "", ""},
		{"another's", p, holder, one.call(t.Context()), "two", "inside another session", "the token of another session, second (its process"},
		{"the daemon's, with a token", p, holder, started.call(t.Context()), "one", "inside another session", "the token of another session, first"},
		{"a shell's", p, holder, shell.call(t.Context()), "two", "", ""},
		{"the person's", outside, holder, person.call(t.Context()), "two", "", ""},
		{"no process", p, holder, t.Context(), "two", "who calls cannot be told", "the token of second: "},

		{"a hook of its own", p, hook, one.call(t.Context()), "one", "", ""},
		{"a hook of another's", p, hook, one.call(t.Context()), "two", "inside another session", "the token of another session, second (its process"},
		{"a hook of an unknown session's", p, hook, one.call(t.Context()), "three", "inside another session", "the token of another session, three (its process"},
		{"a hook of an agent outside", outside, hook, person.call(t.Context()), "two", "", ""},
		{"a hook without a session", p, hook, t.Context(), "", "", ""},
		{"a hook of no process", p, hook, t.Context(), "two", "who calls cannot be told", "the token of session two: "},

		{"a guest inside", p, guest, one.call(t.Context()), "", "its tools need", "tools without the token of the session (its process"},
		{"a guest below the daemon", p, guest, started.call(t.Context()), "", "its tools need", "tools without the token of the session (its process"},
		{"a guest outside", outside, guest, person.call(t.Context()), "", "", ""},
		{"a guest of no process", p, guest, t.Context(), "", "who calls cannot be told", ""},
	} {
		err := c.check(c.p, c.ctx, c.session)
		if (err == nil) != (c.want == "") || err != nil && (api.CodeOf(err) != api.CodeForbidden || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		rows := c.p.refused()
		if (len(rows) == 0) != (c.row == "") || len(rows) > 1 || len(rows) == 1 && !strings.Contains(rows[0].why, c.row) {
			t.Errorf("%s: rows %q, want %q", c.name, rows, c.row)
		}
		if len(rows) == 1 && strings.Contains(c.want, "another") && c.name != "the daemon's, with a token" && rows[0].session != "one" {
			t.Errorf("%s: the row is of %q", c.name, rows[0].session)
		}
	}
}
