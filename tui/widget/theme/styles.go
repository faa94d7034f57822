package theme

import (
	"ccdir/api"
	"ccdir/internal/cells"
)

// FG is text in a colour.
func FG(c cells.Color) cells.Style { return cells.Style{FG: c} }

// Bold is bold text in a colour.
func Bold(c cells.Color) cells.Style { return cells.Style{FG: c, Attrs: cells.Bold} }

// Selected is how selected text looks: the other way round, whatever it was.
func Selected(st cells.Style) cells.Style {
	st.Attrs ^= cells.Inverse
	return st
}

// Choice is the sign of a row that is chosen together with others, or is not. It is none of
// the signs of states.
func (t *Theme) Choice(chosen bool) string {
	switch {
	case chosen && t.Signs == api.SignsASCII:
		return "(*)"
	case chosen:
		return "☑"
	case t.Signs == api.SignsASCII:
		return "( )"
	}
	return "☐"
}
