package prompt

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/prompt/history"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
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

// promptListKey handles a key for the list; taken is false if it is the editor's.
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
		b.step(-1)
	case "Down", "C-n":
		b.step(1)
	case "C-r", "C-s":
		if l.kind != listHistory {
			return false
		}
		b.step(map[string]int{"C-r": 1, "C-s": -1}[k.Name])
	case "Enter", "Tab":
		b.accept(env)
	case "DC", "C-x":
		if l.kind != listKept {
			b.listQuery(k)
			break
		}
		b.takeFromKept(false)
	default:
		switch bound, _ := env.Keys.LookupIn(keymap.ModePrompt, k.Name); {
		case l.kind == listFiles:
			return false
		case l.kind == listHistory && bound.Action == keymap.PromptHistory:
			b.step(1)
		default:
			b.listQuery(k)
		}
	}
	return true
}

// step moves the selection; the history is listed from below, the newest first.
func (b *Bar) step(by int) {
	l := &b.list
	l.sel = max(0, min(l.sel+by, len(l.found)-1))
}

// listQuery edits what the list is searched for, or marks a target.
func (b *Bar) listQuery(k ui.Key) {
	l := &b.list
	if k.Name == "Space" && l.kind == listTargets {
		b.mark()
		return
	}
	old := l.query.String()
	if l.query, _ = l.query.Key(k.Name, k.Text()); l.query.String() != old {
		b.filterList()
	}
}

// filterList finds what matches anew.
func (b *Bar) filterList() {
	l := &b.list
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
func (b *Bar) accept(env ui.Env) {
	l := b.list
	b.list = promptList{}
	if l.kind != listFiles {
		defer b.beginAnew(env)
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
		if b.at == 0 && !b.text.Empty() {
			b.draft = b.text
		}
		b.text, b.at = edit.New(l.items[i]), len(l.items)-i
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

// searchHistory opens the search through the history.
func (b *Bar) searchHistory() {
	b.list = promptList{kind: listHistory, items: b.history}
	b.filterList()
}

// chooseTarget opens the list of targets.
func (b *Bar) chooseTarget(env ui.Env) {
	l := promptList{kind: listTargets}
	for _, c := range target.Choices(env) {
		l.items, l.notes, l.values = append(l.items, c.Text), append(l.notes, c.Note), append(l.values, c.Target)
	}
	b.list = l
	b.filterList()
}

// mark marks the selected session, or takes the mark away.
func (b *Bar) mark() {
	l := &b.list
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
	b.step(1)
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
	b.scanFiles(env)
	l := promptList{kind: listFiles, query: edit.NewLine(query), from: from, items: b.files.found.Paths}
	if b.list.kind == listFiles && b.list.query.String() == query {
		l.sel = b.list.sel
	}
	l.found = foundFiles(query, l.items)
	switch b.files.state {
	case indexScanning:
		l.note = "looking for files…"
	case indexFailed:
		l.note = "the directory cannot be read"
	case indexReady:
		l.note = b.files.left()
	}
	if l.sel = min(l.sel, max(0, len(l.found)-1)); len(l.found) == 0 && b.files.state == indexReady {
		l = promptList{} // Enter sends
	}
	b.list = l
}

// foundFiles are the files that match, dot files last unless the query is one's.
func foundFiles(query string, paths []string) []int {
	found := fuzzy.Find(query, paths, maxFound)
	if !history.Hidden(query) {
		slices.SortStableFunc(found, func(a, b int) int { return history.HiddenLast(paths[a], paths[b]) })
	}
	return found
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

// scanned is the result of a directory's scan.
type scanned struct {
	dir   string
	found history.Files
}

// scanFiles begins to look for the files of the target's directory, unless
// that was done lately.
func (b *Bar) scanFiles(env ui.Env) {
	dir := b.to(env).Dir()
	if b.files.dir == dir && b.files.state != indexNone && (b.files.state == indexScanning || env.Now.Sub(b.files.at) < filesFresh) {
		return
	}
	b.files.stop()
	stop, cancel := context.WithCancel(context.Background())
	b.files = fileIndex{dir: dir, state: indexScanning, cancel: cancel, at: env.Now, found: b.files.found}
	b.ask(ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(stop, end)()
		found, err := history.Scan(ctx, dir)
		cancel()
		return ui.Result{Value: scanned{dir, found}}, err
	}})
}

// takeFiles takes what was found, unless the bar was closed, or is about another directory.
func (b *Bar) takeFiles(env ui.Env, s scanned, err error) {
	if b.files.dir != s.dir || b.files.state != indexScanning {
		return
	}
	b.files.found, b.files.state = s.found, indexReady
	if err != nil {
		b.files.found, b.files.state = history.Files{}, indexFailed
	}
	if env.Writing && b.list.kind == listFiles {
		b.complete(env) // the scan is fresh: nothing is begun
	}
}
