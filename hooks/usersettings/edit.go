package usersettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ccdir/internal/agents"
)

// edit replaces text[start:end]. Insertions have start == end.
type edit struct {
	start, end int
	text       string
}

// span is a part of the text after edits.
type span struct {
	Start int `json:"start"`
	Len   int `json:"len"`
}

// apply makes the edits, which must not overlap; inserted are the places of the
// new text.
func apply(text string, edits []edit) (out string, inserted []span) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start])
		if e.text != "" {
			inserted = append(inserted, span{b.Len(), len(e.text)})
		}
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String(), inserted
}

// cut takes the spans out of the text; ok is false if they don't lie in it.
func cut(text string, spans []span) (out string, ok bool) {
	var edits []edit
	at := 0
	for _, s := range spans {
		if s.Start < at || s.Len < 0 || s.Start+s.Len > len(text) {
			return "", false
		}
		at = s.Start + s.Len
		edits = append(edits, edit{s.Start, at, ""})
	}
	out, _ = apply(text, edits)
	return out, true
}

// document is a settings file that was understood.
type document struct {
	text     string
	root     node
	comments []span
	// hooks is the member of that name, nil if there is none.
	hooks *member
}

// errNotObject: JSON, but no settings.
var errNotObject = errors.New("it is not a JSON object")

// read understands a settings file. Names that occur twice are refused where
// they matter: which one counts is not ours to decide.
func read(text string) (*document, error) {
	root, comments, err := parse(text)
	if err != nil {
		return nil, err
	}
	if root.kind != kindObject {
		return nil, errNotObject
	}
	d := &document{text: text, root: root, comments: comments}
	m, n := d.root.find("hooks")
	if n > 1 {
		return nil, errors.New(`"hooks" occurs twice`)
	}
	if m == nil {
		return d, nil
	}
	d.hooks = m
	if m.value.kind != kindObject {
		return nil, errors.New(`"hooks" is not an object`)
	}
	for i := range m.value.members {
		event := &m.value.members[i]
		if _, n := m.value.find(event.key); n > 1 {
			return nil, fmt.Errorf("the hooks of %.40q occur twice", event.key)
		}
		if event.value.kind != kindArray {
			return nil, fmt.Errorf("the hooks of %.40q are not a list", event.key)
		}
	}
	return d, nil
}

// settingsHook is a hook as the file has it.
type settingsHook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
}

// entry is one of our hooks in the file.
type entry struct {
	hook agents.OutsideHook
	shim string
}

// hook reads a node as a hook of ours.
func (d *document) hook(event string, n *node) (h agents.OutsideHook, shim string, ok bool) {
	if n.kind != kindObject {
		return h, "", false
	}
	v, err := n.decode(d.text)
	if err != nil {
		return h, "", false
	}
	data, err := json.Marshal(v)
	if err != nil {
		return h, "", false
	}
	var s settingsHook
	if json.Unmarshal(data, &s) != nil || s.Type != "command" {
		return h, "", false
	}
	h = agents.OutsideHook{Event: event, Command: s.Command, Args: s.Args, Timeout: s.Timeout}
	shim, ok = h.Shim()
	return h, shim, ok
}

// group returns the hooks of an element of an event's list, nil if it is not
// formed as one.
func group(n *node) *node {
	if n.kind != kindObject {
		return nil
	}
	m, count := n.find("hooks")
	if count != 1 || m.value.kind != kindArray {
		return nil
	}
	return &m.value
}

// ours lists our hooks in the file, in order.
func (d *document) ours() (list []entry) {
	if d.hooks == nil {
		return nil
	}
	for i := range d.hooks.value.members {
		event := &d.hooks.value.members[i]
		for j := range event.value.members {
			g := group(&event.value.members[j].value)
			if g == nil {
				continue
			}
			for k := range g.members {
				if h, shim, ok := d.hook(event.key, &g.members[k].value); ok {
					list = append(list, entry{hook: h, shim: shim})
				}
			}
		}
	}
	return list
}

// without returns the text without our hooks, and how many there were.
func (d *document) without() (text string, count int) {
	if d.hooks == nil {
		return d.text, 0
	}
	var edits []edit
	hooks := &d.hooks.value
	goneEvents := map[int]bool{}
	for i := range hooks.members {
		event := &hooks.members[i]
		goneGroups := map[int]bool{}
		var inner []edit
		for j := range event.value.members {
			g := group(&event.value.members[j].value)
			if g == nil {
				continue
			}
			gone := map[int]bool{}
			for k := range g.members {
				if _, _, ok := d.hook(event.key, &g.members[k].value); ok {
					gone[k] = true
				}
			}
			count += len(gone)
			if whole(gone, g) && !d.commented(&event.value.members[j].value) {
				goneGroups[j] = true
			} else {
				inner = append(inner, d.remove(g, gone)...)
			}
		}
		if whole(goneGroups, &event.value) && !d.commented(&event.value) {
			goneEvents[i] = true
			continue
		}
		edits = append(append(edits, inner...), d.remove(&event.value, goneGroups)...)
	}
	if whole(goneEvents, hooks) && !d.commented(hooks) {
		for i := range d.root.members {
			if &d.root.members[i] == d.hooks {
				edits = d.remove(&d.root, map[int]bool{i: true})
			}
		}
	} else {
		edits = append(edits, d.remove(hooks, goneEvents)...)
	}
	text, _ = apply(d.text, edits)
	return text, count
}

