package review

import (
	"errors"
	"strings"

	"ccdir/api"
)

// errSplice: a difference is not of the texts that were given.
var errSplice = errors.New("the difference is not of these files")

// linesOf are the lines of a text with their ends; the last one may have none.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// joined is a text of lines; a line that was the last one and is no more gets an end.
func joined(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(l)
		if i < len(lines)-1 && !strings.HasSuffix(l, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// change is a line that a difference removes or adds, by its number on its side.
type change struct {
	kind api.LineKind
	n    int
}

// splice is from with some of the changes that lead to to: those that take says. hunks are of the difference of the two.
func splice(from, to []string, hunks []api.ReviewHunk, take func(change) bool) (out []string, added, removed int, err error) {
	pos := 0 // lines of from that are done
	for _, h := range hunks {
		old, now := firstLine(h.OldStart, h.OldLines), firstLine(h.NewStart, h.NewLines)
		if old-1 < pos || old-1 > len(from) {
			return nil, 0, 0, errSplice
		}
		out = append(out, from[pos:old-1]...)
		pos = old - 1
		for _, l := range h.Lines {
			if l.Kind != api.LineAdded && pos >= len(from) || l.Kind != api.LineRemoved && (now < 1 || now > len(to)) {
				return nil, 0, 0, errSplice
			}
			switch l.Kind {
			case api.LineAdded:
				if take(change{l.Kind, now}) {
					out = append(out, to[now-1])
					added++
				}
				now++
				continue
			case api.LineRemoved:
				if take(change{l.Kind, pos + 1}) {
					removed++
				} else {
					out = append(out, from[pos])
				}
			default:
				out = append(out, from[pos])
				now++
			}
			pos++
		}
	}
	return append(out, from[pos:]...), added, removed, nil
}

// firstLine is the number of the first line of a side of a hunk; a side without lines is at the line before.
func firstLine(start, lines int) int {
	if lines == 0 {
		return start + 1
	}
	return start
}

// reversed are the hunks of the way back.
func reversed(hunks []api.ReviewHunk) []api.ReviewHunk {
	back := make([]api.ReviewHunk, 0, len(hunks))
	for _, h := range hunks {
		b := api.ReviewHunk{OldStart: h.NewStart, OldLines: h.NewLines, NewStart: h.OldStart, NewLines: h.OldLines}
		for _, l := range h.Lines {
			switch l.Kind {
			case api.LineAdded:
				l.Kind = api.LineRemoved
			case api.LineRemoved:
				l.Kind = api.LineAdded
			}
			b.Lines = append(b.Lines, l)
		}
		back = append(back, b)
	}
	return back
}

// runs calls each with the changes of each run of lines that a difference removes and adds.
func runs(hunks []api.ReviewHunk, each func([]change)) {
	for _, h := range hunks {
		old, now := firstLine(h.OldStart, h.OldLines), firstLine(h.NewStart, h.NewLines)
		var run []change
		for _, l := range h.Lines {
			switch l.Kind {
			case api.LineRemoved:
				run = append(run, change{l.Kind, old})
				old++
				continue
			case api.LineAdded:
				run = append(run, change{l.Kind, now})
				now++
				continue
			}
			old, now = old+1, now+1
			each(run)
			run = nil
		}
		each(run)
	}
}

// chosen are the changes of a difference that are in two ranges; all without both.
func chosen(hunks []api.ReviewHunk, old, now *api.LineRange) map[change]bool {
	in := func(r *api.LineRange, n int) bool {
		return old == nil && now == nil || r != nil && n >= r.From && n <= r.End
	}
	set := map[change]bool{}
	runs(hunks, func(run []change) {
		for _, c := range run {
			if c.kind == api.LineRemoved && in(old, c.n) || c.kind == api.LineAdded && in(now, c.n) {
				set[c] = true
			}
		}
	})
	return set
}

// origins are the lines of the first side of a difference that the n lines of the other side were, by their number less one; 0: none.
func origins(hunks []api.ReviewHunk, n int) []int {
	of, at, shift := make([]int, n), 0, 0
	upTo := func(end int) {
		for ; at < min(end, n); at++ {
			of[at] = at + 1 + shift
		}
	}
	for _, h := range hunks {
		upTo(firstLine(h.NewStart, h.NewLines) - 1)
		for _, l := range h.Lines {
			switch l.Kind {
			case api.LineContext:
				upTo(at + 1)
			case api.LineRemoved:
				shift++
			case api.LineAdded:
				at, shift = at+1, shift-1
			}
		}
	}
	upTo(n)
	return of
}
