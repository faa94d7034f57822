package tui

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/tui/prompt"
	"ccdir/tui/prompt/history"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// TestDraftKeepsItsCall: a text that is on its way when the grid is left is sent again
// by the next one as the same call, also from another directory; once it has arrived,
// the same text is another call.
func TestDraftKeepsItsCall(t *testing.T) {
	for name, leave := range map[string]func(m *model){
		"detached": func(m *model) {
			if err := m.prompt.Last(m.opts.ReadOnly); err != nil {
				t.Error(err)
			}
		},
		"killed": func(m *model) { perform(m, caused(m, m.settle)) },
	} {
		t.Run(name, func(t *testing.T) {
			file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
			grid := func() (*model, *fakeClient) {
				m, c := clientModel(t)
				m.prompt = prompt.New(prompt.Disk{Draft: file})
				perform(m, caused(m, func() { m.carryOut(ui.Prompt, m.prompt.Load(m.env())) }))
				return m, c
			}
			m, _ := grid()
			press(m, "C-b", ":", "f", "i", "x")
			if err := file.Save("fix"); err != nil { // as a moment after it was written
				t.Fatal(err)
			}
			m.key(input.Key{Name: "Enter", At: m.now()}) // it is not carried out
			if len(m.prompt.Jobs()) != 1 {
				t.Fatalf("nothing was sent: %q", m.prompt.Problem())
			}
			leave(m)
			data, err := file.LoadSent()
			var kept struct{ Session *api.NewSession }
			if err != nil || json.Unmarshal(data, &kept) != nil || kept.Session == nil {
				t.Fatalf("kept %s (%v)", data, err)
			}
			sent := kept.Session

			m, c := grid()
			shows(t, m, "what you sent last may not have arrived")
			m.opts.Dir, m.opts.Env = "/elsewhere", []string{"SSH_TTY=/dev/pts/9"}
			do(m, "C-b", ":", "Enter")
			if len(c.tried) != 1 || c.tried[0].Request != sent.Request || c.tried[0].CWD != sent.CWD || !slices.Equal(c.tried[0].Env, sent.Env) {
				t.Fatalf("sent again: %+v, before: %+v", c.tried, sent)
			}
			if err := m.prompt.Last(m.opts.ReadOnly); err != nil {
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
