package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/history"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/fuzzy"
)

// listKind is what the list above the prompt bar offers.
type listKind int

const (
	listNone    listKind = iota
	listFiles            // files, while an @ is being written
	listHistory          // prompts of before
	listTargets          // who gets the text
)

// promptList is the list above the prompt bar. A value.
type promptList struct {
	kind  listKind
	query edit.Line
	items []string // what can be chosen, shown as it is
	notes []string // beside them, nil if none
	found []int    // those that match, the best first
	sel   int      // in found
	// marked are the targets that were chosen, by session; values are the
	// targets of items.
	marked []string
	values []target
	// from is where the @ stands in its line. note says what else there is.
	from int
	note string
}

// maxFound bounds how many matches a list holds.
const maxFound = 200

// promptListKey handles a key for the list; taken is false if it is the editor's.
func (m *model) promptListKey(k input.Key) (taken bool) {
	l := &m.prompt.list
	if l.kind == listNone {
		return false
	}
	switch k.Name {
	case "Escape", "C-c", "C-g":
		if l.kind == listFiles {
			m.prompt.files.dismissed = true
		}
		*l = promptList{}
	case "Up", "C-p":
		m.step(-1)
	case "Down", "C-n":
		m.step(1)
	case "C-r", "C-s":
		if l.kind != listHistory {
			return false
		}
		m.step(map[string]int{"C-r": 1, "C-s": -1}[k.Name])
	case "Enter", "Tab":
		m.accept()
	default:
		switch b, _ := m.keys.LookupIn(keymap.ModePrompt, k.Name); {
		case l.kind == listFiles:
			return false
		case l.kind == listHistory && b.Action == keymap.PromptHistory:
			m.step(1)
		default:
			m.listQuery(k)
		}
	}
	return true
}

// step moves the selection; the history is listed from below, the newest first.
func (m *model) step(by int) {
	l := &m.prompt.list
	l.sel = max(0, min(l.sel+by, len(l.found)-1))
}

// listQuery edits what the list is searched for, or marks a target.
func (m *model) listQuery(k input.Key) {
	l := &m.prompt.list
	if k.Name == "Space" && l.kind == listTargets {
		m.mark()
		return
	}
	old := l.query.String()
	if l.query, _ = l.query.Key(k.Name, k.Text()); l.query.String() != old {
		m.filterList()
	}
}

