package codex

import (
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Screens of 0.169.0, without empty lines at the end.
const (
	trustScreen = "\n  Folder access\n  /home/dev/acme\n\n  Trust this folder? Codex can read, edit, and run files here, subject to your\n" +
		"  permission settings.\n\n› 1. Trust and continue\n  2. Back to Agent Command Center\n\n  enter continue · esc back\n"
	restrictedScreen = "\n  Folder access\n  /home/dev/acme\n\n  Config, hooks, and exec policies from untrusted folders stay disabled.\n\n› 1. Open restricted\n" +
		"  2. Back to Agent Command Center\n\n  enter continue · esc back\n"
	elsewhereScreen = "\n  Working directory · fork\n\n› 1. Session directory /home/dev/acme\n  2. Current directory /home/dev/b2\n\n  enter continue · esc use session · ^c quit\n"
	modelScreen     = "  Meet GPT-6 Sol\n\n  Our latest Sol is more intelligent and more efficient so your usage limits go further. This\n  model is a great daily driver for complex tasks, especially coding.\n\n" +
		"› 1. Try new model\n  2. Use existing model\n\n  enter/esc confirm · ^c quit\n"
	foot         = "\n  \x1b[0;38;2;1;2;3mgpt-5.2-codex default\x1b[0m · /home/dev/acme\n  ← for agents · ? for shortcuts\n"
	emptyScreen  = "  >_ OpenAI Codex\n\n\x1b[0;1m›\x1b[0m \x1b[0;2mAsk Codex to do anything\x1b[m\n" + foot
	draftScreen  = "• Reply: hi\n\n\x1b[0;1m›\x1b[0m hiline two\n  line three\n" + foot
	queuedScreen = "• w0 w1\n\n\x1b[0;2m• \x1b[0mQueued follow-up inputs\n\x1b[0;2m  ↳ \x1b[0;2;3mnext\x1b[m\n\x1b[0;2m  ↳ \x1b[0;2;3msecond one\x1b[m\n" +
		"    \x1b[0;2;3mwith two lines\x1b[m\n    \x1b[0;1mshift+←\x1b[0;2m edit last queued message\x1b[m\n\n\n\x1b[0;1m›\x1b[0m \x1b[0;2mAsk Codex to do anything\x1b[m\n" + foot
	dialogScreen = "  Would you like to run the following command?\n\n  $ touch a\n\n› 1. Yes, proceed (y)\n  3. No (esc)\n\n  Press enter to confirm or esc to cancel\n"
)

func TestStartDialogs(t *testing.T) {
	rules := agents.ScreenRules(nil, Adapter{})
	for text, want := range map[string]string{trustScreen: "Trust this folder?", restrictedScreen: "Folder access", elsewhereScreen: "Working directory · fork", modelScreen: "Meet GPT-6 Sol", "  >_ OpenAI Codex\n": "", dialogScreen: ""} {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		var full []string
		for _, l := range lines {
			if l != "" {
				full = append(full, l)
			}
		}
		e := agents.LookAt(rules, true, strings.Join(full, "\n")+"\n", false, time.Now())
		if e.Fields["question"] != want || (e.Says == api.StateInput) != (want != "") {
			t.Errorf("%q asks %q: %s", text, e.Fields["question"], e.Says)
		}
	}
}

func TestReadScreen(t *testing.T) {
	for name, c := range map[string]struct {
		screen, input string
		queued        []string
		ok            bool
	}{
		"empty":    {emptyScreen, "", nil, true},
		"a draft":  {draftScreen, "hiline two\nline three", nil, true},
		"a queue":  {queuedScreen, "", []string{"next", "second one\nwith two lines"}, true},
		"a dialog": {dialogScreen, "", nil, false},
		"a start":  {trustScreen, "", nil, false},
		"nothing":  {"", "", nil, false},
	} {
		s, ok := Adapter{}.ReadScreen(c.screen)
		if ok != c.ok || s.Input != c.input || strings.Join(s.Queued, "|") != strings.Join(c.queued, "|") {
			t.Errorf("%s: %+v, %v", name, s, ok)
		}
	}
}

// FuzzReadScreen: a screen is what the model had printed.
func FuzzReadScreen(f *testing.F) {
	for _, s := range []string{trustScreen, emptyScreen, draftScreen, queuedScreen, dialogScreen} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, screen string) {
		s, ok := Adapter{}.ReadScreen(screen)
		if !ok && (s.Input != "" || len(s.Queued) > 0) {
			t.Errorf("%+v", s)
		}
	})
}
