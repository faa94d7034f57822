package tui

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
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
