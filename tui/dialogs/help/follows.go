package help

import (
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

// followRows is how many rows the panel of keys takes at most, its title included.
const followRows = 8

// DrawFollowing draws what may follow the prefix key at the bottom of a screen: a panel that
// takes no keys.
func DrawFollowing(env ui.Env, s *paint.Surface) paint.Cursor {
	lines := followLines(env, env.Cols-2, min(followRows, env.Rows*2/3)-1)
	h := len(lines) + 1
	if len(lines) == 0 || env.Cols < 10 {
		return paint.Cursor{}
	}
	box := paint.Rect{Y: max(0, env.Bottom-h), W: env.Cols, H: h}
	s.Fill(box, cells.Style{})
	s.Line(paint.Rect{Y: box.Y, W: box.W, H: 1}, paint.Light, theme.FG(env.Theme.Accent))
	s.Text(2, box.Y, box.W-4, paint.Cut(" "+env.Keys.Prefix()+" and then ", box.W-4), theme.Bold(env.Theme.Accent))
	for i, l := range lines {
		x := 1
		for _, p := range l {
			x += s.Text(x, box.Y+1+i, box.W-x, p.text, p.st)
		}
	}
	return paint.Cursor{}
}

// piece is text in a style.
type piece struct {
	text string
	st   cells.Style
}

// followLines are the groups in at most n lines of w columns: a line for each, then more for
// those that need it, in their order.
func followLines(env ui.Env, w, n int) (lines [][]piece) {
	groups := env.Keys.Following()
	if len(groups) > n {
		groups = groups[:max(n, 0)]
	}
	label := 9
	if w < 60 {
		label = 0
	}
	spare := n - len(groups)
	for _, g := range groups {
		rows := keysOf(env, g, w-label)
		more := min(len(rows)-1, spare)
		spare -= more
		for i, row := range rows[:1+more] {
			head := piece{"", theme.FG(env.Theme.Hook)}
			if i == 0 {
				head.text = g.Group
			}
			line := append([]piece{head, {spaces(label - paint.Width(head.text)), cells.Style{}}}, row...)
			if label == 0 {
				line = row
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// keysOf are the keys of a group in rows of w columns.
func keysOf(env ui.Env, g keymap.Following, w int) (rows [][]piece) {
	var row []piece
	used := 0
	for _, k := range g.Keys {
		need := paint.Width(k.Key) + 1 + paint.Width(k.Word)
		if used > 0 && used+2+need > w {
			rows, row, used = append(rows, row), nil, 0
		}
		if used > 0 {
			row = append(row, piece{"  ", cells.Style{}})
			used += 2
		}
		key, word := theme.Bold(env.Theme.Accent), cells.Style{}
		if k.Binding.Disabled(env.Facts) != "" {
			key, word = theme.FG(env.Theme.Dim), theme.FG(env.Theme.Dim)
		}
		row = append(row, piece{k.Key, key}, piece{" " + k.Word, word})
		used += need
	}
	return append(rows, row)
}

func spaces(n int) string {
	const blanks = "                "
	return blanks[:max(0, min(n, len(blanks)))]
}
