package request

import (
	"strconv"

	"ccdir/internal/text/toolinput"
)

// MaxCompared bounds what is compared of a file, in bytes of one side.
const MaxCompared = toolinput.MaxCompared

// Present is the file that a request would replace, as far as it was read.
type Present struct {
	// Known: somebody has looked.
	Known bool
	Text  string
	// Absent: there is no such file yet. Problem is why it is not compared.
	Absent  bool
	Problem string
}

// replaces makes an edit of a whole file's new content, and says what becomes of
// the present one.
func replaces(fields []toolinput.Field, file Present) (note string, edits []toolinput.Edit, keys map[string]bool) {
	for _, f := range fields {
		text, ok := f.Text()
		if f.Key != "content" || !ok {
			continue
		}
		switch {
		case file.Absent:
			note = "a new file:"
		case file.Problem != "":
			note = "replaces the file; " + file.Problem + ":"
		case toolinput.LineEnd(file.Text) == toolinput.LineEnd(text):
			note = "the file has this content already:"
		default:
			return "what changes in the file:", []toolinput.Edit{{Old: &file.Text, New: &text}}, map[string]bool{"content": true}
		}
	}
	return note, nil, nil
}

// diff shows a replacement as what goes and what comes.
func (b *writer) diff(e toolinput.Edit) {
	for _, l := range e.Diff() {
		switch l.Kind {
		case toolinput.Gap:
			b.add(faint, "⋯")
		case toolinput.Removed:
			b.marked(removed, "- ", l.Text)
		case toolinput.Added:
			b.marked(added, "+ ", l.Text)
		default:
			b.marked(plain, "  ", l.Text)
		}
	}
}

// edits shows all replacements of an input.
func (b *writer) edits(all []toolinput.Edit) {
	for i, e := range all {
		if len(all) > 1 {
			b.add(faint, "change "+strconv.Itoa(i+1)+" of "+strconv.Itoa(len(all)))
		}
		if e.All {
			b.add(faint, "everywhere in the file:")
		}
		b.diff(e)
	}
}
