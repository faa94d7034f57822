package prompt

import (
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/fuzzy"
)

// listKind is the kind of things that the list above the prompt bar offers.
type listKind int

const (
	listNone    listKind = iota
	listFiles            // files, while an @ is being written
	listHistory          // prompts of before
	listTargets          // receivers of the text
	listKept             // what the daemon keeps for later
)

// promptList is the list above the prompt bar. A value.
type promptList struct {
	kind  listKind
	query edit.Line
	items []string // the choices, shown as they are
	notes []string // beside them, nil if none
	found []int    // those that match, the best first
	sel   int      // in found
	// marked are the targets that were chosen, by session; values are the
	// targets of items.
	marked []string
	values []target.Target
	kept   []api.PendingPrompt // of items
	// from is where the @ stands in its line. note says what else there is.
	from int
	note string
}

// maxFound bounds how many matches a list holds.
const maxFound = 200

// step moves the selection; the history is listed from below, the newest first.
func (l *promptList) step(by int) { l.sel = max(0, min(l.sel+by, len(l.found)-1)) }

// key edits what the list is searched for, or marks a target.
func (l *promptList) key(k ui.Key) {
	if k.Name == "Space" && l.kind == listTargets {
		l.mark()
		return
	}
	old := l.query.String()
	if l.query, _ = l.query.Key(k.Name, k.Text()); l.query.String() != old {
		l.filter()
	}
}

// filter finds what matches anew.
func (l *promptList) filter() {
	l.sel = 0
	if l.kind == listHistory {
		// The newest match first, as searches in shells do: letters in a row.
		l.found = nil
		query := strings.ToLower(l.query.String())
		for i, text := range slices.Backward(l.items) {
			if strings.Contains(strings.ToLower(text), query) && len(l.found) < maxFound {
				l.found = append(l.found, i)
			}
		}
		return
	}
	l.found = fuzzy.Find(l.query.String(), l.items, maxFound)
}

// mark marks the selected session, or takes the mark away.
func (l *promptList) mark() {
	if l.sel >= len(l.found) {
		return
	}
	t := l.values[l.found[l.sel]]
	if t.Kind != target.Chosen {
		return
	}
	if i := slices.Index(l.marked, t.IDs[0]); i >= 0 {
		l.marked = slices.Delete(slices.Clone(l.marked), i, i+1)
	} else {
		l.marked = append(slices.Clone(l.marked), t.IDs[0])
	}
	l.step(1)
}

// listKey handles a key for the list; taken is false if it is the editor's.
func (b *Bar) listKey(env ui.Env, k ui.Key) (taken bool) {
	l := &b.list
	if l.kind == listNone {
		return false
	}
	switch k.Name {
	case "Escape", "C-c", "C-g":
		if l.kind == listFiles {
			b.files.dismissed = true
		}
		*l = promptList{}
	case "Up", "C-p":
		l.step(-1)
	case "Down", "C-n":
		l.step(1)
	case "C-r", "C-s":
		if l.kind != listHistory {
			return false
		}
		l.step(map[string]int{"C-r": 1, "C-s": -1}[k.Name])
	case "Enter", "Tab":
		b.accept(env)
	case "DC", "C-x":
		if l.kind != listKept {
			l.key(k)
			break
		}
		b.takeFromKept(false)
	default:
		switch bound, _ := env.Keys.LookupIn(keymap.ModePrompt, k.Name); {
		case l.kind == listFiles:
			return false
		case l.kind == listHistory && bound.Action == keymap.PromptHistory:
			l.step(1)
		default:
			l.key(k)
		}
	}
	return true
}

// accept takes the selected item.
func (b *Bar) accept(env ui.Env) {
	l := b.list
	b.list = promptList{}
	if l.kind != listFiles {
		defer b.retarget(env)
	}
	if l.kind == listTargets && len(l.marked) > 0 {
		b.target, b.problem = target.ChosenOf(l.marked...), ""
		return
	}
	if l.sel >= len(l.found) {
		return
	}
	i := l.found[l.sel]
	switch l.kind {
	case listHistory:
		if !b.text.Empty() {
			b.past.aside(b.text)
		}
		b.text, b.past.at = edit.New(l.items[i]), len(l.items)-i
	case listTargets:
		if b.target, b.problem = l.values[i], ""; b.target.Kind == target.Idle {
			b.target = target.IdleNow(env)
		}
	case listKept:
		b.list = l
		b.takeFromKept(true)
	case listFiles:
		path := l.items[i]
		if strings.ContainsAny(path, " \t\"") {
			path = `"` + path + `"`
		}
		_, off := b.text.Cursor()
		b.edited(env, b.text.Replace(l.from, off, "@"+path+" "))
	}
}

// chooseTarget opens the list of targets.
func (b *Bar) chooseTarget(env ui.Env) {
	l := promptList{kind: listTargets}
	for _, c := range target.Choices(env) {
		l.items, l.notes, l.values = append(l.items, c.Text), append(l.notes, c.Note), append(l.values, c.Target)
	}
	b.list = l
	b.list.filter()
}

// complete opens, updates or closes the list of files: it belongs to an @ that
// begins a word, as long as the cursor is in that word.
func (b *Bar) complete(env ui.Env) {
	from, query, ok := atWord(b.text)
	if !ok {
		b.files.dismissed = false
		if b.list.kind == listFiles {
			b.list = promptList{}
		}
		return
	}
	if b.files.dismissed {
		return
	}
	b.ask(b.files.scan(b.to(env).Dir(), env.Now)...)
	b.list = b.files.list(query, from, b.list)
}
