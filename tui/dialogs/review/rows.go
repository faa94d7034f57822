package review

import (
	"slices"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/hunks"
)

// plainFrom is the number of lines above which a difference is shown without colours, and without lines that belong
// together.
const plainFrom = 10_000

// kind is what a row is.
type kind uint8

const (
	rowFile kind = iota // the head of a file
	rowNote             // why there are no lines
	rowHunk             // the head of a hunk
	rowLine             // a line, or two side by side
	rowGap              // between two files
	// rowNoteText is a line of a comment: old is the comment's number, now that of the line.
	rowNoteText
)

// row is a row of the view. old and now are numbers of lines in the hunk, -1: none; both are the same for a line that
// did not change. pair is the line of the other side that a line was or became, -1: none.
type row struct {
	kind           kind
	file, hunk     int32
	old, now, pair int32
	// oldNo and nowNo are the numbers of the lines in the old file and in the new one, 0: none.
	oldNo, nowNo int32
	// skip and cols are the columns of a part of a line, where long ones are broken; cols 0: all of it.
	skip, cols int32
}

// layout are the rows of a difference. Its slices are shared with pictures and never changed.
type layout struct {
	rows []row
	// files are the rows of the heads of files, hunks those of hunks.
	files, hunks []int
	lines        int // of the difference, folded ones too
	split        bool
	made         bool
	// digits is how many a line's number has at most.
	digits int
	// notes are the lines of the comments, width that for which they were made.
	notes [][]string
	width int
}

// plain: there are too many lines for more than their text.
func (l layout) plain() bool { return l.lines > plainFrom }

// laid is the view with its rows, for the screen as it is.
func (d dialog) laid(env ui.Env) dialog {
	a := d.areas(env)
	d.height = max(1, a.text.H)
	split := d.split && a.text.W >= splitFrom && d.scope != api.DiffPlan
	if d.made && d.layout.split == split && (d.width == a.text.W || len(d.comments) == 0 && d.scope != api.DiffPlan) {
		return d.clamped()
	}
	at, had := d.here(), d.made
	l := d.lay(split)
	if d.scope == api.DiffPlan {
		l = l.broken(d.diff.Files, a.text.W-gutter)
	}
	d.layout = l.noted(d.diff.Files, d.comments, a.text.W)
	if had {
		d.cursor = d.rowOf(at)
		d.top = d.cursor - at.below
		d.mark, d.seen = -1, 0
	}
	return d.clamped()
}

// lay makes the rows.
func (d dialog) lay(split bool) layout {
	l := layout{split: split, made: true}
	last := 1
	for _, f := range d.diff.Files {
		for _, h := range f.Hunks {
			l.lines += len(h.Lines)
			last = max(last, h.OldStart+h.OldLines, h.NewStart+h.NewLines)
		}
	}
	for l.digits = 1; last >= 10; last /= 10 {
		l.digits++
	}
	l.rows = make([]row, 0, l.lines+4*len(d.diff.Files))
	for i := range d.diff.Files {
		f := &d.diff.Files[i]
		if i > 0 && !d.isFolded(&d.diff.Files[i-1]) {
			l.rows = append(l.rows, row{kind: rowGap, file: int32(i - 1)}) //nolint:gosec // bounded by review
		}
		l.files = append(l.files, len(l.rows))
		l.rows = append(l.rows, row{kind: rowFile, file: int32(i)}) //nolint:gosec // bounded by review
		if d.isFolded(f) {
			continue
		}
		if len(f.Hunks) == 0 {
			l.rows = append(l.rows, row{kind: rowNote, file: int32(i)}) //nolint:gosec // bounded by review
		}
		for h := range f.Hunks {
			l.hunks = append(l.hunks, len(l.rows))
			l.rows = append(l.rows, row{kind: rowHunk, file: int32(i), hunk: int32(h)}) //nolint:gosec // bounded by review
			l.hunk(&f.Hunks[h], row{kind: rowLine, file: int32(i), hunk: int32(h)})     //nolint:gosec // bounded by review
		}
	}
	return l
}

