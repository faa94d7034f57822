package history

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
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Content lists what has ended, or what a search has found in it.
func (d rows) Content(env ui.Env, v listbox.View) listbox.Content {
	c := listbox.Content{
		Title: "history", Hint: "search conversations, tasks, transcripts, events and running sessions", Searches: true, Problem: d.problem,
		Loading: d.busy != "", Empty: "Nothing has ended yet. Sessions and tasks that end are kept here with what they showed.",
		Keys: []keymap.Named{keymap.ViewOpen.As("read"), keymap.HistorySearch.As("search"), keymap.HistoryResume.As("go on with it"),
			keymap.HistoryDetail.As("details"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.HistoryResume.As("go on with it")},
		Detail:     func(id string, w int) []string { return d.detailLines(env, id, w) },
		Marks:      strings.Fields(strings.ToLower(d.searched)),
	}
	switch {
	case d.busy != "":
		frame, _ := modal.Spin(env.Now)
		c.Busy = frame + " " + d.busy + "   Esc cancels"
	case d.searched != "":
		c.Title = fmt.Sprintf("history · %s with %s", format.Plural(d.places(), "place", "places"), textsafe.Line(d.searched))
		c.Empty = "Nothing has all these words: Esc lists what has ended. The last word may be the beginning of one."
		c.Keys[4].Word = "all again"
	case !v.Query.Empty():
		c.Empty = "Enter searches conversations, tasks, transcripts, events and running sessions for it."
	}
	if d.searched != "" {
		for i, h := range d.hits {
			c.Items = append(c.Items, listbox.Item{ID: hitID(i, h), Line: func(w int) string { return d.hitRow(env, h, w) }})
		}
		return c
	}
	for _, e := range api.HistoryRows(d.entries) {
		c.Items = append(c.Items, listbox.Item{ID: entryID(e), Line: func(w int) string { return entryRow(env, e, w) }})
	}
	return c
}

// places is how many places were found.
func (d rows) places() (n int) {
	for _, h := range d.hits {
		if h.Kind != api.HitLeftOut {
			n++
		}
	}
	return n
}

func hitID(i int, h api.SearchHit) string { return strconv.Itoa(i) + " " + h.Kind + " " + h.ID }

// entryID tells entries apart: a session that was started again has several.
func entryID(e api.HistoryEntry) string {
	return e.Kind + " " + e.ID + " " + strconv.FormatInt(e.Ended.UnixNano(), 36)
}

// entryRow is a row: when, what, its name, how it ended, how long it took, what
// it was about.
func entryRow(env ui.Env, e api.HistoryEntry, w int) string {
	dim := theme.FG(env.Theme.Dim)
	state, st := e.State, dim
	switch {
	case e.ExitCode != nil && *e.ExitCode != 0:
		state, st = fmt.Sprintf("%s %d", state, *e.ExitCode), theme.FG(env.Theme.Alert)
	case e.State == string(api.StateLost) || e.State == string(api.TaskFailed) || e.State == string(api.TaskTimedOut):
		st = theme.FG(env.Theme.Alert)
	case e.State == string(api.TaskDone):
		st = theme.FG(env.Theme.Idle)
	}
	name := e.Name
	if e.Kind == "task" {
		name = strings.TrimSpace(e.ID + " " + e.Name)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
	return modal.Columns(w, modal.Column(format.Clock(env.Now, e.Ended), format.ClockWidth, dim), modal.Column(e.Kind, 7, dim), modal.Column(textsafe.Line(name), lists.NameWidth, cells.Style{Attrs: cells.Bold}),
		modal.Column(textsafe.Line(state), 10, st), modal.Column(fmt.Sprintf("%7s", format.Took(e.Ended.Sub(e.Started))), 7, dim),
		modal.Column(cmp.Or(textsafe.Line(first), format.Home(textsafe.Line(e.CWD), env.Home)), 0, cells.Style{}))
}

// hitKindWidth is the width of what was found: the number of a turn and a part of it. Below
// narrow columns a row has no room for that.
const (
	hitKindWidth = 11
	narrow       = 60
)

// hitRow is a row: when, where, and the line that was found.
func (d rows) hitRow(env ui.Env, h api.SearchHit, w int) string {
	dim := theme.FG(env.Theme.Dim)
	name := h.ID
	if h.Kind != "task" {
		id := cmp.Or(h.Session, h.ID)
		name = cmp.Or(h.Name, env.SessionName(id))
	}
	at, kind, st := format.Clock(env.Now, h.At), h.Kind, cells.Style{}
	switch kind {
	case api.HitPane:
		at = "now"
	case api.HitTurn:
		kind = fmt.Sprintf("%d %s", h.Turn, h.Part)
	case api.HitLeftOut:
		at, kind, st = "", "pane", theme.FG(env.Theme.Alert)
		if h.Session == "" {
			kind, name = "index", ""
		}
	}
	line := textsafe.Line(strings.TrimSpace(h.Line))
	if w < narrow {
		return modal.Columns(w, modal.Column(textsafe.Line(name), lists.NameWidth, cells.Style{Attrs: cells.Bold}), modal.Column(line, 0, st))
	}
	return modal.Columns(w, modal.Column(at, format.ClockWidth, dim), modal.Column(kind, hitKindWidth, dim), modal.Column(textsafe.Line(name), lists.NameWidth, cells.Style{Attrs: cells.Bold}),
		modal.Column(line, 0, st))
}

// detailLines are what is known of a row.
func (d rows) detailLines(env ui.Env, row string, w int) []string {
	p, _ := d.at(row)
	th := env.Theme
	if p.kind == "task" {
		if d.task == nil || d.task.ID != p.id {
			return []string{"asking the daemon…"}
		}
		return append(lists.TaskLines(env, *d.task, w), d.attemptLines(th, p.id, w)...)
	}
	var out []string
	add := func(label, text string, st cells.Style) {
		out = append(out, modal.Labelled(th, w, label, textsafe.Block(text), st)...)
	}
	for i, h := range d.hits {
		if d.searched != "" && hitID(i, h) == row {
			add("found", h.Line, cells.Style{})
			if h.Kind == api.HitTurn {
				add("turn", fmt.Sprintf("%d, %s", h.Turn, h.Part), cells.Style{})
			}
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
		add("directory", format.Home(e.CWD, env.Home), cells.Style{})
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

// attemptLines are the sessions of a task, the last one first.
func (d rows) attemptLines(th *theme.Theme, task string, w int) (out []string) {
	for _, e := range d.entries {
		if e.Kind != "session" || e.Task != task {
			continue
		}
		state := e.State
		if e.ExitCode != nil {
			state += fmt.Sprintf(" with %d", *e.ExitCode)
		}
		text := fmt.Sprintf("%s %s, %s at %s: `ccdir history %[2]s`", e.Name, e.ID, state, e.Ended.Local().Format(time.TimeOnly))
		out = append(out, modal.Labelled(th, w, "session", textsafe.Block(text), theme.FG(th.Dim))...)
	}
	return out
}
