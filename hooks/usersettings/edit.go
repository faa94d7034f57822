package usersettings

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ccdir/agents/claude"
)

// edit replaces text[start:end]. Insertions have start == end.
type edit struct {
	start, end int
	text       string
}

// span is a range of the text after the edits.
type span struct {
	Start int `json:"start"`
	Len   int `json:"len"`
}

// apply makes the edits, which must not overlap; inserted are the ranges of new text.
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

// cut removes the spans from the text; ok is false if they do not lie in it.
func cut(text string, spans []span) (out string, ok bool) {
	var edits []edit
	at := 0
	for _, s := range spans {
		if s.Start < at || s.Start > len(text) || s.Len < 0 || s.Len > len(text)-s.Start {
			return "", false
		}
		at = s.Start + s.Len
		edits = append(edits, edit{s.Start, at, ""})
	}
	out, _ = apply(text, edits)
	return out, true
}

// document is a parsed settings file.
type document struct {
	text     string
	root     node
	comments []span
	// hooks is the member "hooks", nil if there is none.
	hooks *member
}

// errNotObject: the file is JSON, but not a settings object.
var errNotObject = errors.New("it is not a JSON object")

// read parses a settings file. Duplicate names are refused where they matter: which one
// counts is not ours to decide.
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

// settingsHook is a hook in the file's format.
type settingsHook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
}

// entry is one of our hooks in the file.
type entry struct {
	hook claude.OutsideHook
	shim string
}

// hook reads a node as one of our hooks.
func (d *document) hook(event string, n *node) (h claude.OutsideHook, shim string, ok bool) {
	if n.kind != kindObject {
		return h, "", false
	}
	v, err := n.decode()
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
	h = claude.OutsideHook{Event: event, Command: s.Command, Args: s.Args, Timeout: s.Timeout}
	shim, ok = h.Shim()
	return h, shim, ok
}

// group returns the hooks of an element of an event's list, nil if the element has
// another shape.
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

// ours returns our hooks in the file, in order.
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

// whole reports whether all members of a list are removed.
func whole(gone map[int]bool, list *node) bool {
	return len(gone) > 0 && len(gone) == len(list.members)
}

// remove deletes members of a list: each with the white space before it and the comma
// after it. If the last ones are deleted, the comma before them goes too, unless the
// list ended with a comma. Comments stay.
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
			start = m.keyStart // the text after it must not become part of the comment
		}
		edits = append(edits, edit{start, m.value.end, ""})
	}
	if end := list.members[len(list.members)-1].comma; end < 0 && last >= 0 && last < len(list.members)-1 {
		edits = append(edits, edit{list.members[last].comma, list.members[last].comma + 1, ""})
	}
	return edits
}

// inLineComment reports whether the character before pos is part of a // comment.
func (d *document) inLineComment(pos int) bool {
	return slices.ContainsFunc(d.comments, func(c span) bool {
		return c.Start < pos && pos <= c.Start+c.Len && strings.HasPrefix(d.text[c.Start:], "//")
	})
}

// commented reports whether there is a comment in a value: then the value must not be
// removed whole.
func (d *document) commented(n *node) bool {
	return slices.ContainsFunc(d.comments, func(c span) bool { return n.start < c.Start && c.Start < n.end })
}

// with returns the text with the hooks, which must not be in it yet, and the inserted
// ranges.
func (d *document) with(hooks []claude.OutsideHook) (text string, inserted []span, err error) {
	var edits []edit
	var missing []claude.OutsideHook
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

// check makes sure that only our hooks were added: a bug here must not cost a user's
// settings.
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

// value is the decoded file; empty hooks count as none.
func (d *document) value() (any, error) {
	v, err := d.root.decode()
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