// hunk adds the rows of a hunk; each begins as r.
func (l *layout) hunk(h *api.ReviewHunk, r row) {
	lines := h.Lines
	old, now := h.OldStart, h.NewStart // of the next line
	for i := 0; i < len(lines); {
		r.oldNo, r.nowNo = int32(old), int32(now) //nolint:gosec // bounded by review
		if lines[i].Kind == api.LineContext {
			r.old, r.now, r.pair = int32(i), int32(i), -1 //nolint:gosec // bounded by review
			l.rows = append(l.rows, r)
			i, old, now = i+1, old+1, now+1
			continue
		}
		from := i
		for i < len(lines) && lines[i].Kind == api.LineRemoved {
			i++
		}
		mid := i
		for i < len(lines) && lines[i].Kind == api.LineAdded {
			i++
		}
		l.change(lines, from, mid, i, r)
		old, now = old+mid-from, now+i-mid
	}
}

// change adds the rows of lines that were removed, from and to mid, and of those that came in their place. r has the
// numbers of the first ones.
func (l *layout) change(lines []api.ReviewLine, from, mid, end int, r row) {
	var pairs []hunks.Pair
	if !l.plain() {
		pairs = hunks.Pairs(texts(lines[from:mid]), texts(lines[mid:end]))
	}
	add := func(old, now int) {
		next := r
		next.old, next.now, next.pair, next.oldNo, next.nowNo = -1, -1, -1, 0, 0
		if old >= 0 {
			next.old, next.oldNo = int32(from+old), r.oldNo+int32(old) //nolint:gosec // bounded by review
		}
		if now >= 0 {
			next.now, next.nowNo = int32(mid+now), r.nowNo+int32(now) //nolint:gosec // bounded by review
		}
		l.rows = append(l.rows, next)
	}
	if l.split {
		if pairs == nil {
			pairs = sideBySide(mid-from, end-mid)
		}
		for _, p := range compact(pairs) {
			add(p.Old, p.New)
		}
		return
	}
	first := len(l.rows)
	for i := range mid - from {
		add(i, -1)
	}
	for i := range end - mid {
		add(-1, i)
	}
	for _, p := range pairs {
		if p.Old >= 0 && p.New >= 0 {
			l.rows[first+p.Old].pair = int32(mid + p.New)           //nolint:gosec // bounded by review
			l.rows[first+mid-from+p.New].pair = int32(from + p.Old) //nolint:gosec // bounded by review
		}
	}
}

func texts(lines []api.ReviewLine) []string {
	out := make([]string, len(lines))
	for i := range lines {
		out[i] = lines[i].Text
	}
	return out
}

