package adapters

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/config"
)

func TestLookup(t *testing.T) {
	for _, kind := range config.Kinds {
		a, ok := Lookup(kind)
		if !ok || a.Kind() != kind {
			t.Errorf("%s gives %v", kind, a)
		}
	}
	if a, ok := Lookup(""); !ok || a.Kind() != agents.KindGeneric {
		t.Errorf("no kind gives %v", a)
	}
	if _, ok := Lookup("nonesuch"); ok {
		t.Error("an unknown kind was found")
	}
}

func TestManaged(t *testing.T) {
	for kind, want := range map[string]bool{agents.KindClaude: true, agents.KindDemo: true, agents.KindShell: false, agents.KindGeneric: false} {
		if a, _ := Lookup(kind); a.Managed() != want {
			t.Errorf("%s is managed: %v", kind, !want)
		}
	}
}

func TestPreparePlain(t *testing.T) {
	l, err := Generic{}.Prepare(agents.Start{Command: "/bin/cat", Args: []string{"-u"}, Env: []string{"A=1"}})
	if err != nil || !slices.Equal(l.Argv, []string{"/bin/cat", "-u"}) || !slices.Equal(l.Env, []string{"A=1"}) {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := (Shell{}).Prepare(agents.Start{Env: []string{"SHELL=/bin/zsh"}}); err != nil || l.Argv[0] != "/bin/zsh" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := (Shell{}).Prepare(agents.Start{}); err != nil || l.Argv[0] != "/bin/sh" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := (Generic{}).Prepare(agents.Start{}); err == nil {
		t.Error("no command was accepted")
	}
	if _, err := (Generic{}).Prepare(agents.Start{Command: "x", Resume: "y"}); err == nil {
		t.Error("a conversation was resumed")
	}
}

func TestPrepareDemo(t *testing.T) {
	l, err := Demo{}.Prepare(agents.Start{Shim: "/s", Args: []string{"--scene", "build"}})
	if err != nil || !slices.Equal(l.Argv[:4], []string{"/s", "demo-agent", "--scene", "build"}) || len(l.Conversation) != 36 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := (Demo{}).Prepare(agents.Start{}); err == nil {
		t.Error("no shim was accepted")
	}
}

// TestUnknownHook: a hook that a newer version may call is kept as an event, and tells no state.
func TestUnknownHook(t *testing.T) {
	for _, kind := range []string{agents.KindClaude, agents.KindCodex, agents.KindGemini} {
		a, _ := Lookup(kind)
		h, err := a.DecodeHook("Nonesuch", time.Unix(1, 0), []byte(`{"session_id":"s","hook_event_name":"Nonesuch","level":{"of":3}}`))
		if err != nil || h.Skip || h.Evidence.Says != "" || h.Evidence.Kind != "" || h.Message != "Nonesuch" || !strings.Contains(string(h.Data), `"level":{"of":3}`) {
			t.Errorf("%s: %+v, %v", kind, h, err)
		}
	}
}
