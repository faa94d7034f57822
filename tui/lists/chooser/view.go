package chooser

import (
	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/theme"
)

// Sizes of the dialog.
const (
	width = 76
	most  = 14
)

// inside is the width of the dialog's inside: a menu is as wide as its choices.
func (m Menu) inside() int {
	if m.Source != nil {
		return width
	}
	w := max(paint.Width(m.Title)+4, 40)
	for _, p := range m.Picks {
		w = max(w, paint.Width(p.Text)+paint.Width(p.Detail)+paint.Width(p.Keys)+12)
	}
	return min(w, width)
}

// Content lists what matches the filter.
func (m Menu) Content(env ui.Env, v listbox.View) listbox.Content {
	c := listbox.Content{
		Title: m.Title, Hint: "type a part of it", Empty: "there is nothing to choose",
		Menu: true, Direct: true, Ranked: true, Width: m.inside(), All: len(m.all(env)), Most: most,
	}
	for _, p := range m.Matching(env, v.Query.String()) {
		switch {
		case p.Name() != v.ID:
		case p.Disabled != "":
			c.Says = "not now: " + p.Disabled
		default:
			c.Says = p.Says
		}
		c.Items = append(c.Items, listbox.Item{ID: p.Name(), Key: p.Key, Paint: func(s *paint.Surface, r paint.Rect, chosen bool) { drawPick(s, env, r, p) }})
	}
	if m.At != nil {
		w, h := min(c.Width+4, env.Cols), min(c.All+4, env.Bottom)
		c.At = paint.Rect{X: max(0, min(m.At.X, env.Cols-w)), Y: max(0, min(m.At.Y, env.Bottom-h)), W: w, H: h}
	}
	return c
}

func drawPick(s *paint.Surface, env ui.Env, r paint.Rect, c Pick) {
	text, dim := cells.Style{}, theme.FG(env.Theme.Dim)
	if c.Disabled != "" {
		text = dim
	}
	x, end := r.X, r.X+r.W
	if c.Standing != "" {
		s.Text(x, r.Y, 4, env.Sign(c.Standing), theme.Bold(env.Theme.Standing(c.Standing)))
		x += 5
	}
	if c.Key != "" {
		x += s.Text(x, r.Y, end-x, "["+c.Key+"] ", theme.Bold(env.Theme.Accent))
	}
	if w := paint.Width(c.Keys); w > 0 && w < r.W/2 {
		s.Text(end-w, r.Y, w, c.Keys, dim)
		end -= w + 2
	}
	if x >= end {
		return
	}
	x += s.Text(x, r.Y, end-x, paint.Cut(c.Text, end-x), text)
	if c.Detail != "" && c.Standing != "" && x+4 < end {
		s.Text(x+2, r.Y, end-x-2, paint.Cut(c.Detail, end-x-2), dim)
	}
}
