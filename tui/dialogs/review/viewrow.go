package review

import (
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/hunks"
	"ccdir/tui/widget/syntax"
	"ccdir/tui/widget/theme"
)

// pen draws rows of one view.
type pen struct {
	d        dialog
	th       *theme.Theme
	s        *paint.Surface
	at       paint.Rect
	from, to int // rows that are marked
}

func (d dialog) pen(env ui.Env, s *paint.Surface, at paint.Rect) pen {
	p := pen{d: d, th: env.Theme, s: s, at: at, from: -1, to: -1}
	if d.mark >= 0 {
		p.from, p.to = d.marked()
	}
	return p
}

// row draws row n at line y of the screen.
func (p pen) row(n, y int) {
	r := p.d.rows[n]
	x, w := p.at.X+gutter, p.at.W-gutter
	switch r.kind {
	case rowFile:
		p.head(r, x, y, w)
	case rowNote:
		p.s.Text(x+2, y, w-2, paint.Cut(note(p.d.diff.Files[r.file]), w-2), theme.FG(p.th.Dim))
	case rowHunk:
		h := p.d.diff.Files[r.file].Hunks[r.hunk]
		p.s.Text(x, y, w, fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines), theme.FG(p.th.Hook))
	case rowLine:
		p.lines(r, x, y, w)
	case rowNoteText:
		c := p.d.comments[r.old]
		p.s.Text(x+noteIndent-2, y, 1, "┃", theme.FG(noteColor(p.th, c)))
		st := cells.Style{}
		if r.now == 0 {
			st.Attrs = cells.Bold
		}
		p.s.Text(x+noteIndent, y, w-noteIndent, p.d.notes[r.old][r.now], st)
	}
	switch {
	case n == p.d.cursor:
		p.s.Text(p.at.X, y, 1, "❯", theme.Bold(p.th.Input))
	case n >= p.from && n <= p.to:
		p.s.Text(p.at.X, y, 1, "▌", theme.FG(p.th.Input))
	}
}

// head draws the head of a file.
func (p pen) head(r row, x, y, w int) {
	f := p.d.diff.Files[r.file]
	sign := "▾ "
	if p.d.isFolded(&f) {
		sign = "▸ "
	}
	end := x + w
	x += p.s.Text(x, y, w, sign, theme.FG(p.th.Dim))
	about := headWords(f)
	if p.d.scope == api.DiffPlan {
		about = ""
	}
	room := end - x
	if n := paint.Width(about); n > 0 {
		room = max(room/2, room-n-2)
	}
	name := textsafe.Line(f.Path)
	x += p.s.Text(x, y, room, paint.CutMiddle(name, room), theme.Bold(p.th.Accent))
	if about != "" {
		p.s.Text(x+2, y, max(0, end-x-2), paint.Cut(about, max(0, end-x-2)), theme.FG(p.th.Dim))
	}
}

// headWords are what the head of a file says beside its name.
func headWords(f api.ReviewFile) string {
	var parts []string
	if c := counts(f); c != "" {
		parts = append(parts, c)
	}
	switch {
	case f.OldPath != "":
		parts = append(parts, "was "+textsafe.Line(f.OldPath))
	case f.Status == api.FileAdded:
		parts = append(parts, "new")
	case f.Status == api.FileRemoved:
		parts = append(parts, "removed")
	}
	if mode := modes(f); mode != "" {
		parts = append(parts, mode)
	}
	if f.Viewed {
		parts = append(parts, "viewed")
	}
	switch {
	case f.Binary:
		parts = append(parts, "binary")
	case f.LeftOut != "":
		parts = append(parts, leftOut(f.LeftOut))
	}
	return strings.Join(parts, " · ")
}

// modes is what a file's modes say, in words where there are some.
func modes(f api.ReviewFile) string {
	word := func(mode string) string {
		switch mode {
		case "100644":
			return "plain"
		case "100755":
			return "executable"
		case "120000":
			return "link"
		case "160000":
			return "submodule"
		case "":
			return "plain"
		}
		return textsafe.Line(mode)
	}
	switch {
	case f.Mode == "" && f.OldMode == "":
		return ""
	case f.Status == api.FileAdded || f.Mode == f.OldMode:
		return word(f.Mode)
	case f.Status == api.FileRemoved:
		return word(f.OldMode)
	}
	return word(f.OldMode) + " → " + word(f.Mode)
}

// leftOut says why a file's lines are not here.
func leftOut(reason string) string {
	switch reason {
	case api.LeftOutGenerated:
		return "written by a program, folded"
	case api.LeftOutLarge:
		return "too large"
	case api.LeftOutTotal:
		return "folded: the files before it are many lines"
	case api.LeftOutUnreadable:
		return "could not be read"
	case api.LeftOutNoFile:
		return "no regular file"
	case api.LeftOutLate:
		return "not known: it was read too late"
	}
	return textsafe.Line(reason)
}

