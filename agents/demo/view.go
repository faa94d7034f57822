package demo

import (
	"fmt"
	"strings"
	"time"
)

// Signs of the frame. The widths of all are one cell.
const (
	sgrReset, sgrDim, sgrBold, sgrInverse = "\x1b[0m", "\x1b[2m", "\x1b[1m", "\x1b[7m"
	sgrCyan, sgrGreen, sgrRed, sgrAmber   = "\x1b[36m", "\x1b[32m", "\x1b[31m", "\x1b[33m"
)

var spinnerFrames = []string{"·", "✢", "✳", "✶", "✻", "✽"}

// dialog is a question that takes the keys.
type dialog struct {
	kind    string // "permission" or "question"
	title   string
	detail  string
	choices []string
	// chosen is the selected choice.
	chosen int
	// answer gets the number of the choice, or -1 for Esc. It has room for one.
	answer chan int
}

// frame returns the lines to repaint, of at most cols cells, without the finished
// ones above.
func (a *app) frame() []string {
	lines := []string{""}
	if a.turn != nil && a.dialog == nil {
		spin := spinnerFrames[a.spin%len(spinnerFrames)]
		lines = append(lines, fmt.Sprintf("%s%s Working…%s %s(%s · esc to interrupt)%s", sgrCyan, spin, sgrReset,
			sgrDim, time.Since(a.turnStart).Truncate(time.Second), sgrReset), "")
	}
	for _, q := range a.queue {
		lines = append(lines, sgrDim+"  queued: "+clip(oneLine(q.prompt), a.cols-10)+sgrReset)
	}
	if a.dialog != nil {
		return append(lines, a.dialogLines()...)
	}
	lines = append(lines, a.boxLines()...)
	hint := "  ? for shortcuts"
	if a.hint != "" {
		hint = "  " + a.hint
	}
	return append(lines, sgrDim+clip(hint, a.cols)+sgrReset)
}

// boxLines is the input box.
func (a *app) boxLines() []string {
	inner := max(a.cols-4, 1)
	rule := strings.Repeat("─", max(a.cols-2, 0))
	lines := []string{"╭" + rule + "╮"}
	// The cursor is a cell of its own: U+0000 stands for it while wrapping.
	text := string(a.line[:a.cursor]) + "\x00" + string(a.line[a.cursor:])
	rows := split("> "+text, inner, false) // what is typed stays as it is
	if limit := max(a.rows-8, 1); len(rows) > limit {
		rows = rows[len(rows)-limit:]
	}
	for _, row := range rows {
		w := cells(row)
		before, after, has := strings.Cut(row, "\x00")
		if has {
			under := " "
			if after != "" {
				r := []rune(after)
				under, after = string(r[:1]), string(r[1:])
				w--
			}
			row = before + sgrInverse + under + sgrReset + after
		}
		lines = append(lines, "│ "+row+strings.Repeat(" ", max(inner-w, 0))+" │")
	}
	return append(lines, "╰"+rule+"╯")
}

// dialogLines is the open question.
func (a *app) dialogLines() []string {
	colour := sgrRed
	if a.dialog.kind == "question" {
		colour = sgrAmber
	}
	lines := []string{colour + strings.Repeat("─", max(a.cols, 0)) + sgrReset,
		" " + sgrBold + clip(oneLine(a.dialog.title), a.cols-1) + sgrReset}
	if a.dialog.detail != "" {
		lines = append(lines, "")
		for _, row := range wrap(a.dialog.detail, max(a.cols-3, 1)) {
			lines = append(lines, "   "+row)
		}
		lines = append(lines, "", " Do you want to proceed?")
	}
	for i, c := range a.dialog.choices {
		mark := "   "
		if i == a.dialog.chosen {
			mark = " ❯ "
		}
		lines = append(lines, clip(fmt.Sprintf("%s%d. %s", mark, i+1, oneLine(c)), a.cols))
	}
	return append(lines, "", sgrDim+" Esc to cancel"+sgrReset)
}

// oneLine shows line ends as spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wrap splits s into lines of at most width cells, at blanks where a line has one. Our own
// colour sequences take none.
func wrap(s string, width int) []string { return split(s, width, true) }

// split is wrap, with words whole or not.
func split(s string, width int, words bool) []string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		var b strings.Builder
		w, escape := 0, false
		blank, after := 0, 0 // where the last blank is in b, and the cells behind it; 0: none
		for _, r := range line {
			if escape = escape || r == 0x1b; escape {
				b.WriteRune(r)
				escape = r != 'm'
				continue
			}
			rw := runeCells(r)
			if w+rw > width && w > 0 {
				full := b.String()
				b.Reset()
				switch {
				case words && r == ' ':
					out, w, blank = append(out, full), 0, 0
					continue // it would begin the next line
				case blank > 0:
					b.WriteString(full[blank+1:])
					out, w, blank = append(out, full[:blank]), after, 0
				default:
					out, w = append(out, full), 0
				}
			}
			if words && r == ' ' && strings.TrimSpace(b.String()) != "" {
				blank, after = b.Len(), 0
			} else {
				after += rw
			}
			b.WriteRune(r)
			w += rw
		}
		out = append(out, b.String())
	}
	return out
}

// clip cuts s, which holds no sequences, to width cells.
func clip(s string, width int) string {
	w := 0
	for i, r := range s {
		if w += runeCells(r); w > width {
			return s[:i]
		}
	}
	return s
}

// cells is the width of s, the cursor's mark counting as one.
func cells(s string) int {
	w := 0
	for _, r := range s {
		w += runeCells(r)
	}
	return w
}

// printable leaves out what would act on the terminal. Tabs become spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\t", "    "))
}

// runeCells is a coarse width: this program need not be right about every
// cluster, only about what people type into it.
func runeCells(r rune) int {
	switch {
	case r == 0:
		return 1
	case r >= 0x300 && r < 0x370, r == 0x200b, r == 0x200d, r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
