package review

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/copymode"
	"ccdir/tui/ui"
)

// copied puts the line, the marked ones or the name of the file into the clipboard.
func (d dialog) copied() (ui.Component, []ui.Effect) {
	from, to := d.marked()
	var text strings.Builder
	n := 0
	for i := from; i <= to; i++ {
		r, _ := d.row(i)
		if r.skip > 0 && i > from {
			continue // its line is there
		}
		l := d.lineOf(r, r.now)
		if l == nil {
			l = d.lineOf(r, r.old)
		}
		if l != nil {
			text.WriteString(l.Text + "\n")
			n++
		}
	}
	d.mark = -1
	switch {
	case n == 0:
		if c := d.noteHere(); c != nil {
			return d, []ui.Effect{ui.Copy{Text: c.Text}}
		}
		return d, []ui.Effect{ui.Copy{Text: d.fileAt(d.cursor).Path}}
	case n == 1:
		return d, []ui.Effect{ui.Copy{Text: strings.TrimSuffix(text.String(), "\n")}}
	}
	return d, []ui.Effect{ui.Copy{Text: text.String()}}
}

// editor opens the file at the cursor in the person's editor, at the line.
func (d dialog) editor(env ui.Env) []ui.Effect {
	f, v := d.fileAt(d.cursor), env.Session(d.id)
	switch {
	case f == nil:
		return nil
	case v == nil:
		return []ui.Effect{ui.Warn{Text: "the session is gone"}}
	case v.Node != "":
		return []ui.Effect{ui.Warn{Text: "its files are on " + textsafe.Line(v.Node) + ": open the editor there"}}
	case f.Status == api.FileRemoved:
		return []ui.Effect{ui.Warn{Text: textsafe.Line(f.Path) + " was removed: there is nothing to edit"}}
	}
	return []ui.Effect{copymode.EditFile(env, v.CWD, f.Path, d.lineHere())}
}

// lineHere is the number of the cursor's line in the file as it is now, at least 1.
func (d dialog) lineHere() int {
	r, _ := d.row(d.cursor)
	switch r.kind {
	case rowFile, rowNote, rowGap:
		return 1
	case rowHunk:
		return max(1, d.diff.Files[r.file].Hunks[r.hunk].NewStart)
	}
	for i := d.cursor; i >= 0 && (d.rows[i].kind == rowLine || d.rows[i].kind == rowNoteText); i-- { // a removed line is behind the one before
		if now := d.rows[i].nowNo; now > 0 {
			return int(now)
		}
	}
	if f := d.fileAt(d.cursor); f != nil && int(r.hunk) < len(f.Hunks) {
		return max(1, f.Hunks[r.hunk].NewStart)
	}
	return 1
}
