package realcli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// conversing is a product and the API behind it.
func conversing(t *testing.T, script fakeapi.Script) (context.Context, *Product, *fakeapi.Server) {
	t.Helper()
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(script)
	t.Cleanup(fake.Close)
	return limit(t), Install(t, Home(t, fake.URL())), fake
}

// transcript is the output of `ccdir transcript --json`.
func (p *Product) transcript(ctx context.Context, id string) (list []api.Turn) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.Run(ctx, "transcript", id, "--json")), &list); err != nil {
		p.t.Fatal(err)
	}
	return list
}

func promptsOf(list []api.Turn) (out []string) {
	for _, t := range list {
		out = append(out, t.Prompt)
	}
	return out
}

// contextOf is what the API was sent with a prompt: the conversation so far.
func contextOf(t *testing.T, fake *fakeapi.Server, prompt string) string {
	t.Helper()
	all := fake.Requests()
	i := slices.IndexFunc(all, func(r fakeapi.Request) bool { return r.Main() && r.Prompt == prompt })
	if i < 0 {
		t.Fatalf("the API got no prompt %q", prompt)
	}
	return string(all[i].Body)
}

// TestProductReset: the agent knows nothing of what was said before, a person still does.
func TestProductReset(t *testing.T) {
	ctx, p, fake := conversing(t, nil)
	id := p.New(ctx, "-n", "one")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "ask", "one", "a pelican")
	before := p.Show(ctx, id)
	if out := p.Run(ctx, "reset", "one"); out != id {
		t.Errorf("reset prints %q", out)
	}
	p.State(ctx, id, api.StateIdle)
	if got := p.Run(ctx, "ask", "one", "something else"); got != "You said: something else" {
		t.Errorf("it answers %q", got)
	}
	after := p.Show(ctx, id)
	if after.Conversation == before.Conversation || after.Name != "one" || after.CWD != before.CWD || after.Prompt != "something else" {
		t.Errorf("after the reset: %+v", after)
	}
	if strings.Contains(contextOf(t, fake, "something else"), "pelican") {
		t.Error("the new conversation has the old one's text")
	}
	if got := promptsOf(p.transcript(ctx, id)); !slices.Equal(got, []string{"a pelican", "something else"}) {
		t.Errorf("the transcript has %q", got)
	}
	p.Run(ctx, "restart", "one")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "ask", "one", "third")
	if said := contextOf(t, fake, "third"); !strings.Contains(said, "something else") || strings.Contains(said, "pelican") {
		t.Error("a restart after the reset goes on with another conversation")
	}
}

// TestProductFork: both sessions go on from the same conversation, each for itself.
func TestProductFork(t *testing.T) {
	ctx, p, fake := conversing(t, nil)
	id := p.New(ctx, "-n", "one", "-e", "SHARED=yes")
	p.State(ctx, id, api.StateIdle)
	if _, err := p.command(ctx, "fork", "one").Output(); err == nil {
		t.Error("a session that was told nothing can be forked")
	}
	p.Run(ctx, "ask", "one", "a pelican")
	other := p.Run(ctx, "fork", "one")
	s := p.State(ctx, other, api.StateIdle)
	if s.Name != "one-fork" || s.Conversation == p.Show(ctx, id).Conversation || s.CWD != p.Show(ctx, id).CWD {
		t.Errorf("the fork: %+v", s)
	}
	p.Run(ctx, "restart", other) // before it was told anything
	p.State(ctx, other, api.StateIdle)
	p.Run(ctx, "ask", other, "in the fork")
	p.Run(ctx, "ask", "one", "in the first")
	if said := contextOf(t, fake, "in the fork"); !strings.Contains(said, "pelican") {
		t.Error("the fork does not know the conversation")
	}
	if said := contextOf(t, fake, "in the first"); !strings.Contains(said, "pelican") || strings.Contains(said, "in the fork") {
		t.Error("the first session's conversation is not its own")
	}
	if got := promptsOf(p.transcript(ctx, other)); !slices.Equal(got, []string{"a pelican", "in the fork"}) {
		t.Errorf("the fork's transcript has %q", got)
	}
	if got := promptsOf(p.transcript(ctx, id)); !slices.Equal(got, []string{"a pelican", "in the first"}) {
		t.Errorf("the first one's transcript has %q", got)
	}
	p.Run(ctx, "restart", other)
	p.State(ctx, other, api.StateIdle)
	p.Run(ctx, "ask", other, "again")
	if said := contextOf(t, fake, "again"); !strings.Contains(said, "in the fork") {
		t.Error("a restarted fork does not go on with its own conversation")
	}
}

// TestProductResumeWrong: the session ends, with what the CLI says.
func TestProductResumeWrong(t *testing.T) {
	ctx, p, _ := conversing(t, nil)
	out, err := p.command(ctx, "new", "-n", "wrong", "-a", "claude", "--resume", "11111111-2222-4333-8444-555555555555").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "No conversation found") {
		t.Errorf("ccdir new: %v: %s", err, out)
	}
	s := p.Until(ctx, p.Show(ctx, "wrong").ID, "its last words", func(s api.Session) bool { return s.Error != "" })
	if s.State != api.StateExited || s.ExitCode == nil || *s.ExitCode == 0 || !strings.Contains(s.Error, "No conversation found") {
		t.Errorf("it ended with %v and %q", s.ExitCode, s.Error)
	}
}