// filterList finds what matches anew.
func (m *model) filterList() {
	l := &m.prompt.list
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

// accept takes the selected item.
func (m *model) accept() {
	p := &m.prompt
	l := p.list
	p.list = promptList{}
	if l.kind != listFiles {
		defer m.beginAnew()
	}
	if l.kind == listTargets && len(l.marked) > 0 {
		p.target, p.problem = target{kind: targetChosen, ids: l.marked}, ""
		return
	}
	if l.sel >= len(l.found) {
		return
	}
	i := l.found[l.sel]
	switch l.kind {
	case listHistory:
		if p.at == 0 && !p.text.Empty() {
			p.draft = p.text
		}
		p.text, p.at = edit.New(l.items[i]), len(l.items)-i
	case listTargets:
		if p.target, p.problem = l.values[i], ""; p.target.kind == targetIdle {
			p.target = m.idleTarget()
		}
	case listFiles:
		path := l.items[i]
		if strings.ContainsAny(path, " \t\"") {
			path = `"` + path + `"`
		}
		_, off := p.text.Cursor()
		m.edited(p.text.Replace(l.from, off, "@"+path+" "))
	}
}

// searchHistory opens the search through the history.
func (m *model) searchHistory() {
	m.prompt.list = promptList{kind: listHistory, items: m.prompt.history}
	m.filterList()
}

// chooseTarget opens the list of targets.
func (m *model) chooseTarget() {
	l := promptList{kind: listTargets}
	add := func(text, note string, t target) {
		l.items, l.notes, l.values = append(l.items, text), append(l.notes, note), append(l.values, t)
	}
	for _, v := range m.gridded() {
		if takesPrompts(v) {
			note := v.State.Indicator() + " " + strings.ReplaceAll(string(v.State), "_", " ")
			if v.ID == m.focus {
				note += ", focused"
			}
			if plain := ui.PlainOf(v); plain != "" {
				note += ", a " + plain
			}
			add(textsafe.Line(v.Name), note, target{kind: targetChosen, ids: []string{v.ID}})
		}
	}
	add("new session", "", target{kind: targetNew})
	if m.canQueue() {
		add("queue", "starts when its turn comes", target{kind: targetQueue})
	}
	if to := m.idle(); len(to) > 0 {
		add("all idle agents", countOf(to, "agent", m.labelRoom("all idle agents")), target{kind: targetIdle})
	}
	m.prompt.list = l
	m.filterList()
}

// mark marks the selected session, or takes the mark away.
func (m *model) mark() {
	l := &m.prompt.list
	if l.sel >= len(l.found) {
		return
	}
	t := l.values[l.found[l.sel]]
	if t.kind != targetChosen {
		return
	}
	if i := slices.Index(l.marked, t.ids[0]); i >= 0 {
		l.marked = slices.Delete(slices.Clone(l.marked), i, i+1)
	} else {
		l.marked = append(slices.Clone(l.marked), t.ids[0])
	}
	m.step(1)
}

// fileIndex are the files that can be named after an @.
type fileIndex struct {
	dir   string
	found history.Files
	state indexState
	// cancel ends the scan; dismissed: the person closed the list of this @.
	cancel    context.CancelFunc
	dismissed bool
	at        time.Time
}

type indexState int

const (
	indexNone indexState = iota
	indexScanning
	indexReady
	indexFailed
)

// left says what of the files is not offered, "" if all are.
func (f *fileIndex) left() string {
	switch {
	case f.found.More:
		return "not all files were looked at"
	case f.found.Odd > 0:
		return format.Plural(f.found.Odd, "name", "names") + " that cannot be written here left out"
	}
	return ""
}

// stop ends a scan that runs.
func (f *fileIndex) stop() {
	if f.cancel != nil {
		f.cancel()
	}
}

// complete opens, updates or closes the list of files: it belongs to an @ that
// begins a word, as long as the cursor is in that word.
func (m *model) complete() cmd {
	p := &m.prompt
	from, query, ok := atWord(p.text)
	if !ok {
		p.files.dismissed = false
		if p.list.kind == listFiles {
			p.list = promptList{}
		}
		return nil
	}
	if p.files.dismissed {
		return nil
	}
	c := m.scanFiles()
	l := promptList{kind: listFiles, query: edit.NewLine(query), from: from, items: p.files.found.Paths}
	if p.list.kind == listFiles && p.list.query.String() == query {
		l.sel = p.list.sel
	}
	l.found = fuzzy.Find(query, l.items, maxFound)
	switch p.files.state {
	case indexScanning:
		l.note = "looking for files…"
	case indexFailed:
		l.note = "the directory cannot be read"
	case indexReady:
		l.note = p.files.left()
	}
	if l.sel = min(l.sel, max(0, len(l.found)-1)); len(l.found) == 0 && p.files.state == indexReady {
		l = promptList{} // Enter sends
	}
	p.list = l
	return c
}

// atWord is the word that begins with an @ and holds the cursor at its end.
func atWord(b edit.Buffer) (from int, query string, ok bool) {
	row, off := b.Cursor()
	head := b.Line(row)[:off]
	from = strings.LastIndexByte(head, '@')
	if from < 0 || strings.ContainsAny(head[from:], " \t") || from > 0 && head[from-1] != ' ' && head[from-1] != '\t' && head[from-1] != '(' {
		return 0, "", false
	}
	return from, head[from+1:], true
}

// filesFresh is how long a scan is good for.
const filesFresh = 30 * time.Second

// scanFiles begins to look for the files of the target's directory, unless
// that was done lately.
func (m *model) scanFiles() cmd {
	p := &m.prompt
	dir := m.promptDir()
	if p.files.dir == dir && p.files.state != indexNone && (p.files.state == indexScanning || m.now().Sub(p.files.at) < filesFresh) {
		return nil
	}
	p.files.stop()
	ctx, cancel := context.WithCancel(m.ctx)
	p.files = fileIndex{dir: dir, state: indexScanning, cancel: cancel, at: m.now(), found: p.files.found}
	return m.callIn(ctx, nil, func(c calls) (func(*model), error) {
		found, err := history.Scan(c.ctx, dir)
		cancel()
		return func(m *model) { m.scanned(dir, found, indexReady) }, err
	}, func(m *model, _ error) { m.scanned(dir, history.Files{}, indexFailed) })
}

// scanned takes what was found.
func (m *model) scanned(dir string, found history.Files, state indexState) {
	p := &m.prompt
	if p.files.dir != dir || p.files.state != indexScanning {
		return // the bar was closed, or is about another directory
	}
	p.files.found, p.files.state = found, state
	if m.mode == modePrompt && p.list.kind == listFiles {
		_ = m.complete() // the scan is fresh: nothing is begun
	}
}

// promptDir is the directory that the text is about.
func (m *model) promptDir() string {
	if to := m.receivers(); len(to) > 0 {
		return to[0].CWD
	}
	if v := m.focused(); v != nil {
		return v.CWD
	}
	return m.opts.Dir
}
