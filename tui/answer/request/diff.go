package request

import (
	"encoding/json"
	"strconv"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// MaxCompared bounds what is compared of an edit or a file, in bytes of one side; larger
// ones are shown one after the other.
const MaxCompared = 64 << 10

// diffContext is how many equal lines stand around a change.
const diffContext = 3

// edit is one replacement that an agent wants to make.
type edit struct {
	Old, New *string
	All      bool
}

// editOf reads an edit of a list. One with other members than the agent's is none: what
// it would hide is shown as it stands.
func editOf(data json.RawMessage) (e edit, ok bool) {
	fields, ok := fieldsOf(data)
	for _, f := range fields {
		text, isText := f.text()
		switch {
		case f.key == "old_string" && isText:
			e.Old = &text
		case f.key == "new_string" && isText:
			e.New = &text
		case f.key != "replace_all" || json.Unmarshal(f.value, &e.All) != nil:
			return e, false
		}
	}
	return e, ok && e.Old != nil && e.New != nil
}

// editsOf are the replacements in a tool's input and the fields that they are
// told by; none if it is no edit.
func editsOf(fields []field) (edits []edit, keys map[string]bool) {
	var one edit
	for _, f := range fields {
		text, isText := f.text()
		switch {
		case f.key == "old_string" && isText:
			one.Old = &text
		case f.key == "new_string" && isText:
			one.New = &text
		case f.key == "edits":
			if several := severalOf(f.value); len(several) > 0 {
				return several, map[string]bool{"edits": true}
			}
		}
	}
	if one.Old == nil || one.New == nil {
		return nil, nil
	}
	return []edit{one}, map[string]bool{"old_string": true, "new_string": true}
}

// severalOf are the edits of a list; none if one of them is no edit.
func severalOf(data json.RawMessage) (edits []edit) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	for _, raw := range list {
		e, ok := editOf(raw)
		if !ok {
			return nil
		}
		edits = append(edits, e)
	}
	return edits
}

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
func replaces(fields []field, file Present) (note string, edits []edit, keys map[string]bool) {
	for _, f := range fields {
		text, ok := f.text()
		if f.key != "content" || !ok {
			continue
		}
		switch {
		case file.Absent:
			note = "a new file:"
		case file.Problem != "":
			note = "replaces the file; " + file.Problem + ":"
		case lineEnd(file.Text) == lineEnd(text):
			note = "the file has this content already:"
		default:
			return "what changes in the file:", []edit{{Old: &file.Text, New: &text}}, map[string]bool{"content": true}
		}
	}
	return note, nil, nil
}

// diff shows a replacement as what goes and what comes.
func (b *writer) diff(e edit) {
	before, after := lineEnd(*e.Old), lineEnd(*e.New)
	if len(before) > MaxCompared || len(after) > MaxCompared || before == after {
		b.marked(removed, "- ", *e.Old)
		b.marked(added, "+ ", *e.New)
		return
	}
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), diffContext)
	if err != nil {
		b.marked(removed, "- ", *e.Old)
		b.marked(added, "+ ", *e.New)
		return
	}
	for i, h := range u.Hunks {
		if i > 0 {
			b.add(faint, "⋯")
		}
		for _, l := range h.Lines {
			text := strings.TrimSuffix(l.Content, "\n")
			switch l.Kind {
			case udiff.Delete:
				b.marked(removed, "- ", text)
			case udiff.Insert:
				b.marked(added, "+ ", text)
			default:
				b.marked(plain, "  ", text)
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
func (b *writer) edits(all []edit) {
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
