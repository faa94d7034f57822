package realcli

import (
	"testing"

	"ccdir/internal/fakeapi"
)

func TestAnswer(t *testing.T) {
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Open(t, self(t), Options{Place: Home(t, fake.URL())})
	p.Until(ctx, 0, "PSP idle", PSP("idle"))
	p.Submit(ctx, "hello there")
	at := p.Until(ctx, 0, "UserPromptSubmit", Hook("UserPromptSubmit"))
	p.Until(ctx, at, "Stop", Hook("Stop"))
	p.Screen(ctx, "You said: hello there")
	p.Until(ctx, at, "PSP done", PSP("done"))
	t.Logf("\n%s\n%s", p.Text(), p.Log())
	for _, r := range fake.Requests() {
		t.Logf("%d main=%v tools=%d model=%s prompt=%.80q system=%.60q sg=%v", r.N, r.Main(), len(r.Tools), r.Model, r.Prompt, r.System, r.Safeguards)
	}
}
