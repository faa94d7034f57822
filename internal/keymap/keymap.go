package keymap

import (
	"fmt"
	"slices"
)

// DefaultPrefix is the prefix key unless the configuration says otherwise.
const DefaultPrefix = "C-b"

// Binding is one row of the table.
type Binding struct {
	Action Action
	// Keys are pressed after the prefix key, or alone in the mode that the group
	// belongs to (see ModeOf).
	Keys []string
	// Group and Text are for the help and the palette.
	Group, Text string
	needs       needs
	custom      bool // the keys come from the configuration
}

// Disabled returns why the action is not possible, "" if it is.
func (b Binding) Disabled(f Facts) string { return b.needs.reason(f) }

// Groups of bindings, in the order of the help.
const (
	GroupSessions = "Sessions"
	GroupFocus    = "Focus"
	GroupLayout   = "Layout"
	GroupView     = "View"
	GroupAnswer   = "Answer bar"
	GroupPrompt   = "Prompt bar"
	GroupList     = "Session list"
	GroupBorders  = "Moving borders"
	GroupCopy     = "Copy mode"
	GroupEvents   = "Events"
	GroupProgram  = "ccdir"

	GroupViews     = "Lists"
	GroupQueue     = "Queue"
	GroupDecisions = "Decisions"
	GroupCalls     = "Tool calls"
	GroupHistory   = "History"
	GroupRestore   = "Restore"
	GroupNodes     = "Nodes"
	GroupTrees     = "Work trees"

	GroupConversation = "Conversation"
	GroupReview       = "Review"
)

// defaults is the table. The order is that of the help.
func defaults() []Binding {
	return slices.Concat(
		sessionBindings(), focusBindings(), layoutBindings(), shownBindings(),
		answerBindings(), listBindings(), borderBindings(), promptBindings(), programBindings(),
		copyBindings(), eventBindings(), viewBindings(),
	)
}

// inGroup makes bindings of one group with the same needs; see when for exceptions.
func inGroup(group string, n needs) func(a Action, text string, keys ...string) Binding {
	return func(a Action, text string, keys ...string) Binding {
		return Binding{Action: a, Keys: keys, Group: group, Text: text, needs: n}
	}
}

// when replaces the needs of a binding.
func (b Binding) when(n needs) Binding {
	b.needs = n
	return b
}

// Map is a table of bindings with its prefix key. It is immutable.
type Map struct {
	prefix   string
	bindings []Binding
	byKey    map[Mode]map[string]int
}

// ToolKey is a tool of the configuration (Beside): its name, what it runs, and its key, "" none.
type ToolKey struct{ Tool, Command, Key string }

// withTools adds the tools to the table, or gives those that are in it their keys.
func (m *Map) withTools(tools []ToolKey) (problems []error) {
	last := m.index(Beside("shell"))
	for _, t := range tools {
		keys, errs := []string(nil), []error(nil)
		if t.Key != "" {
			keys, errs = normalAll(string(Beside(t.Tool)), []string{t.Key})
		}
		problems = append(problems, errs...)
		if i := m.index(Beside(t.Tool)); i >= 0 {
			if t.Key != "" {
				m.bindings[i].Keys, m.bindings[i].custom = keys, true
			}
			continue
		}
		b := inGroup(GroupSessions, needFocus|needWrite|needDaemon)(Beside(t.Tool), t.Tool+" beside the focused session, in its directory: "+t.Command, keys...)
		b.custom = true
		last++
		m.bindings = slices.Insert(m.bindings, last, b)
	}
	return problems
}

// Make builds a table. prefix is the prefix key ("" is the default); custom replaces
// the keys of actions by name. It returns every problem: unknown actions and keys, and
// keys bound twice; the map is usable nevertheless. tools are those of the configuration.
func Make(prefix string, custom map[string][]string, tools ...ToolKey) (*Map, []error) {
	var problems []error
	m := &Map{prefix: DefaultPrefix, bindings: defaults(), byKey: map[Mode]map[string]int{}}
	if prefix != "" {
		if name, err := Normal(prefix); err != nil {
			problems = append(problems, fmt.Errorf("keys.prefix: %w", err))
		} else if len([]rune(name)) == 1 {
			problems = append(problems, fmt.Errorf("keys.prefix: %q is a character that people type: take one with C- or M-, or a function key", prefix))
		} else {
			m.prefix = name
		}
	}
	problems = append(problems, m.withTools(tools)...)
	names := make([]string, 0, len(custom))
	for name := range custom {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(m.bindings, func(b Binding) bool { return string(b.Action) == name })
		if i < 0 {
			problems = append(problems, unknown(name))
			continue
		}
		keys, errs := normalAll(name, custom[name])
		problems = append(problems, errs...)
		m.bindings[i].Keys, m.bindings[i].custom = keys, true
	}
	// The prefix key pressed twice sends the prefix key itself.
	if i := m.index(Literal); !slices.Contains(m.bindings[i].Keys, m.prefix) {
		m.bindings[i].Keys = append([]string{m.prefix}, m.bindings[i].Keys...)
	}
	problems = append(problems, m.fill()...)
	return m, append(problems, m.hidden()...)
}

