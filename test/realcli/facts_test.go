package realcli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Open(t, shipped(), Options{Place: Home(t, fake.URL())})
	p.Until(ctx, 0, "PSP idle", PSP("idle"))
	p.Submit(ctx, "hello there")
	at := p.Until(ctx, 0, "UserPromptSubmit", Hook("UserPromptSubmit"))
	p.Until(ctx, at, "Stop", Hook("Stop"))
	p.Screen(ctx, "You said: hello there")
	p.Until(ctx, at, "PSP done", PSP("done"))
	main := 0
	for _, r := range fake.Requests() {
		if r.Main() {
			main++
		}
		if r.Session != p.Conversation {
			t.Errorf("a request of conversation %q, not %q", r.Session, p.Conversation)
		}
	}
	if main != 1 {
		t.Errorf("%d requests for one turn", main)
	}
}

// TestPermissionByHook: the answer of a held PermissionRequest hook is accepted while
// the dialog is open.
func TestPermissionByHook(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]string{"allow": "PostToolUse", "deny": "Stop"} {
		t.Run(behavior, func(t *testing.T) {
			Claude(t)
			fake := fakeapi.New(fakeapi.Turns(bash("touch made")))
			defer fake.Close()
			ctx := limit(t)
			shown := make(chan struct{})
			p := Open(t, shipped(), Options{Place: Home(t, fake.URL()), Args: manual, Reply: func(ctx context.Context, hook string, _ []byte) api.HookReply {
				if hook != "PermissionRequest" {
					return api.HookReply{}
				}
				select {
				case <-shown:
				case <-ctx.Done():
				}
				return api.HookReply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"` + behavior + `","message":"by the test"}}}`}
			}})
			p.Until(ctx, 0, "PSP idle", PSP("idle"))
			p.Submit(ctx, "please run it")
			at := p.Until(ctx, 0, "PermissionRequest", Hook("PermissionRequest"))
			p.Screen(ctx, "1. Yes")
			close(shown)
			p.Until(ctx, at, want, Hook(want))
			_, err := os.Stat(filepath.Join(p.opt.Place.CWD, "made"))
			if made := err == nil; made != (behavior == "allow") {
				t.Errorf("the tool ran: %v", made)
			}
		})
	}
}

// TestUsersDisableAllHooks: a user's "disableAllHooks" does not silence ours.
func TestUsersDisableAllHooks(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	place := Home(t, fake.URL())
	if err := os.WriteFile(filepath.Join(place.Config, "settings.json"), []byte(`{"disableAllHooks":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Open(t, shipped(), Options{Place: place})
	p.Until(limit(t), 0, "SessionStart", Hook("SessionStart"))
}

// TestShellFormOfHooks: the form for versions before 2.1.139, which is also
// used when the version is not known, works with paths that need quotes.
func TestShellFormOfHooks(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	shim := filepath.Join(t.TempDir(), "it's a shim")
	if err := os.Symlink(self(t), shim); err != nil {
		t.Fatal(err)
	}
	p := Open(t, shim, Options{Place: Home(t, fake.URL()), Version: "2.1.138"})
	p.Until(limit(t), 0, "SessionStart", Hook("SessionStart"))
}