// TestProductFailedTurn: a turn that failed is told from one that is done, with its reason,
// and the next prompt ends that.
func TestProductFailedTurn(t *testing.T) {
	for _, c := range []struct {
		name, says string
		reply      fakeapi.Reply
		kind       api.FailureKind
	}{
		{"refused key", "no such key", fakeapi.Error(401, "no such key in the test"), api.FailureAuth},
		{"limit", "rate limit", fakeapi.Error(429, "This request would exceed your account's rate limit."), api.FailureLimit},
		{"broken", "400", fakeapi.Error(400, "mock error"), api.FailureAPI},
		{"refusal", "", fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "No."}}, Stop: "refusal"}, api.FailureRefusal},
		{"too long", "", fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Half a sen"}}, Stop: "max_tokens"}, api.FailureMaxTokens},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, p, _ := conversing(t, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
				if r.Main() && !strings.Contains(r.Prompt, "well") {
					return c.reply
				}
				return fakeapi.Echo(ctx, r)
			})
			id := p.New(ctx, "-n", "one", "-e", "CLAUDE_CODE_MAX_RETRIES=0")
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", "one", "please fail")
			if got := p.Run(ctx, "wait", "one", "--state", "failed", "--timeout", "40s"); got != "failed" {
				t.Errorf("wait prints %q", got)
			}
			f := p.Show(ctx, id).Failure
			if f == nil || f.Kind != c.kind || f.At.IsZero() || !strings.Contains(f.Message, c.says) {
				t.Errorf("the failure is %+v\n%s", f, p.Dump())
			}
			if c.kind == api.FailureAuth {
				return // it waits for a person to sign in
			}
			if out, err := p.command(ctx, "ask", "one", "please fail again").CombinedOutput(); err == nil || !strings.Contains(string(out), string(c.kind)) {
				t.Errorf("ask: %v: %s", err, out)
			}
			if got := p.Run(ctx, "ask", "one", "all well"); got != "You said: all well" {
				t.Errorf("it answers %q", got)
			}
			if s := p.Show(ctx, id); s.Failure != nil {
				t.Errorf("the failure stays: %+v", s.Failure)
			}
		})
	}
}

// TestProductModel: an agent goes on in the same conversation with another model.
func TestProductModel(t *testing.T) {
	ctx, p, fake := conversing(t, nil)
	id := p.New(ctx, "-n", "one", "--model", "opus")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "ask", "one", "a pelican")
	p.Run(ctx, "model", "one", "haiku")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "ask", "one", "and now")
	if said := contextOf(t, fake, "and now"); !strings.Contains(said, "pelican") {
		t.Error("it goes on with another conversation")
	}
	all := fake.Requests()
	i := slices.IndexFunc(all, func(r fakeapi.Request) bool { return r.Main() && r.Prompt == "and now" })
	if !strings.Contains(all[i].Model, "haiku") || !strings.Contains(p.Run(ctx, "model", "one"), "haiku") {
		t.Errorf("it uses %s, and says %s", all[i].Model, p.Run(ctx, "model", "one"))
	}
	if out, err := p.command(ctx, "model", "one", "--", "-x").CombinedOutput(); err == nil {
		t.Errorf("an option as a model: %s", out)
	}
}

// TestProductInterrupted: a turn that a person ends shows no answer of an earlier one, by a key
// as by No in a dialog, and the next turn shows its own.
func TestProductInterrupted(t *testing.T) {
	slow := newGate()
	defer slow.release()
	script := fakeapi.Turns(fakeapi.Text("First answer."), fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Half of it.\n\n"}, {Text: "never said", Wait: slow.ch}}},
		fakeapi.Text("Third answer."), bash("touch made"))
	ctx, p, _ := conversing(t, script)
	id := p.New(ctx, "-n", "one")
	p.State(ctx, id, api.StateIdle)
	interrupted := func(prompt string) {
		t.Helper()
		v := p.Until(ctx, id, "interrupted", func(v api.Session) bool { return v.State == api.StateIdle && v.Interrupted })
		if v.Answer != "" || v.Prompt != prompt || v.Standing(time.Now()) != api.StandingIdle {
			t.Errorf("interrupted, it shows %q of %q, standing %s", v.Answer, v.Prompt, v.Standing(time.Now()))
		}
		if ls := p.Run(ctx, "ls"); !strings.Contains(ls, "interrupted") || strings.Contains(ls, " answer.") {
			t.Errorf("ls says:\n%s", ls)
		}
	}
	p.Run(ctx, "ask", "one", "one")
	p.Until(ctx, id, "its first answer", func(v api.Session) bool { return v.Answer == "First answer." })
	p.Run(ctx, "send", "one", "two")
	p.Screen(ctx, id, "Half of it.")
	p.Run(ctx, "keys", "one", "Escape")
	interrupted("two")
	// Once the file is read, too.
	p.turns(ctx, id, func(list []api.Turn) bool { return len(list) == 2 && list[1].State == api.TurnInterrupted })
	p.Run(ctx, "daemon", "restart")
	interrupted("two")
	p.Run(ctx, "ask", "one", "three")
	p.Until(ctx, id, "its third answer", func(v api.Session) bool { return v.Answer == "Third answer." && !v.Interrupted })
	p.Run(ctx, "send", "one", "four")
	p.State(ctx, id, api.StatePermission)
	p.Screen(ctx, id, "Yes")
	p.Run(ctx, "keys", "one", "Escape")
	interrupted("four")
}
