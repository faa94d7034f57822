package tui

import (
	"encoding/json"
	"image/color"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/internal/api"
)

// withEvents is a grid with a sidebar and three events.
func withEvents() *model {
	m := testModel(140, 30, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateIdle, 1))
	m.take(news{events: []api.Event{
		{Seq: 1, At: epoch, Session: "aaaa1111", Type: "UserPromptSubmit", Message: "fix it"},
		{Seq: 2, At: epoch, Session: "bbbb2222", Type: "PreToolUse", Message: "Bash: make", Data: json.RawMessage(`{"tool":"Bash\u001b[31m","n":2,"ok":true}`)},
		{Seq: 3, At: epoch, Session: "aaaa1111", Type: "Stop", Message: "done"},
	}})
	return m
}

func TestEventsFilterPauseClear(t *testing.T) {
	m := withEvents()
	sees := func(want string, parts ...string) {
		t.Helper()
		s := m.picture().Dump()
		for _, p := range []string{"UserPromptSubmit", "PreToolUse", "Stop", "Later"} {
			if strings.Contains(s, " "+p+" ") != strings.Contains(want, p) {
				t.Errorf("want %q:\n%s", want, s)
				return
			}
		}
		for _, p := range parts {
			if !strings.Contains(s, p) {
				t.Errorf("no %q:\n%s", p, s)
			}
		}
	}
	press(m, "C-b", "E")
	sees("UserPromptSubmit PreToolUse Stop", "EVENTS", "   3m ")
	press(m, "/", "m", "a", "k", "e", "Enter")
	sees("PreToolUse", "/make")
	press(m, "Escape", "s")
	sees("UserPromptSubmit Stop", "events of api")
	press(m, "s", "k", "t")
	sees("PreToolUse")
	press(m, "t", "p")
	m.take(news{events: []api.Event{{Seq: 4, At: epoch, Session: "bbbb2222", Type: "Later", Message: "x"}}})
	sees("UserPromptSubmit PreToolUse Stop", "paused, 1 new")
	press(m, "p")
	sees("UserPromptSubmit PreToolUse Stop Later")
	press(m, "c")
	sees("", "cleared or filtered")
	press(m, "Escape")
	if m.mode != modePane {
		t.Errorf("mode %d", m.mode)
	}
}

func TestEventsGoAndDetail(t *testing.T) {
	m := withEvents()
	m.focus = "aaaa1111"
	press(m, "C-b", "E", "k", "i")
	s := m.picture().Dump()
	for _, want := range []string{`"type": "PreToolUse"`, `"ok": true`, `"tool": "Bash\u001b[31m"`, "PreToolUse · web"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	press(m, "Escape", "Enter")
	if m.focus != "bbbb2222" || m.mode != modePane {
		t.Errorf("focus %s, mode %d", m.focus, m.mode)
	}
}

func TestThemeFollowsTheBackground(t *testing.T) {
	m := withEvents()
	light, dark := newTheme("light", nil), newTheme("dark", nil)
	if *m.theme != *dark {
		t.Error("the palette does not begin dark")
	}
	m.Update(typedMsg{event: uv.BackgroundColorEvent{Color: color.White}})
	if *m.theme != *light {
		t.Error("a white background has a dark palette")
	}
	for chosen, want := range map[string][2]string{"contrast": {"contrast", "contrast-light"}, "dark": {"dark", "dark"}, "light": {"light", "light"}} {
		for i, background := range []color.Color{color.Black, color.White} {
			m.opts.Theme = chosen
			m.theme = firstTheme(m.opts, m.opts.Profile)
			m.Update(typedMsg{event: uv.BackgroundColorEvent{Color: background}})
			if *m.theme != *newTheme(want[i], nil) {
				t.Errorf("%s on %v is not %s", chosen, background, want[i])
			}
		}
	}
	m.opts.Theme = ""
	for env, want := range map[string]bool{"": false, "15;0": false, "7;8": false, "0;15": true, "0;default;7": true, "0;default": false, "default;default": false, ";": false, "x": false, "0;12": true} {
		if got := lightBackground(func(string) string { return env }); got != want {
			t.Errorf("COLORFGBG=%s: light %v", env, got)
		}
	}
}
