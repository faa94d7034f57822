package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// LinesOf are the lines of a side of a difference's file that the hunks show, by their numbers.
func LinesOf(f api.ReviewFile, side api.DiffSide) map[int]string {
	lines := map[int]string{}
	for _, h := range f.Hunks {
		n, skip := h.NewStart, api.LineRemoved
		if side == api.SideOld {
			n, skip = h.OldStart, api.LineAdded
		}
		for _, l := range h.Lines {
			if l.Kind != skip {
				lines[n] = l.Text
				n++
			}
		}
	}
	return lines
}

// Quote returns the lines from to end of a side; false: the difference does not show all of them.
func Quote(f api.ReviewFile, side api.DiffSide, from, end int) (quote []string, ok bool) {
	lines := LinesOf(f, side)
	for n := from; n <= end; n++ {
		text, shown := lines[n]
		if !shown {
			return nil, false
		}
		quote = append(quote, text)
	}
	return quote, true
}

// Spans says which lines of a side a difference shows: "3-9, 20-25"; at most some of them.
func Spans(f api.ReviewFile, side api.DiffSide) string {
	var parts []string
	for _, h := range f.Hunks {
		from, n := h.NewStart, h.NewLines
		if side == api.SideOld {
			from, n = h.OldStart, h.OldLines
		}
		if n > 0 {
			parts = append(parts, lineSpan(from, from+n-1))
		}
		if len(parts) == 8 {
			return strings.Join(parts, ", ") + " …"
		}
	}
	return strings.Join(parts, ", ")
}

func lineSpan(from, end int) string {
	if from == end {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d-%d", from, end)
}

// Follow says where the lines from to end of a file are after a change of it, by the hunks of the change. same: they
// are as they were, one after the other.
func Follow(f api.ReviewFile, from, end int) (now int, same bool) {
	shift := 0
	for _, h := range f.Hunks {
		old := h.OldStart
		if h.OldLines == 0 {
			old++ // such a hunk is at the line before
		}
		for _, l := range h.Lines {
			switch l.Kind {
			case api.LineContext:
				old++
			case api.LineRemoved:
				if old >= from && old <= end {
					return 0, false
				}
				if old < from {
					shift--
				}
				old++
			case api.LineAdded:
				if old > from && old <= end {
					return 0, false
				}
				if old <= from {
					shift++
				}
			}
		}
	}
	return from + shift, true
}

// Block is what a difference changes around the lines from to end of the side before it: the removed and added lines of
// each run that has one of them.
func Block(f api.ReviewFile, from, end int) (text string) {
	var b strings.Builder
	for _, h := range f.Hunks {
		old := h.OldStart
		if h.OldLines == 0 {
			old++
		}
		var run strings.Builder
		hit := false
		flush := func() {
			if hit {
				b.WriteString(run.String())
			}
			run.Reset()
			hit = false
		}
		for _, l := range h.Lines {
			if l.Kind == api.LineContext {
				flush()
				old++
				continue
			}
			run.WriteString(string(l.Kind) + l.Text + "\n")
			if l.Kind == api.LineRemoved {
				hit = hit || old >= from && old <= end
				old++
			}
		}
		flush()
	}
	return b.String()
}

// Bounds of a prompt: the quoted lines of a comment, and the runes of one.
const (
	maxQuoted     = 40
	maxQuotedLine = 300
)

// Prompt is what comments say to an agent, as one prompt: numbered, each with its place, the quoted lines and the words. of names
// the work if it is not the reader's own; words come before. Foreign text in it is made visible.
func Prompt(comments []api.ReviewComment, round int, of, words string) string {
	whose := "your work"
	if of != "" {
		whose = "the work of " + textsafe.Line(of)
	}
	return numbered(fmt.Sprintf("Review of %s, round %d: %s.\n", whose, round, CountWords(len(comments))), comments, words,
		"Go through all of them. ", "Answer the questions, and change nothing for them. ")
}

// Refusal is what comments on a plan say to the agent that asks approval for it.
func Refusal(comments []api.ReviewComment, words string) string {
	return numbered(fmt.Sprintf("The plan is not approved yet: %s on it.\n", CountWords(len(comments))), comments, words,
		"Go through all of them, and then ask for approval again, with the whole plan as it is by then. ", "Answer the questions, too. ")
}

// numbered are comments below a head and words, and what to do with them: after, and questions if there are some.
func numbered(head string, comments []api.ReviewComment, words, after, questions string) string {
	var b strings.Builder
	b.WriteString(head)
	if words = strings.TrimSpace(words); words != "" {
		b.WriteString("\n" + textsafe.Block(words) + "\n")
	}
	asks := false
	for i, c := range comments {
		fmt.Fprintf(&b, "\n%d. %s [%s]%s\n", i+1, Place(c), c.ID, notes(c))
		for j, line := range c.Quote {
			if j == maxQuoted && len(c.Quote) > maxQuoted+1 {
				fmt.Fprintf(&b, "> … %d more lines\n", len(c.Quote)-j)
				break
			}
			b.WriteString(strings.TrimRight("> "+textsafe.Cut(strings.ReplaceAll(textsafe.Block(line), "\n", " "), maxQuotedLine), " ") + "\n")
		}
		b.WriteString(textsafe.Block(strings.TrimSpace(c.Text)) + "\n")
		asks = asks || c.Question
	}
	b.WriteString("\n" + after)
	if asks {
		b.WriteString(questions)
	}
	b.WriteString("If you have the tool review_reply, say with it for each, by its id in brackets, what you did or what you answer.\n")
	return b.String()
}

// CountWords is "1 comment", "3 comments".
func CountWords(n int) string {
	if n == 1 {
		return "1 comment"
	}
	return fmt.Sprintf("%d comments", n)
}

// Place is where a comment is: "src/a.go:10-12", "src/a.go", "the whole difference".
func Place(c api.ReviewComment) string {
	switch {
	case c.Scope == api.DiffPlan && c.Line == 0:
		return "the plan"
	case c.Scope == api.DiffPlan:
		return "the plan:" + lineSpan(c.Line, c.End)
	case c.Path == "":
		return "the whole difference"
	case c.Line == 0:
		return textsafe.Line(c.Path)
	}
	return textsafe.Line(c.Path) + ":" + lineSpan(c.Line, c.End)
}

func notes(c api.ReviewComment) string {
	var parts []string
	if c.Side == api.SideOld && c.Line > 0 {
		parts = append(parts, "lines of before the change")
	}
	if c.Stale {
		parts = append(parts, "these lines have changed since the comment was written")
	}
	if c.Question {
		parts = append(parts, "question: answer, change nothing")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// FileOf finds a file of a difference by its name: the one that it has after it, or (side old) the one before.
func FileOf(files []api.ReviewFile, name string, side api.DiffSide) (api.ReviewFile, bool) {
	if side == api.SideOld {
		if i := slices.IndexFunc(files, func(f api.ReviewFile) bool { return f.OldPath == name }); i >= 0 {
			return files[i], true
		}
	}
	if i := slices.IndexFunc(files, func(f api.ReviewFile) bool { return f.Path == name }); i >= 0 {
		return files[i], true
	}
	return api.ReviewFile{}, false
}