// hidden reports actions whose only key is the prefix key, which wins in every mode. In
// copy mode it has to be pressed twice.
func (m *Map) hidden() (problems []error) {
	for _, b := range m.bindings {
		if mode := ModeOf(b.Group); mode != ModePrefix && mode != ModeCopy && len(b.Keys) == 1 && b.Keys[0] == m.prefix {
			problems = append(problems, fmt.Errorf("keys.prefix: %s is the only key of %s%s: give that another one", m.prefix, b.Action, mode.where()))
		}
	}
	return problems
}

// table returns the index of a binding's mode: keys of different modes do not conflict.
func (m *Map) table(b Binding) map[string]int {
	mode := ModeOf(b.Group)
	if m.byKey[mode] == nil {
		m.byKey[mode] = map[string]int{}
	}
	return m.byKey[mode]
}

// fill builds byKey and reports conflicts within a mode: a key that the configuration
// bound wins, else the binding that is first in the table.
func (m *Map) fill() (problems []error) {
	for _, custom := range []bool{true, false} {
		for i, b := range m.bindings {
			if b.custom != custom {
				continue
			}
			byKey := m.table(b)
			for _, k := range b.Keys {
				if j, taken := byKey[k]; taken && j != i {
					winner := m.bindings[j].Action
					problems = append(problems, fmt.Errorf("key %s is bound to both %s and %s%s: %s keeps it", k, winner, b.Action, ModeOf(b.Group).where(), winner))
					continue
				}
				byKey[k] = i
			}
		}
	}
	return problems
}

func normalAll(name string, keys []string) (out []string, problems []error) {
	for _, k := range keys {
		n, err := Normal(k)
		if err != nil {
			problems = append(problems, fmt.Errorf("keys.%s: %w", name, err))
			continue
		}
		out = append(out, n)
	}
	return out, problems
}

func (m *Map) index(a Action) int {
	return slices.IndexFunc(m.bindings, func(b Binding) bool { return b.Action == a })
}

// Actions returns the names of all actions, in the order of the table.
func Actions() []string {
	var names []string
	for _, b := range defaults() {
		names = append(names, string(b.Action))
	}
	return names
}

// Prefix is the prefix key's name.
func (m *Map) Prefix() string { return m.prefix }

// Bindings returns the table in the order of the help. Callers must not modify it.
func (m *Map) Bindings() []Binding { return m.bindings }

// Lookup finds the binding of a key pressed after the prefix key.
func (m *Map) Lookup(key string) (Binding, bool) { return m.LookupIn(ModePrefix, key) }

// LookupAnswer finds the binding of a key pressed in the answer bar.
func (m *Map) LookupAnswer(key string) (Binding, bool) { return m.LookupIn(ModeAnswer, key) }

// LookupIn finds the binding of a key pressed in a mode.
func (m *Map) LookupIn(mode Mode, key string) (Binding, bool) {
	i, ok := m.byKey[mode][key]
	if !ok {
		return Binding{}, false
	}
	return m.bindings[i], true
}

// Of returns the binding of an action.
func (m *Map) Of(a Action) Binding {
	if i := m.index(a); i >= 0 {
		return m.bindings[i]
	}
	return Binding{Action: a}
}

// Hint says how to press an action, for example "C-b n", or "y" in the answer bar; ""
// if no key is bound.
func (m *Map) Hint(a Action) string {
	if b := m.Of(a); len(b.Keys) > 0 {
		if ModeOf(b.Group) != ModePrefix {
			return b.Keys[0]
		}
		return m.prefix + " " + b.Keys[0]
	}
	return ""
}