// whole reports whether all members of a list go.
func whole(gone map[int]bool, list *node) bool {
	return len(gone) > 0 && len(gone) == len(list.members)
}

// remove takes members out of a list: each with the white space before it and
// the comma after it. If the last ones go, the comma before them goes too,
// unless the list ended with one. Comments stay.
func (d *document) remove(list *node, gone map[int]bool) (edits []edit) {
	if len(gone) == 0 {
		return nil
	}
	last := -1 // the last member that stays
	for i := range list.members {
		m := &list.members[i]
		if !gone[i] {
			last = i
			continue
		}
		start := m.keyStart
		for start > 0 && strings.IndexByte(" \t\r\n", d.text[start-1]) >= 0 {
			start--
		}
		end := m.value.end
		if m.comma >= 0 {
			edits = append(edits, edit{m.comma, m.comma + 1, ""})
			end = m.comma + 1
		}
		if rest := strings.TrimLeft(d.text[end:], " \t"); d.inLineComment(start) && !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, "\r\n") {
			start = m.keyStart // what follows must not become part of the comment
		}
		edits = append(edits, edit{start, m.value.end, ""})
	}
	if end := list.members[len(list.members)-1].comma; end < 0 && last >= 0 && last < len(list.members)-1 {
		edits = append(edits, edit{list.members[last].comma, list.members[last].comma + 1, ""})
	}
	return edits
}

// inLineComment reports whether the character before pos is part of a comment
// that lasts until the end of its line.
func (d *document) inLineComment(pos int) bool {
	return slices.ContainsFunc(d.comments, func(c span) bool {
		return c.Start < pos && pos <= c.Start+c.Len && strings.HasPrefix(d.text[c.Start:], "//")
	})
}

// commented reports whether there is a comment in a value, which must not go
// with it.
func (d *document) commented(n *node) bool {
	return slices.ContainsFunc(d.comments, func(c span) bool { return n.start < c.Start && c.Start < n.end })
}

// with returns the text with the hooks, which must not be in it yet, and what
// was inserted.
func (d *document) with(hooks []agents.OutsideHook) (text string, inserted []span, err error) {
	var edits []edit
	var missing []agents.OutsideHook
	unit := d.unit()
	for _, h := range hooks {
		var event *member
		if d.hooks != nil {
			event, _ = d.hooks.value.find(h.Event)
		}
		if event == nil {
			missing = append(missing, h)
			continue
		}
		edits = append(edits, d.add(&event.value, unit, func(indent string) string { return groupText(h, indent, unit) })...)
	}
	events := func(indent string) string {
		parts := make([]string, len(missing))
		for i, h := range missing {
			inner := indent + unit
			parts[i] = quote(h.Event) + ": [\n" + inner + groupText(h, inner, unit) + "\n" + indent + "]"
		}
		return strings.Join(parts, ",\n"+indent)
	}
	switch {
	case len(missing) == 0:
	case d.hooks != nil:
		edits = append(edits, d.add(&d.hooks.value, unit, events)...)
	default:
		edits = append(edits, d.add(&d.root, unit, func(indent string) string {
			return quote("hooks") + ": {\n" + indent + unit + events(indent+unit) + "\n" + indent + "}"
		})...)
	}
	if strings.Contains(d.text, "\r\n") {
		for i := range edits {
			edits[i].text = strings.ReplaceAll(edits[i].text, "\n", "\r\n")
		}
	}
	text, inserted = apply(d.text, edits)
	return text, inserted, d.check(text, len(hooks))
}

// check makes sure that nothing but our hooks was added: a fault here must not
// cost a user's settings.
func (d *document) check(text string, count int) error {
	after, err := read(text)
	if err != nil {
		return fmt.Errorf("the result would be broken: %w", err)
	}
	bare, n := after.without()
	back, err := read(bare)
	if err != nil || n != count {
		return fmt.Errorf("the result would be broken (%d of %d hooks)", n, count)
	}
	was, err1 := d.value()
	is, err2 := back.value()
	if err1 != nil || err2 != nil || !reflect.DeepEqual(was, is) {
		return errors.New("the result would change other settings")
	}
	if json.Valid([]byte(d.text)) && !json.Valid([]byte(text)) {
		return errors.New("the result would not be plain JSON")
	}
	return nil
}

// value is what the file says; empty hooks are as good as none.
func (d *document) value() (any, error) {
	v, err := d.root.decode(d.text)
	if m, ok := v.(map[string]any); ok {
		if hooks, ok := m["hooks"].(map[string]any); ok {
			for event, list := range hooks {
				if l, ok := list.([]any); ok && len(l) == 0 {
					delete(hooks, event)
				}
			}
			if len(hooks) == 0 {
				delete(m, "hooks")
			}
		}
	}
	return v, err
}

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
			tail, comma = m.comma+1, "," // as the others
		} else {
			edits = append(edits, edit{tail, tail, ","})
		}
	}
	// After the comments that follow, which belong to what is there.
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

// unit is one step of indentation, as the file does it.
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

// groupText is an element of an event's list: a group with one hook, which fits
// always.
func groupText(h agents.OutsideHook, indent, unit string) string {
	hook := settingsHook{Type: "command", Command: h.Command, Args: h.Args, Timeout: h.Timeout}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, unit)
	_ = enc.Encode(map[string][]settingsHook{"hooks": {hook}}) // cannot fail
	return strings.TrimSpace(b.String())
}

// quote spells a string in JSON.
func quote(s string) string {
	data, _ := json.Marshal(s) // cannot fail
	return string(data)
}
