package theme

import "ccdir/internal/grid"

// FG is text in a colour.
func FG(c grid.Color) grid.Style { return grid.Style{FG: c} }

// Bold is bold text in a colour.
func Bold(c grid.Color) grid.Style { return grid.Style{FG: c, Attrs: grid.Bold} }

// Selected is how selected text looks: the other way round, whatever it was.
func Selected(st grid.Style) grid.Style {
	st.Attrs ^= grid.Inverse
	return st
}
