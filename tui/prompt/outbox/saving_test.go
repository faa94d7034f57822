package outbox

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// onDisk is an outbox whose drafts are in a file.
func onDisk(t *testing.T, file history.Draft) *rig {
	r := newRig(t)
	*r.Outbox = New(file)
	return r
}

// kept fails unless that text is on disk, with or without ids.
func kept(t *testing.T, file history.Draft, text string, ids bool) {
	t.Helper()
	got, err := file.Load()
	sent, sentErr := file.LoadSent()
	if got != text || err != nil || len(sent) > 0 != ids || sentErr != nil {
		t.Errorf("on disk is %q with %q, want %q (%v, %v)", got, sent, text, err, sentErr)
	}
}

// load takes what is on disk, and returns the text.
func (r *rig) load() (text edit.Buffer, unsure bool) {
	r.t.Helper()
	for _, e := range r.Load(r.env) {
		res, err := e.(ui.Call).Run(r.t.Context(), r.cl)
		if err != nil {
			r.t.Fatal(err)
		}
		text, unsure, _ = r.Restore(res.Value.(Loaded))
	}
	return text, unsure
}

// TestSavedAfterAMoment: a text is on disk a moment after its first edit, one save at a
// time, and is forgotten a moment after it has arrived.
func TestSavedAfterAMoment(t *testing.T) {
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	r := onDisk(t, file)
	text := edit.New("fix")
	if r.do(r.Keep(r.env, text)); !r.NextWake(r.env, text).Equal(r.env.Now.Add(saveAfter)) {
		t.Errorf("due at %v", r.NextWake(r.env, text))
	}
	kept(t, file, "", false)
	r.env.Now = r.env.Now.Add(saveAfter)
	text = text.Insert(" it")
	save := r.Keep(r.env, text)
	text = text.Insert("!")
	if r.env.Now = r.env.Now.Add(saveAfter); len(save) != 1 || len(r.Keep(r.env, text)) > 0 || !r.NextWake(r.env, text).IsZero() {
		t.Error("two saves at once")
	}
	r.do(save)
	kept(t, file, "fix it", false)
	r.do(r.Keep(r.env, text))
	r.env.Now = r.env.Now.Add(saveAfter)
	r.do(r.Keep(r.env, text))
	kept(t, file, "fix it!", false)

	deliver := r.Send(Entry{Draft: text, Text: text.String()}, to("a"), "")
	r.do(r.Keep(r.env, edit.Buffer{}))
	kept(t, file, "fix it!", true) // as long as it may be needed
	r.do(deliver)
	r.env.Now = r.env.Now.Add(saveAfter)
	r.do(r.Keep(r.env, edit.Buffer{}))
	kept(t, file, "", false)
}

// TestNextGridGoesOn: what is on its way when the grid is killed or left is in the next
// grid's bar, and sent from there it is the same call.
func TestNextGridGoesOn(t *testing.T) {
	sends := map[string]func(r *rig, text edit.Buffer) []ui.Effect{
		"session": func(r *rig, text edit.Buffer) []ui.Effect {
			return r.Send(Entry{Draft: text, Text: text.String()}, to("a"), "")
		},
		"new session": func(r *rig, text edit.Buffer) []ui.Effect {
			return r.Create(Entry{Draft: text, Text: text.String()}, api.NewSession{Prompt: text.String(), CWD: t.TempDir()}, 0)
		},
		"queue": func(r *rig, text edit.Buffer) []ui.Effect {
			return r.Queue(Entry{Draft: text, Text: text.String()}, api.NewTask{Prompt: text.String(), CWD: t.TempDir()})
		},
		"later": func(r *rig, text edit.Buffer) []ui.Effect {
			return r.SendLater(Entry{Draft: text, Text: text.String()}, "a", "A")
		},
	}
	for name, send := range sends {
		for how, leave := range map[string]func(r *rig) error{
			"killed": func(r *rig) error { r.do(r.Keep(r.env, edit.Buffer{})); return nil },
			"ended":  func(r *rig) error { return r.Last(edit.Buffer{}, false) },
			"left":   func(r *rig) error { return r.Leaving(edit.Buffer{}, false)() },
			"fate unknown": func(r *rig) error {
				r.c.fails(errUnsure)
				r.do(send(r, edit.New("fix")))
				return r.Last(r.last().Draft, false)
			},
		} {
			file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
			r := onDisk(t, file)
			r.cl = keeper{client: r.c}
			if err := file.Save("fix"); err != nil { // as a moment after it was written
				t.Fatal(err)
			}
			calls := send(r, edit.New("fix"))
			if how == "fate unknown" {
				r = onDisk(t, file)
				r.cl = keeper{client: r.c}
				calls = nil
			}
			if err := leave(r); err != nil {
				t.Error(err)
			}
			kept(t, file, "fix", true)
			r.c.fails(nil)
			r.do(calls)

			next := onDisk(t, file)
			next.cl = keeper{client: next.c}
			text, unsure := next.load()
			if text.String() != "fix" || !unsure {
				t.Errorf("%s, %s: %q is back, unsure %t", name, how, text.String(), unsure)
			}
			next.do(send(next, text))
			if id := r.c.ids[0]; next.c.ids[0] != id {
				t.Errorf("%s, %s: sent as %s, and as %s", name, how, id, next.c.ids[0])
			}
			if err := next.Last(edit.Buffer{}, false); err != nil {
				t.Error(err)
			}
			kept(t, file, "", false)
		}
	}
}

// TestRestoreIsLate: what was written or sent before the file was read stays.
func TestRestoreIsLate(t *testing.T) {
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	if err := file.Save("old"); err != nil {
		t.Fatal(err)
	}
	r := onDisk(t, file)
	r.Keep(r.env, edit.New("new"))
	if text, _ := r.load(); !text.Empty() {
		t.Errorf("%q over a newer text", text.String())
	}
	r = onDisk(t, file)
	r.Send(entry("new"), to("a"), "")
	if text, _ := r.load(); !text.Empty() {
		t.Errorf("%q over one that is sent", text.String())
	}
	r = onDisk(t, file)
	if text, unsure := r.load(); text.String() != "old" || unsure {
		t.Errorf("%q is back, unsure %t", text.String(), unsure)
	}
}

// TestDiskFails: a text that cannot be kept is said to be so, and counts as unkept until
// it is; a grid that only looks keeps nothing.
func TestDiskFails(t *testing.T) {
	block := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(block, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := onDisk(t, history.Draft{File: filepath.Join(block, "draft")})
	text := edit.New("fix")
	if r.Leaving(edit.Buffer{}, false) != nil || r.Leaving(text, true) != nil {
		t.Error("there was nothing to keep")
	}
	r.Keep(r.env, text)
	r.env.Now = r.env.Now.Add(saveAfter)
	call := r.Keep(r.env, text)[0].(ui.Call)
	res, err := call.Run(t.Context(), nil)
	if warns := call.Failed(r.env, err); err == nil || len(warns) != 1 {
		t.Fatalf("%v, %v", err, warns)
	}
	r.take(res.Value, err)
	save := r.Leaving(text, false)
	if save == nil || save() == nil || r.Last(text, false) == nil {
		t.Error("it is taken for kept")
	}
	if err := r.Last(text, true); err != nil {
		t.Error(err)
	}
	if r.Kept(text.Edits()); r.Leaving(text, false) != nil {
		t.Error("kept, and not")
	}
	r.env.ReadOnly = true
	if r.Load(r.env) != nil || r.Keep(r.env, edit.New("x")) != nil || !r.NextWake(r.env, edit.New("x")).IsZero() {
		t.Error("a grid that only looks uses the file")
	}
}
