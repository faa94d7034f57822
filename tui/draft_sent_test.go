package tui

import (
	"path/filepath"
	"slices"
	"testing"

	"ccdir/tui/prompt/history"
)

// TestDraftKeepsItsCall: a text that is on its way when the grid is left is sent again
// by the next one as the same call, also from another directory; once it has arrived,
// the same text is another call.
func TestDraftKeepsItsCall(t *testing.T) {
	for name, leave := range map[string]func(m *model){
		"detached": func(m *model) {
			if err := m.lastDraft(); err != nil {
				t.Error(err)
			}
		},
		"killed": func(m *model) { perform(m, m.settle()) },
	} {
		t.Run(name, func(t *testing.T) {
			file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
			grid := func() (*model, *fakeClient) {
				m, c := clientModel(t)
				m.opts.Draft = file
				perform(m, m.loadDraft())
				return m, c
			}
			m, _ := grid()
			press(m, "C-b", ":", "f", "i", "x")
			if err := file.Save("fix"); err != nil { // as a moment after it was written
				t.Fatal(err)
			}
			m.mode = modePrompt
			at := m.now()
			call := m.sendPrompt(at) // it is not carried out
			if call == nil || len(m.prompt.jobs) != 1 {
				t.Fatalf("nothing was sent: %q", m.prompt.problem)
			}
			sent := m.prompt.jobs[0].making.session
			leave(m)

			m, c := grid()
			shows(t, m, "what you sent last may not have arrived")
			m.opts.Dir, m.opts.Env = "/elsewhere", []string{"SSH_TTY=/dev/pts/9"}
			do(m, "C-b", ":", "Enter")
			if len(c.tried) != 1 || c.tried[0].Request != sent.Request || c.tried[0].CWD != sent.CWD || !slices.Equal(c.tried[0].Env, sent.Env) {
				t.Fatalf("sent again: %+v, before: %+v", c.tried, sent)
			}
			if err := m.lastDraft(); err != nil {
				t.Error(err)
			}
			if text, err := file.Load(); text != "" || err != nil {
				t.Errorf("kept %q (%v)", text, err)
			}
			if data, err := file.LoadSent(); len(data) > 0 || err != nil {
				t.Errorf("kept %s (%v)", data, err)
			}
			m, c = grid()
			do(m, "C-b", ":", "f", "i", "x", "Enter")
			if len(c.tried) != 1 || c.tried[0].Request == sent.Request {
				t.Errorf("the same text, meant once more: %+v", c.tried)
			}
		})
	}
}

// TestDraftKeepsItsDelivery: the same for a text for a session, which is typed under
// its id; another text has one of its own.
func TestDraftKeepsItsDelivery(t *testing.T) {
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	grid := func() *model {
		m, _ := clientModel(t, two()...)
		m.opts.Draft = file
		perform(m, m.loadDraft())
		return m
	}
	m := grid()
	press(m, "C-b", ":", "f", "i", "x")
	if m.sendPrompt(m.now()) == nil || len(m.prompt.jobs) != 1 {
		t.Fatalf("nothing was sent: %q", m.prompt.problem)
	}
	sent := m.prompt.jobs[0].tries[0]
	if err := m.lastDraft(); err != nil {
		t.Error(err)
	}
	m = grid()
	shows(t, m, "nothing is done twice")
	if again := m.prompt.tries.take("fix", sent.session); again.id != sent.id {
		t.Errorf("sent again as %+v, before: %+v", again, sent)
	}
	if other := m.prompt.tries.take("fix it", sent.session); other.id == sent.id {
		t.Error("another text has the same id")
	}
}

// FuzzSent: whatever stands in the file that is kept beside the draft, what is taken of
// it is about the draft's text.
func FuzzSent(f *testing.F) {
	for _, data := range []string{"", "{", "[]", `{"session":{"prompt":"other"},"prompts":[{"text":"other"}]}`, `{"session":7}`,
		`{"session":{"prompt":"fix","request":"r"},"prompts":[{"text":"fix","session":"s","id":"i"}]}`, `{"task":{"prompt":"fix"}}`} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p promptBar
		sent := p.takeSent(data, " fix\n")
		if nothing := p.unsure == (making{}) && len(p.tries.left) == 0; sent == nothing {
			t.Errorf("sent: %t, taken: %+v %+v", sent, p.unsure, p.tries.left)
		}
		if u := p.unsure; u.session != nil && u.session.Prompt != "fix" || u.task != nil && u.task.Prompt != "fix" {
			t.Errorf("taken: %+v", u)
		}
		if len(p.tries.left) > mostTries {
			t.Errorf("%d tries", len(p.tries.left))
		}
	})
}
