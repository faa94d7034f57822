package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

func (d pastDialog) list() listbox.View             { return d.view }
func (d pastDialog) with(v listbox.View) listDialog { d.view = v; return d }
func (d pastDialog) mode() keymap.Mode              { return keymap.ModeHistory }
func (d pastDialog) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawListDialog(d, s, sc)
}
func (d pastDialog) paste(m *model, text string) { listPaste(m, d, text) }

func (d pastDialog) key(m *model, k input.Key) cmd {
	switch {
	case k.Name == "C-c" && d.busy != "":
		d = d.cancelled()
		d.problem = "cancelled"
		m.overlay = d
		return nil
	case k.Name == "C-c":
		d.cancelled()
	case k.Name == "Escape" && d.view.Typing:
		d.view.Typing, d.view.Query = false, edit.Line{}
		return d.search(m)
	}
	return listKey(m, d, k)
}

func (d pastDialog) content(sc *scene) listbox.Content {
	c := listbox.Content{
		Title: "history", Hint: "search prompts, results, transcripts and events", Searches: true, Problem: d.problem,
		Loading: d.busy != "", Empty: "Nothing has ended yet. Sessions and tasks that end are kept here with what they showed.",
		Keys: []keymap.Named{keymap.ViewOpen.As("read"), keymap.HistorySearch.As("search"), keymap.HistoryResume.As("go on with it"),
			keymap.HistoryDetail.As("details"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.HistoryResume.As("go on with it")},
		Detail:     func(id string, w int) []string { return d.detailLines(sc, id, w) },
		Marks:      strings.Fields(strings.ToLower(d.searched)),
	}
	switch {
	case d.busy != "":
		frame, _ := modal.Spin(sc.Now)
		c.Busy = frame + " " + d.busy + "   Esc cancels"
	case d.searched != "":
		c.Title = fmt.Sprintf("history · %s with %s", format.Plural(len(d.hits), "place", "places"), textsafe.Line(d.searched))
		c.Empty = "Nothing has all these words: Esc lists what has ended. The last word may be the beginning of one."
		c.Keys[4].Word = "all again"
	}
	if d.searched != "" {
		for i, h := range d.hits {
			c.Items = append(c.Items, listbox.Item{ID: hitID(i, h), Line: func(w int) string { return hitRow(sc, h, w) }})
		}
		return c
	}
	for _, e := range d.entries {
		c.Items = append(c.Items, listbox.Item{ID: entryID(e), Line: func(w int) string { return entryRow(sc, e, w) }})
	}
	return c
}

func hitID(i int, h api.SearchHit) string { return strconv.Itoa(i) + " " + h.Kind + " " + h.ID }

// entryID tells entries apart: a session that was started again has several.
func entryID(e api.HistoryEntry) string {
	return e.Kind + " " + e.ID + " " + strconv.FormatInt(e.Ended.UnixNano(), 36)
}

// entryRow is a row: when, what, its name, how it ended, how long it took, what
// it was about.
func entryRow(sc *scene, e api.HistoryEntry, w int) string {
	dim := theme.FG(sc.Theme.Dim)
	state, st := e.State, dim
	switch {
	case e.ExitCode != nil && *e.ExitCode != 0:
		state, st = fmt.Sprintf("%s %d", state, *e.ExitCode), theme.FG(sc.Theme.Alert)
	case e.State == string(api.StateLost) || e.State == string(api.TaskFailed) || e.State == string(api.TaskTimedOut):
		st = theme.FG(sc.Theme.Alert)
	case e.State == string(api.TaskDone):
		st = theme.FG(sc.Theme.Idle)
	}
	name := e.Name
	if e.Kind == "task" {
		name = strings.TrimSpace(e.ID + " " + e.Name)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
	return modal.Columns(w, modal.Column(format.Clock(sc.Now, e.Ended), format.ClockWidth, dim), modal.Column(e.Kind, 7, dim), modal.Column(textsafe.Line(name), nameWidth, cells.Style{Attrs: cells.Bold}),
		modal.Column(textsafe.Line(state), 10, st), modal.Column(fmt.Sprintf("%7s", format.Took(e.Ended.Sub(e.Started))), 7, dim),
		modal.Column(cmp.Or(textsafe.Line(first), format.Home(textsafe.Line(e.CWD), sc.Home)), 0, cells.Style{}))
}

// hitRow is a row: when, where, and the line that was found.
func hitRow(sc *scene, h api.SearchHit, w int) string {
	dim := theme.FG(sc.Theme.Dim)
	name := h.ID
	if h.Kind != "task" {
		name = sc.SessionName(cmp.Or(h.Session, h.ID))
	}
	return modal.Columns(w, modal.Column(format.Clock(sc.Now, h.At), format.ClockWidth, dim), modal.Column(h.Kind, 7, dim), modal.Column(textsafe.Line(name), nameWidth, cells.Style{Attrs: cells.Bold}),
		modal.Column(textsafe.Line(strings.TrimSpace(h.Line)), 0, cells.Style{}))
}

// detailLines are what is known of a row.
func (d pastDialog) detailLines(sc *scene, row string, w int) []string {
	p, _ := d.at(row)
	th := sc.Theme
	if p.kind == "task" {
		if d.task == nil || d.task.ID != p.id {
			return []string{"asking the daemon…"}
		}
		return resultLines(th, *d.task, w)
	}
	var out []string
	add := func(label, text string, st cells.Style) {
		out = append(out, modal.Labelled(th, w, label, textsafe.Block(text), st)...)
	}
	for i, h := range d.hits {
		if d.searched != "" && hitID(i, h) == row {
			add("found", h.Line, cells.Style{})
			add("at", h.At.Local().Format(time.DateTime), cells.Style{})
			add(h.Kind, h.ID, cells.Style{})
		}
	}
	for _, e := range d.entries {
		if e.Kind != "session" || e.ID != p.of() {
			continue
		}
		add("session", e.Name+" "+e.ID, cells.Style{Attrs: cells.Bold})
		add("agent", e.Agent, cells.Style{})
		add("directory", format.Home(e.CWD, sc.Home), cells.Style{})
		state := e.State
		if e.ExitCode != nil {
			state += fmt.Sprintf(" with %d", *e.ExitCode)
		}
		add("ended", e.Ended.Local().Format(time.DateTime)+", "+state+", after "+format.Took(e.Ended.Sub(e.Started)), cells.Style{})
		add("task", e.Task, cells.Style{})
		add("conversation", cmp.Or(e.Conversation, "not known: it can't be gone on with"), theme.FG(th.Dim))
		add("transcript", fmt.Sprintf("%.1f KiB, compressed", float64(e.Bytes)/1024), theme.FG(th.Dim))
		add("last prompt", e.Text, cells.Style{})
		break
	}
	return out
}