// sideBySide are lines beside those at the same place.
func sideBySide(removed, added int) (pairs []hunks.Pair) {
	for i := range max(removed, added) {
		p := hunks.Pair{Old: i, New: i}
		if i >= removed {
			p.Old = -1
		}
		if i >= added {
			p.New = -1
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// compact puts removed lines that belong to none beside added ones that belong to none: that takes less room.
func compact(pairs []hunks.Pair) (out []hunks.Pair) {
	for i := 0; i < len(pairs); {
		var olds, news []int
		for ; i < len(pairs) && (pairs[i].Old < 0 || pairs[i].New < 0); i++ {
			if pairs[i].Old >= 0 {
				olds = append(olds, pairs[i].Old)
			} else {
				news = append(news, pairs[i].New)
			}
		}
		for _, p := range sideBySide(len(olds), len(news)) {
			if p.Old >= 0 {
				p.Old = olds[p.Old]
			}
			if p.New >= 0 {
				p.New = news[p.New]
			}
			out = append(out, p)
		}
		if i < len(pairs) {
			out, i = append(out, pairs[i]), i+1
		}
	}
	return out
}

// isFolded reports whether only the head of a file is shown.
func (d dialog) isFolded(f *api.ReviewFile) bool {
	if folded, ok := d.folds[f.Path]; ok {
		return folded
	}
	return f.LeftOut != "" || f.Binary || f.Viewed
}

// noted are the rows with those of comments: below their lines, else below the head of their file, else at the
// beginning.
func (l layout) noted(files []api.ReviewFile, comments []api.ReviewComment, width int) layout {
	l.width, l.notes = width, make([][]string, len(comments))
	if len(comments) == 0 {
		return l
	}
	at := l.noteRows(files, comments)
	for n, list := range at {
		for _, i := range list {
			away := n < 0 || comments[i].Line > 0 && l.rows[n].kind != rowLine
			l.notes[i] = noteLines(comments[i], max(10, width-gutter-noteIndent), away)
		}
	}
	rows := make([]row, 0, len(l.rows)+4*len(comments))
	add := func(n int) {
		for _, c := range at[n] {
			for i := range l.notes[c] {
				r := row{kind: rowNoteText, old: int32(c), now: int32(i), pair: -1} //nolint:gosec // bounded by the daemon
				if n >= 0 {
					r.file, r.hunk = l.rows[n].file, l.rows[n].hunk
				}
				rows = append(rows, r)
			}
		}
	}
	add(-1)
	l.files, l.hunks = nil, nil
	for n, r := range l.rows {
		switch r.kind {
		case rowFile:
			l.files = append(l.files, len(rows))
		case rowHunk:
			l.hunks = append(l.hunks, len(rows))
		}
		rows = append(rows, r)
		add(n)
	}
	l.rows = rows
	return l
}

// noteRows are the comments below each row; -1 is before the first one.
func (l layout) noteRows(files []api.ReviewFile, comments []api.ReviewComment) map[int][]int {
	at := map[int][]int{}
	for i, c := range comments {
		to := -1
		f := slices.IndexFunc(files, func(f api.ReviewFile) bool { return c.Path != "" && (f.Path == c.Path || f.OldPath == c.Path) })
		if f >= 0 {
			to = l.files[f]
			for n := to; c.Line > 0 && n < len(l.rows) && int(l.rows[n].file) == f; n++ {
				r := l.rows[n]
				if r.kind == rowLine && (c.Side == api.SideOld && int(r.oldNo) == c.End || c.Side != api.SideOld && int(r.nowNo) == c.End) {
					to = n
					if n+1 == len(l.rows) || l.rows[n+1].skip == 0 {
						break
					}
				}
			}
		}
		at[to] = append(at[to], i)
	}
	return at
}

// lineOf is a line of a hunk by its number, nil if there is none.
func (d dialog) lineOf(r row, n int32) *api.ReviewLine {
	if r.kind != rowLine || n < 0 {
		return nil
	}
	return &d.diff.Files[r.file].Hunks[r.hunk].Lines[n]
}

// row is a row; ok is false if there is none.
func (d dialog) row(n int) (r row, ok bool) {
	if n < 0 || n >= len(d.rows) {
		return row{}, false
	}
	return d.rows[n], true
}

// fileAt is the file at a row, nil if there is none.
func (d dialog) fileAt(n int) *api.ReviewFile {
	r, ok := d.row(n)
	if !ok || int(r.file) >= len(d.diff.Files) {
		return nil // comments may stand alone
	}
	return &d.diff.Files[r.file]
}

// place is a row by what it shows: it stays when rows come and go. below is how many rows below the first in view it is.
type place struct {
	path      string
	kind      kind
	old, now  int32 // numbers of lines
	below     int
	afterHead int // rows behind the head of its file
}

// here is the place of the cursor.
func (d dialog) here() place {
	r, ok := d.row(d.cursor)
	if !ok || int(r.file) >= len(d.diff.Files) {
		return place{}
	}
	p := place{path: d.diff.Files[r.file].Path, kind: r.kind, below: d.cursor - d.top, afterHead: d.cursor - d.files[r.file]}
	p.old, p.now = r.oldNo, r.nowNo
	return p
}

// rowOf is the row of a place, or one near it.
func (d dialog) rowOf(p place) int {
	i := slices.IndexFunc(d.diff.Files, func(f api.ReviewFile) bool { return f.Path == p.path })
	if i < 0 || i >= len(d.files) {
		return min(d.cursor, max(0, len(d.rows)-1))
	}
	from, to := d.files[i], d.endOf(i)
	if p.kind == rowLine {
		for n := from; n < to; n++ {
			if r := d.rows[n]; p.now > 0 && r.nowNo >= p.now || p.now == 0 && r.oldNo >= p.old && r.oldNo > 0 {
				return n
			}
		}
	}
	return min(from+p.afterHead, max(from, to-1))
}

// endOf is the row behind the last one of a file.
func (d dialog) endOf(file int) int {
	if file+1 < len(d.files) {
		return d.files[file+1]
	}
	return len(d.rows)
}
