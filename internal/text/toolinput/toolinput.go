// Package toolinput takes from the input of an agent's tool what a person decides by: its fields in
// the agent's order, the edits with what goes and what comes, the questions with their choices. It is
// pure. Its texts are foreign: whoever shows them makes them harmless first.
//
// An edit or question with other members than the agent's is none, so that what it would hide is
// shown as it stands.
package toolinput

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"ccdir/internal/text/patchtext"
)

// Field is one field of a tool's input.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Text is the field's text; false if it is none.
func (f Field) Text() (string, bool) {
	var s string
	err := json.Unmarshal(f.Value, &s)
	return s, err == nil && len(f.Value) > 0 && f.Value[0] == '"'
}

// Fields takes a JSON object apart in its own order; false if it is none.
func Fields(data json.RawMessage) ([]Field, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []Field
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil, false
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		out = append(out, Field{key, v})
	}
	_, err := dec.Token()
	return out, err == nil
}

// List is a member that is a list; nil if it is none.
func List(data json.RawMessage, key string) (out []json.RawMessage) {
	fields, _ := Fields(data)
	for _, f := range fields {
		if f.Key == key && json.Unmarshal(f.Value, &out) != nil {
			return nil
		}
	}
	return out
}

// Member is a member that is a text; "" if it is none. Of several the last one counts.
func Member(data json.RawMessage, key string) (text string) {
	fields, _ := Fields(data)
	for _, f := range fields {
		if f.Key == key {
			text, _ = f.Text()
		}
	}
	return text
}

// Edit is one replacement that an agent wants to make; All: everywhere in the file.
type Edit struct {
	Old, New *string
	All      bool
}

// editOf reads an edit of a list.
func editOf(data json.RawMessage) (e Edit, ok bool) {
	fields, ok := Fields(data)
	for _, f := range fields {
		text, isText := f.Text()
		switch {
		case f.Key == "old_string" && isText:
			e.Old = &text
		case f.Key == "new_string" && isText:
			e.New = &text
		case f.Key != "replace_all" || json.Unmarshal(f.Value, &e.All) != nil:
			return e, false
		}
	}
	return e, ok && e.Old != nil && e.New != nil
}

// Edits are the replacements in a tool's input and the fields that they are
// told by; none if it is no edit.
func Edits(fields []Field) (edits []Edit, keys map[string]bool) {
	var one Edit
	for _, f := range fields {
		text, isText := f.Text()
		switch {
		case f.Key == "old_string" && isText:
			one.Old = &text
		case f.Key == "new_string" && isText:
			one.New = &text
		case f.Key == "edits":
			if several := severalOf(f.Value); len(several) > 0 {
				return several, map[string]bool{"edits": true}
			}
		}
	}
	if one.Old == nil || one.New == nil {
		return nil, nil
	}
	return []Edit{one}, map[string]bool{"old_string": true, "new_string": true}
}

// severalOf are the edits of a list; none if one of them is no edit.
func severalOf(data json.RawMessage) (edits []Edit) {
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

// Patch are the files of a patch with what changes in each; false if the value is none, or has
// members that would be hidden.
func Patch(value json.RawMessage) (files []patchtext.File, ok bool) {
	if json.Unmarshal(value, &files) != nil || len(files) == 0 {
		return nil, false
	}
	var all, known any
	if again, err := json.Marshal(files); err != nil || json.Unmarshal(again, &known) != nil || json.Unmarshal(value, &all) != nil || !reflect.DeepEqual(all, known) {
		return nil, false
	}
	return files, true
}

// MaxCompared bounds what is compared of an edit or a file, in bytes of one side; larger
// ones are shown one after the other.
const MaxCompared = 64 << 10

// diffContext is how many equal lines stand around a change.
const diffContext = 3

// LineKind is what a line of a difference is.
type LineKind uint8

// The kinds of lines.
const (
	Same LineKind = iota
	Removed
	Added
	// Gap stands for equal lines that are left out.
	Gap
)

// Line is a line of a difference, without its end.
type Line struct {
	Kind LineKind
	Text string
}

// Diff is what goes and what comes by an edit. A text that was not compared, or was the same, may have
// line ends.
func (e Edit) Diff() (lines []Line) {
	apart := []Line{{Removed, *e.Old}, {Added, *e.New}}
	before, after := LineEnd(*e.Old), LineEnd(*e.New)
	if len(before) > MaxCompared || len(after) > MaxCompared || before == after {
		return apart
	}
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), diffContext)
	if err != nil {
		return apart
	}
	for i, h := range u.Hunks {
		if i > 0 {
			lines = append(lines, Line{Kind: Gap})
		}
		for _, l := range h.Lines {
			kind := Same
			switch l.Kind {
			case udiff.Delete:
				kind = Removed
			case udiff.Insert:
				kind = Added
			}
			lines = append(lines, Line{kind, strings.TrimSuffix(l.Content, "\n")})
		}
	}
	return lines
}

// LineEnd ends the last line, so that it can be equal to one that is followed
// by others.
func LineEnd(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// Question is one of those that an agent's own dialog asks.
type Question struct {
	Text, Header string
	Options      []Option
	// Multiple: more than one may be chosen.
	Multiple bool
}

// Option is one of the choices of a question, About what is said of it.
type Option struct {
	Label, About string
}

// Questions are the questions of an agent's own dialog, by the very members that the
// agent reads; none if it is something else.
func Questions(input json.RawMessage) (out []Question) {
	for _, raw := range List(input, "questions") {
		q := Question{Text: Member(raw, "question"), Header: Member(raw, "header")}
		fields, _ := Fields(raw)
		for _, f := range fields {
			if f.Key == "multiSelect" || f.Key == "multiple" {
				q.Multiple = q.Multiple || string(f.Value) == "true"
			}
		}
		for _, o := range List(raw, "options") {
			q.Options = append(q.Options, Option{Member(o, "label"), Member(o, "description")})
		}
		out = append(out, q)
	}
	return out
}
