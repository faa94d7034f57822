package tui

import (
	"encoding/json"
	"strconv"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// maxDiff bounds what is compared of an edit, in bytes of one side; larger ones
// are shown one after the other.
const maxDiff = 64 << 10

// diffContext is how many equal lines stand around a change.
const diffContext = 3

// textEdit is one replacement that an agent wants to make.
type textEdit struct {
	Old *string `json:"old_string"`
	New *string `json:"new_string"`
	All bool    `json:"replace_all"`
}

// editsOf are the replacements in a tool's input and the fields that they are
// told by; none if it is no edit.
func editsOf(fields []inputField) (edits []textEdit, keys map[string]bool) {
	var one textEdit
	for _, f := range fields {
		text, isText := f.text()
		switch {
		case f.key == "old_string" && isText:
			one.Old = &text
		case f.key == "new_string" && isText:
			one.New = &text
		case f.key == "edits":
			var several []textEdit
			if json.Unmarshal(f.value, &several) != nil || len(several) == 0 {
				continue
			}
			for _, e := range several {
				if e.Old == nil || e.New == nil {
					several = nil
					break
				}
			}
			if several != nil {
				return several, map[string]bool{"edits": true}
			}
		}
	}
	if one.Old == nil || one.New == nil {
		return nil, nil
	}
	return []textEdit{one}, map[string]bool{"old_string": true, "new_string": true}
}

// replaces makes an edit of a whole file's new content, and says what becomes of
// the present one.
func replaces(fields []inputField, file present) (note string, edits []textEdit, keys map[string]bool) {
	for _, f := range fields {
		text, ok := f.text()
		if f.key != "content" || !ok {
			continue
		}
		switch {
		case file.absent:
			note = "a new file:"
		case file.problem != "":
			note = "replaces the file; " + file.problem + ":"
		case lineEnd(file.text) == lineEnd(text):
			note = "the file has this content already:"
		default:
			return "what changes in the file:", []textEdit{{Old: &file.text, New: &text}}, map[string]bool{"content": true}
		}
	}
	return note, nil, nil
}

// diff shows a replacement as what goes and what comes.
func (b *requestText) diff(e textEdit) {
	before, after := lineEnd(*e.Old), lineEnd(*e.New)
	if len(before) > maxDiff || len(after) > maxDiff || before == after {
		b.marked(lineRemoved, "- ", *e.Old)
		b.marked(lineAdded, "+ ", *e.New)
		return
	}
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), diffContext)
	if err != nil {
		b.marked(lineRemoved, "- ", *e.Old)
		b.marked(lineAdded, "+ ", *e.New)
		return
	}
	for i, h := range u.Hunks {
		if i > 0 {
			b.add(lineFaint, "⋯")
		}
		for _, l := range h.Lines {
			text := strings.TrimSuffix(l.Content, "\n")
			switch l.Kind {
			case udiff.Delete:
				b.marked(lineRemoved, "- ", text)
			case udiff.Insert:
				b.marked(lineAdded, "+ ", text)
			default:
				b.marked(linePlain, "  ", text)
			}
		}
	}
}

// lineEnd ends the last line, so that it can be equal to one that is followed
// by others.
func lineEnd(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// edits shows all replacements of an input.
func (b *requestText) edits(all []textEdit) {
	for i, e := range all {
		if len(all) > 1 {
			b.add(lineFaint, "change "+strconv.Itoa(i+1)+" of "+strconv.Itoa(len(all)))
		}
		if e.All {
			b.add(lineFaint, "everywhere in the file:")
		}
		b.diff(e)
	}
}
