package help

import (
	"strings"

	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// short are the keys that one begins with, by what one wants to do.
var short = []struct {
	heading string
	rows    []shortRow
}{
	{"Begin", []shortRow{
		{"start an agent or a command", []keymap.Action{keymap.New}},
		{"give the focused session a task, or start one with it", []keymap.Action{keymap.Prompt}},
		{"the queue: tasks that run by themselves", []keymap.Action{keymap.Queue}},
	}},
	{"When it asks, and when it is done", []shortRow{
		{"answer who asks, or go to who has waited longest", []keymap.Action{keymap.Attention}},
		{"review what it changed: comment on lines, send", []keymap.Action{keymap.Review}},
		{"read the whole conversation of the focused agent", []keymap.Action{keymap.Messages}},
		{"details: last task, answer, branch, files, state", []keymap.Action{keymap.Explain}},
		{"look back on the screen, search, select, copy", []keymap.Action{keymap.Copy}},
	}},
	{"Find your way, and leave", []shortRow{
		{"all sessions, those that need you first", []keymap.Action{keymap.List}},
		{"the pane beside (arrows, too); a click does it as well", []keymap.Action{keymap.FocusLeft, keymap.FocusDown, keymap.FocusUp, keymap.FocusRight}},
		{"a session by a few letters", []keymap.Action{keymap.Picker}},
		{"the focused pane alone, and back", []keymap.Action{keymap.Zoom}},
		{"every action and session by a few letters", []keymap.Action{keymap.Palette}},
		{"end the focused session (asks)", []keymap.Action{keymap.Kill}},
		{"leave ccdir: all sessions go on", []keymap.Action{keymap.Detach}},
		{"this page; once more: all keys", []keymap.Action{keymap.Help}},
	}},
}

// shortRow is what keys do, in a beginner's words.
type shortRow struct {
	text    string
	actions []keymap.Action
}

// shortGroups are the rows of the short page.
func shortGroups(env ui.Env) [][]row {
	var out [][]row
	for i, g := range short {
		rows := []row{{heading: g.heading}}
		if i == 0 {
			rows[0].heading += " (press " + env.Keys.Prefix() + " before each of these keys)"
		}
		for _, r := range g.rows {
			var keys []string
			for _, a := range r.actions {
				bound := env.Keys.Of(a).Keys
				keys = append(keys, bound[:min(1, len(bound))]...)
			}
			if len(keys) > 0 {
				rows = append(rows, row{keys: strings.Join(keys, " "), text: r.text, disabled: env.Keys.Of(r.actions[0]).Disabled(env.Facts)})
			}
		}
		out = append(out, rows)
	}
	return out
}
