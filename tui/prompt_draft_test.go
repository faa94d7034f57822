package tui

import (
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/prompt"
	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
)

// TestAnswerStartsEmpty: a draft belongs to its purpose. A text that was written as a task
// does not stand in the bar as the answer to a question, and is there again for tasks.
func TestAnswerStartsEmpty(t *testing.T) {
	m, c := clientModel(t, named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateInput, 1))
	m.take(news{News: known.News{Requests: map[string]known.Request{"r1": {Open: &api.Request{ID: "r1", Session: "bbbb2222", Tool: "AskUserQuestion", Kind: api.RequestQuestion, Question: "Which?", Questions: 1}}}}})
	m.Update(nil)
	m.setFocus("aaaa1111")
	do(m, "C-b", ":")
	typeIn(m, "add a cart")
	press(m, "Escape")
	m.setFocus("bbbb2222")
	m.settle()
	do(m, "C-b", ":")
	if got := m.prompt.Text(); got != "" {
		t.Fatalf("the bar for the answer begins with %q", got)
	}
	do(m, "Enter")
	if calls := strings.Join(c.noted(), "\n"); strings.Contains(calls, "add a cart") {
		t.Errorf("the task was sent:\n%s", calls)
	}
	if m.mode != modePrompt {
		do(m, "C-b", ":")
	}
	typeIn(m, "the second")
	press(m, "Escape")
	m.setFocus("aaaa1111")
	m.settle()
	do(m, "C-b", ":")
	if got := m.prompt.Text(); got != "add a cart" {
		t.Errorf("the draft of the task is %q", got)
	}
	press(m, "Escape")
	m.setFocus("bbbb2222")
	m.settle()
	do(m, "C-b", ":")
	if got := m.prompt.Text(); got != "the second" {
		t.Errorf("the draft of the answer is %q", got)
	}
}

// TestRecalledIsNoDraft: a prompt of the history that was only looked at does not stay.
func TestRecalledIsNoDraft(t *testing.T) {
	m, _ := clientModel(t, named("aaaa1111", "api", api.StateIdle, 0))
	do(m, "C-b", ":")
	m.remembers("old one")
	press(m, "Up")
	if got := m.prompt.Text(); got != "old one" {
		t.Fatalf("recalled %q", got)
	}
	press(m, "Escape")
	if m.prompt.Text() != "" {
		t.Errorf("%q is the draft", m.prompt.Text())
	}
	do(m, "C-b", ":")
	m.remembers("old one")
	press(m, "Up", "!", "Escape")
	if got := m.prompt.Text(); got != "old one!" {
		t.Errorf("an edited prompt is not kept: %q", got)
	}
}

// TestDraftOfTarget: a half-typed prompt belongs to its session. The bar of another one shows that
// one's own, closed and open; coming back, the text is there again, in the next grid too.
func TestDraftOfTarget(t *testing.T) {
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	grid := func() *model {
		m, _ := clientModel(t, named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateIdle, 1), named("cccc3333", "doc", api.StateIdle, 2))
		m.prompt = prompt.New(prompt.Disk{Draft: file})
		perform(m, caused(m, func() { m.carryOut(ui.Prompt, m.prompt.Load(m.env())) }))
		return m
	}
	has := func(m *model, session, want string) {
		t.Helper()
		m.setFocus(session)
		m.settle()
		if got := m.prompt.Text(); got != want {
			t.Errorf("the closed bar of %s has %q, want %q", session, got, want)
		}
		do(m, "C-b", ":")
		if got := m.prompt.Text(); got != want {
			t.Errorf("the bar of %s has %q, want %q", session, got, want)
		}
		do(m, "Escape")
	}
	write := func(m *model, session, text string) {
		m.setFocus(session)
		do(m, "C-b", ":")
		typeIn(m, text)
		do(m, "Escape")
	}
	m := grid()
	write(m, "aaaa1111", "add a cart")
	has(m, "bbbb2222", "")
	write(m, "bbbb2222", "paint it")
	has(m, "aaaa1111", "add a cart")
	has(m, "cccc3333", "")
	has(m, "bbbb2222", "paint it")
	// An empty bar whose target changes shows the target's own; a text goes along.
	m.setFocus("cccc3333")
	do(m, "C-b", ":", "C-t", "w", "e", "b", "Enter")
	if got := m.prompt.Text(); got != "paint it" {
		t.Errorf("for web, chosen in an empty bar, it is %q", got)
	}
	do(m, "Escape")
	// The next grid has both.
	if err := m.prompt.Last(false); err != nil {
		t.Fatal(err)
	}
	m = grid()
	has(m, "cccc3333", "")
	has(m, "aaaa1111", "add a cart")
	has(m, "bbbb2222", "paint it")
	// What is sent is no draft; the other one stays.
	m.setFocus("aaaa1111")
	do(m, "C-b", ":", "Enter")
	has(m, "aaaa1111", "")
	has(m, "bbbb2222", "paint it")
}
