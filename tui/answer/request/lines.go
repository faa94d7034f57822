package request

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/toolinput"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// Line is a line of what an agent asks permission for, harmless to show.
type Line struct {
	Text string
	kind kind
}

// kind is the kind of a line.
type kind uint8

const (
	plain kind = iota
	strong
	faint
	added
	removed
)

// Style is the look of a line.
func (l Line) Style(t *theme.Theme) cells.Style {
	switch l.kind {
	case strong:
		return cells.Style{Attrs: cells.Bold}
	case faint:
		return cells.Style{FG: t.Dim}
	case added:
		return cells.Style{FG: t.Idle}
	case removed:
		return cells.Style{FG: t.Permission}
	}
	return cells.Style{}
}

// maxLines bounds what is laid out of an input; the end says so.
const maxLines = 2000

// Lines lays a request's input out in lines of at most w columns: nothing of it
// is hidden, since a person decides by it. The command, the file and the site come
// first; of a file that would be replaced what changes is shown.
func Lines(r api.Request, file Present, w int) []Line {
	b := writer{w: max(w, 1)}
	fields, ok := toolinput.Fields(r.Input)
	switch {
	case !ok && (len(r.Input) == 0 || string(r.Input) == "null"):
		b.add(faint, textsafe.Line(r.Question))
		b.prose(faint, "its input is too large to be shown here: look at the pane")
	case !ok:
		b.add(plain, string(r.Input))
	}
	main := func(key string) bool {
		switch key {
		case "command", "file_path", "notebook_path", "url", "query", "pattern":
			return true
		}
		return false
	}
	edits, edited := toolinput.Edits(fields)
	if r.Kind == api.RequestQuestion {
		if shown := b.questions(r, fields); shown != nil {
			edited = shown
		}
	}
	if plan := planOf(r, fields); plan != "" {
		b.markdown(plan)
		edited = map[string]bool{"plan": true, "planFilePath": true} // which the agent keeps for itself
	}
	note := ""
	if file.Known && len(edits) == 0 {
		note, edits, edited = replaces(fields, file)
	}
	for _, first := range []bool{true, false} {
		for _, f := range fields {
			if main(f.Key) == first && !edited[f.Key] {
				b.field(f, first)
			}
		}
		if first && note != "" {
			b.add(faint, note)
		}
		if first {
			b.edits(edits)
		}
	}
	if len(b.lines) == 0 {
		b.add(faint, "without input")
	}
	return b.lines
}

// writer collects lines of at most w columns.
type writer struct {
	w     int
	lines []Line
}

func (b *writer) field(f toolinput.Field, main bool) {
	key := textsafe.Line(f.Key)
	text, isText := f.Text()
	switch {
	case main && isText:
		b.add(strong, text)
	case f.Key == "files" && b.patch(f.Value):
	case f.Key == "old_string":
		b.marked(removed, "- ", text)
	case f.Key == "new_string" || f.Key == "content" || f.Key == "new_source":
		b.marked(added, "+ ", text)
	case isText && !strings.Contains(text, "\n"):
		b.add(faint, key+": "+text)
	case isText:
		b.add(faint, key+":")
		b.add(plain, text)
	default:
		b.add(faint, key+": "+string(f.Value))
	}
}

func (b *writer) marked(kind kind, mark, text string) {
	for _, l := range strings.Split(strings.TrimSuffix(textsafe.Block(text), "\n"), "\n") {
		b.chop(kind, mark+l)
	}
}

func (b *writer) add(kind kind, text string) {
	for _, l := range strings.Split(textsafe.Block(text), "\n") {
		b.chop(kind, l)
	}
}

// chop breaks a line where the width ends: blanks matter in commands, so no
// word is moved.
func (b *writer) chop(kind kind, text string) {
	text = strings.ReplaceAll(text, "\t", "    ")
	for {
		if len(b.lines) == maxLines {
			b.lines = append(b.lines, Line{"… and more: look at the pane", faint})
		}
		if len(b.lines) > maxLines {
			return
		}
		if paint.Width(text) <= b.w {
			b.lines = append(b.lines, Line{text, kind})
			return
		}
		head := paint.Head(text, b.w)
		b.lines = append(b.lines, Line{head, kind})
		text = text[len(head):]
	}
}

// broken is a line in pieces of at most w columns that end at a blank where there is one.
func broken(line string, w int) (out []string) {
	for paint.Width(line) > w {
		head := paint.Head(line, w)
		if len(head) == len(line) {
			break
		}
		if at := strings.LastIndexByte(head, ' '); line[len(head)] != ' ' && at > 0 && strings.TrimSpace(head[:at]) != "" {
			head = head[:at]
		}
		out, line = append(out, head), strings.TrimPrefix(line[len(head):], " ")
	}
	return append(out, line)
}
