package help

import (
	"cmp"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// row is a line of the help: a heading, or keys and what they do.
type row struct{ heading, keys, text, disabled string }

// groups are the rows that belong together: they stay in one column.
func (d dialog) groups(env ui.Env) (out [][]row) {
	if !d.all {
		return shortGroups(env)
	}
	words := strings.Fields(strings.ToLower(d.filter.String()))
	if len(words) == 0 {
		out = append(out, []row{{keys: env.Keys.Prefix(), text: "the prefix key: press it, then one of these"}})
	}
	group := ""
	for _, b := range env.Keys.Bindings() {
		if len(b.Keys) == 0 || !matches(b, words) {
			continue
		}
		if b.Group != group {
			group = b.Group
			out = append(out, []row{{heading: headingOf(b.Group)}})
		}
		keys := strings.Join(b.Keys, " ")
		if b.Action == keymap.FocusN && len(b.Keys) == 9 {
			keys = b.Keys[0] + "…" + b.Keys[8]
		}
		last := &out[len(out)-1]
		*last = append(*last, row{keys: keys, text: b.Text, disabled: b.Disabled(env.Facts)})
	}
	if rows := editing(words); len(rows) > 1 {
		out = append(out, rows)
	}
	if len(words) > 0 { // a group whose name is typed stands first
		unnamed := func(g []row) int {
			if hasWords(g[0].heading, words) {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(out, func(a, b []row) int { return cmp.Compare(unnamed(a), unnamed(b)) })
	}
	switch {
	case len(words) == 0:
		return append(out, notes(env))
	case len(out) == 0:
		return [][]row{{{text: "no key matches"}}}
	}
	return out
}

// editing are the keys of texts that match, below their heading.
func editing(words []string) []row {
	rows := []row{{heading: "Writing text (prompt bar, answers, fields)"}}
	for _, l := range edit.KeyLines() {
		if hasWords(l.Text+" writing text editing "+l.Keys, words) {
			rows = append(rows, row{keys: l.Keys, text: l.Text})
		}
	}
	return rows
}

// hasWords reports whether a text has all words, which are in lower case.
func hasWords(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// notes are what the table of keys does not say, with the signs as the terminal shows them.
func notes(env ui.Env) []row {
	signs := ""
	for _, m := range []struct {
		standing api.Standing
		text     string
	}{
		{api.StandingAsks, "needs you"}, {api.StandingFailed, "failed"}, {api.StandingDone, "done, unseen"}, {api.StandingWorking, "working"},
		{api.StandingIdle, "idle"}, {api.StandingSnoozed, "put off"}, {api.StandingEnded, "ended"},
	} {
		signs += env.Theme.Sign(m.standing) + " " + m.text + "  "
	}
	return []row{
		{heading: "Everything else"},
		{text: "All other keys, paste and the mouse go to the focused pane."},
		{text: "A click focuses a pane; the wheel goes to what is below it. Dragging a border moves it; two clicks on a frame zoom."},
		{text: "Permission is answered by the request that ccdir holds, never by keys typed into the dialog in the pane."},
		{text: strings.TrimSpace(signs)},
	}
}

// headingOf is a group, and whether its keys need the prefix key.
func headingOf(group string) string {
	if keymap.ModeOf(group) != keymap.ModePrefix {
		return group + " (without the prefix key)"
	}
	return group
}

// matches reports whether all words are in a binding's text, group, name or
// keys.
func matches(b keymap.Binding, words []string) bool {
	return hasWords(b.Text+" "+b.Group+" "+string(b.Action)+" "+strings.Join(b.Keys, " "), words)
}

// Widths of the help: of a column, and between two of them.
const (
	widest    = 72
	narrowest = 56
	gap       = 3
)

// line is a row of the help as it is drawn: long texts take several.
type line struct {
	heading, keys, text string
	dim                 bool
}

// keyWidth is the column of the keys in w columns.
func keyWidth(w int) int { return min(18, w/3) }

// linesOf are the lines of a group in w columns.
func linesOf(group []row, w int) (out []line) {
	for _, r := range group {
		text, room := r.text, w
		if r.disabled != "" {
			text += " (" + r.disabled + ")"
		}
		if r.keys != "" {
			room -= keyWidth(w)
		}
		l := line{heading: r.heading, keys: r.keys, dim: r.disabled != ""}
		parts := modal.Wrap(text, room)
		if len(parts) == 0 {
			parts = []string{""}
		}
		for _, l.text = range parts {
			out = append(out, l)
			if l.keys != "" {
				l.keys = " "
			}
			l.heading = ""
		}
	}
	return out
}

// plan is the help laid out: columns of lines, of the same width, and how many
// lines the longest has.
type plan struct {
	columns [][]line
	w, h    int // of a column
	box     paint.Rect
	room    int // lines in view
}

// plan lays the help out for a screen: in the fewest columns that hold all of it,
// else in as many as there is room for.
func (d dialog) plan(env ui.Env) plan {
	inside, room := max(1, env.Cols-4), max(1, env.Rows-3)
	most := max(1, (inside+gap)/(narrowest+gap))
	all := dialog{all: d.all}.groups(env) // typing does not move the dialog
	var p plan
	for n := 1; n <= most; n++ {
		p.w = min(widest, (inside+gap)/n-gap)
		if n == 1 {
			p.w = min(widest, inside)
		}
		if p.columns, p.h = columnsOf(all, p.w, n); p.h <= room {
			break
		}
	}
	n := len(p.columns)
	p.room = min(p.h, room)
	p.box = modal.Middle(env.Cols, env.Rows, n*(p.w+gap)-gap, p.room+1)
	if !d.filter.Empty() {
		p.columns, p.h = columnsOf(d.groups(env), p.w, n)
		if one, h := columnsOf(d.groups(env), p.w, 1); h <= p.room {
			p.columns, p.h = one, h
		}
	}
	return p
}

// columnsOf puts groups into at most n columns of w, in their order and as even
// as whole groups allow.
func columnsOf(groups [][]row, w, n int) (columns [][]line, h int) {
	var blocks [][]line
	total := 0
	for _, g := range groups {
		l := linesOf(g, w)
		blocks = append(blocks, l)
		total += len(l) + 1
		h = max(h, len(l))
	}
	for h = max(h, (total+n-1)/n-1); ; h++ {
		columns = [][]line{nil}
		for _, b := range blocks {
			last := &columns[len(columns)-1]
			switch {
			case len(*last) == 0:
				*last = append(*last, b...)
			case len(*last)+1+len(b) <= h:
				*last = append(append(*last, line{}), b...)
			default:
				columns = append(columns, append([]line(nil), b...))
			}
		}
		if len(columns) <= n {
			return columns, h
		}
	}
}
