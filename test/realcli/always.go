package realcli

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// AlwaysHolds plays "always" with an agent, whose tools make files of a name: an edit that is
// allowed with its directory, another one there, a command, and the command again. Only the
// first of each pair is asked about, by the same rules whichever agent it is. args are further ones
// of `ccdir new`.
func (o Other) AlwaysHolds(t *testing.T, edit, run func(name string) fakeapi.Reply, args ...string) {
	t.Helper()
	ctx, p, _ := o.Product(t, fakeapi.Turns(
		edit("src/a.txt"), fakeapi.Text("one"), edit("src/b.txt"), fakeapi.Text("two"),
		run("made"), fakeapi.Text("three"), run("made"), fakeapi.Text("four")))
	p.Policy("[roles.dev]\nask = [\"Edit(./src/**)\", \"Bash(touch *)\"]\n")
	id := p.New(ctx, args...)
	p.State(ctx, id, api.StateIdle)
	since := p.always(ctx, id, "one", 0, []string{"Edit(/" + filepath.Join(p.Place.CWD, "src/a.txt") + ")", "Edit(./src/**)"})
	p.Run(ctx, "send", id, "again")
	p.Answered(ctx, id, "two")
	if !p.Has("src/a.txt") || !p.Has("src/b.txt") {
		t.Errorf("the edits were not made\n%s", p.Dump())
	}
	p.always(ctx, id, "three", since, []string{"Bash(touch made)"})
	p.Run(ctx, "send", id, "again")
	p.Answered(ctx, id, "four")
	people := 0
	rows, err := p.Client.Decisions(ctx, api.LedgerFilter{Session: id})
	for _, row := range rows {
		if row.Decision == api.EffectAllow && row.By == api.ByPerson {
			people++
		}
	}
	if err != nil || people != 2 {
		t.Errorf("a person answered %d times, %v: %+v", people, err, rows)
	}
}

// always sends a prompt and allows the request of its turn by the last of the rules that are
// wanted to be offered. It returns the number of the request's event, and waits for the answer.
func (p *Product) always(ctx context.Context, id, answer string, since int64, want []string) int64 {
	p.t.Helper()
	p.Run(ctx, "send", id, "go")
	q, seq := p.Request(ctx, id, since)
	if !slices.Equal(q.AlwaysRules, want) || q.AlwaysRule != want[0] {
		p.t.Fatalf("offered %q, want %q (%s %s)", q.AlwaysRules, want, q.Tool, q.Input)
	}
	p.Run(ctx, "approve", q.ID, "--always", want[len(want)-1])
	p.Answered(ctx, id, answer)
	return seq
}
