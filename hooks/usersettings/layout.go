package usersettings

import (
	"bytes"
	"encoding/json"
	"strings"

	"ccdir/agents/claude"
)

// add appends a member to a list, on a line of its own.
func (d *document) add(list *node, unit string, member func(indent string) string) (edits []edit) {
	closing := d.indent(list.start)
	indent := closing + unit
	tail, comma := list.start+1, ""
	if n := len(list.members); n > 0 {
		m := &list.members[n-1]
		if own, ok := d.ownLine(m.keyStart); ok {
			indent = own
		}
		tail = m.value.end
		if list.comma {
			tail, comma = m.comma+1, "," // a trailing comma, as before
		} else {
			edits = append(edits, edit{tail, tail, ","})
		}
	}
	// Insert after the comments that follow: they belong to the existing members.
	end := list.end - 1
	for end > tail && strings.IndexByte(" \t\r\n", d.text[end-1]) >= 0 {
		end--
	}
	text := "\n" + indent + member(indent) + comma
	if !strings.Contains(d.text[end:list.end-1], "\n") {
		text += "\n" + closing
		return append(edits, edit{end, end, text})
	}
	return append(edits, edit{end, end, text})
}

// ownLine returns the white space before pos if nothing else precedes it on its
// line.
func (d *document) ownLine(pos int) (indent string, ok bool) {
	start := strings.LastIndexByte(d.text[:pos], '\n') + 1
	indent = d.text[start:pos]
	return indent, start > 0 && strings.Trim(indent, " \t") == ""
}

// indent is the white space at the beginning of pos's line.
func (d *document) indent(pos int) string {
	start := strings.LastIndexByte(d.text[:pos], '\n') + 1
	if start == 0 {
		start = len(bom(d.text))
	}
	line := d.text[start:pos]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// unit is one step of the file's indentation.
func (d *document) unit() string {
	if len(d.root.members) > 0 {
		if own, ok := d.ownLine(d.root.members[0].keyStart); ok {
			if unit, ok := strings.CutPrefix(own, d.indent(d.root.start)); ok && unit != "" {
				return unit
			}
		}
	}
	return "  "
}

// groupText is an element of an event's list: a group with one hook, a shape that every
// version accepts.
func groupText(h claude.OutsideHook, indent, unit string) string {
	hook := settingsHook{Type: "command", Command: h.Command, Args: h.Args, Timeout: h.Timeout}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, unit)
	_ = enc.Encode(map[string][]settingsHook{"hooks": {hook}}) // cannot fail
	return strings.TrimSpace(b.String())
}

// quote returns a string as JSON.
func quote(s string) string {
	data, _ := json.Marshal(s) // cannot fail
	return string(data)
}
