package review

import (
	"context"
	"maps"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/syntax"
)

const (
	// pieceLines is how many lines of a hunk are coloured at a time.
	pieceLines = 200
	// maxPieces bounds what is kept; with more all is asked for again.
	maxPieces = 200
)

// piece is a part of a hunk of which colours are asked for.
type piece struct{ file, hunk, part int32 }

// paints are the colours of lines. It is a value: maps are replaced, never changed in place.
type paints struct {
	parts map[piece][][]syntax.Part // of each line; nil: they are asked for
	none  map[string]bool           // files that have no colours, by path
	round int                       // counts the differences
}

// painted is an answer: the parts of a piece's lines, nil if the file has none.
type painted struct {
	round int // of the difference that it is for
	path  string
	piece piece
	parts [][]syntax.Part
}

// with are the colours with an answer.
func (p paints) with(v painted) paints {
	if v.round != p.round {
		return p
	}
	if v.parts == nil {
		p.none = maps.Clone(p.none)
		if p.none == nil {
			p.none = map[string]bool{}
		}
		p.none[v.path] = true
		return p
	}
	p.parts = maps.Clone(p.parts)
	p.parts[v.piece] = v.parts
	return p
}

// of are the parts of a line, nil if none are known.
func (p paints) of(file, hunk, line int32) []syntax.Part {
	if parts := p.parts[piece{file, hunk, line / pieceLines}]; int(line%pieceLines) < len(parts) {
		return parts[line%pieceLines]
	}
	return nil
}

// coloured asks for the colours of what is in view.
func (d dialog) coloured() (dialog, []ui.Effect) {
	if d.plain() {
		return d, nil
	}
	var effects []ui.Effect
	for n := d.top; n < min(d.top+d.height, len(d.rows)); n++ {
		r := d.rows[n]
		if r.kind != rowLine {
			continue
		}
		for _, line := range []int32{r.old, r.now} {
			at := piece{r.file, r.hunk, line / pieceLines}
			path := d.diff.Files[r.file].Path
			if _, asked := d.paint.parts[at]; line < 0 || asked || d.paint.none[path] {
				continue
			}
			if len(d.paint.parts) >= maxPieces {
				d.paint.parts = nil
			}
			d.paint.parts = maps.Clone(d.paint.parts)
			if d.paint.parts == nil {
				d.paint.parts = map[piece][][]syntax.Part{}
			}
			d.paint.parts[at] = nil
			effects = append(effects, colour(d.paint.round, path, at, d.diff.Files[r.file].Hunks[r.hunk].Lines))
		}
	}
	return d, effects
}

// colour computes the colours of a piece away from the grid's own goroutine. Removed lines are read with the lines
// around them as they were, the others as they are now.
func colour(round int, path string, at piece, lines []api.ReviewLine) ui.Effect {
	from := int(at.part) * pieceLines
	lines = lines[from:min(len(lines), from+pieceLines)]
	return ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		v := painted{round: round, path: path, piece: at, parts: make([][]syntax.Part, len(lines))}
		for _, not := range []api.LineKind{api.LineAdded, api.LineRemoved} {
			var text []string
			var number []int
			for i, l := range lines {
				if l.Kind != not {
					text, number = append(text, l.Text), append(number, i)
				}
			}
			parts, ok := syntax.Lines(path, text, time.Now)
			if !ok {
				v.parts = nil
				break
			}
			for i, n := range number {
				v.parts[n] = parts[i]
			}
		}
		return ui.Result{Value: v}, nil
	}}
}
