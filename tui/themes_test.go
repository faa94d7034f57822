package tui

import (
	"errors"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// TestThemesAreShownAsChosen: going to a theme shows it, Escape and any other way out take it back,
// Enter keeps it and writes it down.
func TestThemesAreShownAsChosen(t *testing.T) {
	m, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0))
	var kept []string
	var fails error
	m.opts.Theme = "dark"
	m.opts.Keep = func(key, value string) error { kept = append(kept, key+" = "+value); return fails }
	wears := func(name string) {
		t.Helper()
		if *m.theme != *theme.New(name, nil) {
			t.Errorf("it does not wear %s:\n%s", name, m.picture().Dump())
		}
	}
	do(m, "C-b", "M-t")
	wears("dark")
	do(m, "Down")
	wears("light")
	do(m, "n", "o", "r", "d")
	if m.theme.Accent != theme.New("nord", nil).Accent {
		t.Errorf("what is typed is not shown:\n%s", m.picture().Dump())
	}
	do(m, "Escape")
	wears("dark")
	do(m, "C-b", "M-t", "Down", "C-b", "2") // the prefix key leaves it, too
	wears("dark")
	if kept != nil {
		t.Errorf("kept %q", kept)
	}
	do(m, "C-b", "M-t", "Down", "Enter")
	wears("light")
	if strings.Join(kept, ",") != "theme = light" || m.overlay != nil || m.opts.Theme != "light" {
		t.Errorf("kept %q", kept)
	}
	fails = errors.New("read-only file system")
	do(m, "C-b", "M-t", "Up", "Enter")
	if !strings.Contains(m.notice.text, "read-only file system") || !strings.Contains(m.notice.text, "until this grid is left") {
		t.Errorf("a failure says %q", m.notice.text)
	}
}

// TestSigns: the signs are those of the settings, where the terminal has more than ASCII.
func TestSigns(t *testing.T) {
	m, _ := clientModel(t, named("aaaa1111", "api", api.StateIdle, 0))
	for _, signs := range []api.Signs{api.SignsNerd, api.SignsASCII, api.SignsUnicode} {
		s := m.opts.Settings
		s.Signs = signs
		m.caps.Glyphs = paint.GlyphsAll
		m.Update(newsMsg{news{settings: &s}})
		shows(t, m, api.StandingIdle.Sign(signs)+" ")
		m.caps.Glyphs = paint.GlyphsASCII
		m.Update(newsMsg{news{settings: &s}})
		shows(t, m, api.StandingIdle.Sign(api.SignsASCII)+" ")
	}
}
