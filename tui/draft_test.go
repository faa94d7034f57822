package tui

import (
	"path/filepath"
	"testing"
	"time"

	"ccdir/tui/prompt"
	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
)

// TestDraftSurvives: what was written is kept a moment later and at the end, is in
// the next grid's prompt bar, and is forgotten when it was sent.
func TestDraftSurvives(t *testing.T) {
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	grid := func() *model {
		m, _ := clientModel(t, two()...)
		m.prompt = prompt.New(prompt.Disk{Draft: file})
		perform(m, caused(m, func() { m.carryOut(ui.Prompt, m.prompt.Load(m.env())) }))
		return m
	}
	kept := func(want string) {
		t.Helper()
		if got, err := file.Load(); got != want || err != nil {
			t.Errorf("kept %q (%v), want %q", got, err, want)
		}
	}
	m := grid()
	press(m, "C-b", ":", "f", "i", "x")
	kept("")
	m.now = func() time.Time { return epoch.Add(3*time.Minute + time.Second) }
	do(m, "Left")
	kept("fix")
	press(m, "Escape")
	m = grid()
	shows(t, m, "what you had not sent is still in the prompt bar")
	if m.prompt.Text() != "fix" {
		t.Errorf("the bar has %q", m.prompt.Text())
	}
	// At the end nothing waits for its moment.
	press(m, "C-b", ":", "End", "Space", "i", "t")
	if err := m.prompt.Last(m.opts.ReadOnly); err != nil {
		t.Error(err)
	}
	kept("fix it")
	// What is written in the next grid before the file was read stays.
	m, _ = clientModel(t, two()...)
	m.prompt = prompt.New(prompt.Disk{Draft: file})
	press(m, "C-b", ":", "n", "e", "w")
	perform(m, caused(m, func() { m.carryOut(ui.Prompt, m.prompt.Load(m.env())) }))
	if m.prompt.Text() != "new" {
		t.Errorf("the bar has %q", m.prompt.Text())
	}
	// Sent, it is forgotten.
	do(m, "Enter")
	m.now = func() time.Time { return epoch.Add(4 * time.Minute) }
	do(m, "C-b", "Escape")
	kept("")
	// A grid that only looks changes nothing.
	if err := file.Save("mine"); err != nil {
		t.Fatal(err)
	}
	m = grid()
	m.opts.ReadOnly = true
	typeIn(m, "x")
	do(m, "C-b", "Escape")
	if err := m.prompt.Last(m.opts.ReadOnly); err != nil {
		t.Error(err)
	}
	kept("mine")
}
