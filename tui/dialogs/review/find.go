package review

import (
	"strings"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// find is the search.
type find struct {
	typing bool
	ed     edit.Line
	query  string // in small letters; "" is no search
	last   string // the query before
}

// typed takes a key of the search.
func (d dialog) typed(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	f := &d.find
	switch k.Name {
	case "Escape", "C-c", "C-g":
		d.find = find{}
	case "Up", "C-p":
		f.ed = edit.NewLine(f.last)
	case "Enter":
		query := f.ed.String()
		if query == "" {
			query = f.last
		}
		d.find = find{query: strings.ToLower(query)}
		if query == "" {
			return d, nil
		}
		return d.nextFound(1)
	default:
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	}
	return d, nil
}

// Paste puts text into what is searched.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	if d.find.typing {
		d.find.ed = d.find.ed.Insert(strings.Join(strings.Fields(text), " "))
	}
	return d
}

// nextFound goes to the next row that has what is searched for, round and round.
func (d dialog) nextFound(by int) (ui.Component, []ui.Effect) {
	n := len(d.rows)
	for step := 1; step <= n; step++ {
		at := ((d.cursor+by*step)%n + n) % n
		if !d.has(d.rows[at], d.find.query) {
			continue
		}
		var effects []ui.Effect
		if (at-d.cursor)*by <= 0 {
			effects = []ui.Effect{ui.Say{Text: "the search went on at the other end"}}
		}
		return d.into(at), effects
	}
	return d, []ui.Effect{ui.Warn{Text: "nothing of what is unfolded has " + textsafe.Cut(textsafe.Line(d.find.query), 40)}}
}

// has reports whether a row has a text, in small letters.
func (d dialog) has(r row, text string) bool {
	switch r.kind {
	case rowFile:
		f := d.diff.Files[r.file]
		return strings.Contains(strings.ToLower(f.Path), text) || strings.Contains(strings.ToLower(f.OldPath), text)
	case rowNoteText:
		return strings.Contains(strings.ToLower(d.notes[r.old][r.now]), text)
	case rowLine:
		for _, n := range []int32{r.old, r.now} {
			if l := d.lineOf(r, n); l != nil && strings.Contains(strings.ToLower(l.Text), text) {
				return true
			}
		}
	}
	return false
}