// note says why an unfolded file has no lines.
func note(f api.ReviewFile) string {
	switch {
	case f.Binary:
		return "binary: its lines are not compared"
	case f.LeftOut != "":
		return leftOut(f.LeftOut)
	case f.Status == api.FileRenamed:
		return "renamed, its text is the same"
	case f.Mode != f.OldMode && f.Status == api.FileChanged:
		return "its text is the same"
	}
	return "it is empty"
}

// lines draws a row of lines: one, or two side by side.
func (p pen) lines(r row, x, y, w int) {
	old, now := int(r.oldNo), int(r.nowNo)
	if p.d.scope == api.DiffPlan {
		if r.skip == 0 {
			p.number(x, y, now)
		}
		p.line(r, max(r.now, r.old), nil, x+p.d.digits, y, w-p.d.digits)
		return
	}
	if !p.d.layout.split {
		n := r.now
		partner := p.d.lineOf(r, r.pair)
		if n < 0 {
			n = r.old
		}
		p.number(x, y, old)
		p.number(x+p.d.digits+1, y, now)
		used := 2 * (p.d.digits + 1)
		p.line(r, n, partner, x+used, y, w-used)
		return
	}
	half := (w - 1) / 2
	used := p.d.digits + 1
	changed := r.old != r.now && !p.d.plain()
	if l := p.d.lineOf(r, r.old); l != nil {
		var partner *api.ReviewLine
		if changed {
			partner = p.d.lineOf(r, r.now)
		}
		p.number(x, y, old)
		p.line(r, r.old, partner, x+used, y, half-used)
	}
	p.s.Text(x+half, y, 1, "│", theme.FG(p.th.Dim))
	x += half + 1
	if l := p.d.lineOf(r, r.now); l != nil {
		var partner *api.ReviewLine
		if changed {
			partner = p.d.lineOf(r, r.old)
		}
		p.number(x, y, now)
		p.line(r, r.now, partner, x+used, y, w-half-1-used)
	}
}

// number draws the number of a line, nothing for 0.
func (p pen) number(x, y, n int) {
	if n > 0 {
		p.s.Text(x, y, p.d.digits, fmt.Sprintf("%*d", p.d.digits, n), theme.FG(p.th.Dim))
	}
}

// line draws a line of a hunk. partner is what it was or became, nil if it is nothing.
func (p pen) line(r row, n int32, partner *api.ReviewLine, x, y, w int) {
	l := p.d.lineOf(r, n)
	if w < 3 {
		return
	}
	sign, base, word := " ", cells.Style{}, cells.Style{}
	signStyle := theme.FG(p.th.Dim)
	var spans []hunks.Span
	switch {
	case p.d.scope == api.DiffPlan:
	case l.Kind == api.LineAdded:
		sign, base, word, signStyle = "+", p.th.Added, p.th.AddedWord, theme.Bold(p.th.Idle)
		if partner != nil {
			_, spans = hunks.Words(partner.Text, l.Text)
		}
	case l.Kind == api.LineRemoved:
		sign, base, word, signStyle = "−", p.th.Removed, p.th.RemovedWord, theme.Bold(p.th.Alert)
		if partner != nil {
			spans, _ = hunks.Words(l.Text, partner.Text)
		}
	}
	if base.BG != cells.DefaultColor {
		p.s.Fill(paint.Rect{X: x + 1, Y: y, W: w - 1, H: 1}, base)
	}
	p.s.Text(x, y, 1, sign, signStyle)
	t := text{s: p.s, x: x + 2, y: y, w: w - 2, left: p.d.left}
	if r.cols > 0 {
		t.w, t.left = min(t.w, int(r.cols)), int(r.skip)
	}
	var parts []syntax.Part
	if base.FG == cells.DefaultColor {
		parts = p.d.paint.of(r.file, r.hunk, n)
	}
	t.draw(l.Text, parts, spans, func(k syntax.Kind, marked bool) cells.Style {
		st := base
		if marked {
			st = word
			st.Attrs |= cells.Bold
			return st
		}
		if c := kindColor(p.th, k); c != cells.DefaultColor && st.FG == cells.DefaultColor {
			st.FG = c
		}
		return st
	})
	if l.NoNewline {
		t.more(" (no newline at the end)", theme.FG(p.th.Dim))
	}
}

// kindColor is the colour of a part of a program's text.
func kindColor(th *theme.Theme, k syntax.Kind) cells.Color {
	switch k {
	case syntax.Keyword:
		return th.Hook
	case syntax.Type:
		return th.Accent
	case syntax.Function:
		return th.Accent
	case syntax.String:
		return th.Idle
	case syntax.Number:
		return th.Input
	case syntax.Comment:
		return th.Dim
	}
	return cells.DefaultColor
}

// noteColor is the colour of what became of a comment.
func noteColor(th *theme.Theme, c api.ReviewComment) cells.Color {
	switch c.State {
	case api.CommentDraft, api.CommentUntouched:
		return th.Input
	case api.CommentSent:
		return th.Working
	}
	return th.Idle
}
