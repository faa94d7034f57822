package review

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/hunks"
	"ccdir/tui/widget/syntax"
)

// tabStop is the distance of tab stops.
const tabStop = 4

// text draws a line of text in w columns from x, without its first left columns.
type text struct {
	s             *paint.Surface
	x, y, w, left int
	col           int // of the text, how far it is drawn
}

// draw draws a line. Parts and spans say what its bytes are; parts that are longer than the line are cut.
func (t *text) draw(line string, parts []syntax.Part, spans []hunks.Span, style func(k syntax.Kind, marked bool) cells.Style) {
	part, rest := 0, 0 // of the part
	if len(parts) > 0 {
		rest = parts[0].Len
	}
	for at := 0; at < len(line) && t.col < t.left+t.w; {
		for part < len(parts) && rest == 0 {
			if part++; part < len(parts) {
				rest = parts[part].Len
			}
		}
		kind, end := syntax.Plain, len(line)
		if part < len(parts) {
			kind, end = parts[part].Kind, min(end, at+rest)
		}
		marked := false
		for _, s := range spans {
			switch {
			case at >= s.From && at < s.To:
				marked, end = true, min(end, s.To)
			case s.From > at:
				end = min(end, s.From)
			}
		}
		t.run(line[at:end], style(kind, marked))
		rest -= min(rest, end-at)
		at = end
	}
}

// run draws a run of text in one style.
func (t *text) run(part string, st cells.Style) {
	for part != "" && t.col < t.left+t.w {
		if part[0] == '\t' {
			t.put(strings.Repeat(" ", tabStop-t.col%tabStop), st)
			part = part[1:]
			continue
		}
		chunk := part
		if i := strings.IndexByte(part, '\t'); i >= 0 {
			chunk = part[:i]
		}
		t.put(chunk, st)
		part = part[len(chunk):]
	}
}

// put draws text without tabs.
func (t *text) put(chunk string, st cells.Style) {
	for t.col < t.left && chunk != "" { // what is left of the view
		n, w := paint.Next(chunk)
		t.col, chunk = t.col+w, chunk[n:]
	}
	if chunk == "" {
		return
	}
	x := t.col - t.left
	n := t.s.Text(t.x+x, t.y, t.w-x, chunk, st)
	t.col += n
	if x+n == t.w-1 && paint.Width(chunk) > n { // a wide character does not fit
		t.col++
	}
}

// more adds what is no text of the line.
func (t *text) more(note string, st cells.Style) {
	if x := t.col - t.left; x >= 0 && x < t.w {
		t.s.Text(t.x+x, t.y, t.w-x, note, st)
	}
}
