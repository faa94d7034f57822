package prompt

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/fuzzy"
)

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

// scan begins to look for the files of a directory, unless that was done lately; nil: it was.
func (f *fileIndex) scan(dir string, now time.Time) []ui.Effect {
	if f.dir == dir && f.state != indexNone && (f.state == indexScanning || now.Sub(f.at) < filesFresh) {
		return nil
	}
	f.stop()
	stop, cancel := context.WithCancel(context.Background())
	*f = fileIndex{dir: dir, state: indexScanning, cancel: cancel, at: now, found: f.found}
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(stop, end)()
		found, err := history.Scan(ctx, dir)
		cancel()
		return ui.Result{Value: scanned{dir, found}}, err
	}}}
}

// take takes what was found, and reports whether it was waited for: not if the bar was
// closed, or is about another directory.
func (f *fileIndex) take(s scanned, err error) bool {
	if f.dir != s.dir || f.state != indexScanning {
		return false
	}
	f.found, f.state = s.found, indexReady
	if err != nil {
		f.found, f.state = history.Files{}, indexFailed
	}
	return true
}

// list is the list of files like query, whose @ stands at from, with the choice of the list
// before; an empty one if there is none.
func (f *fileIndex) list(query string, from int, before promptList) promptList {
	l := promptList{kind: listFiles, query: edit.NewLine(query), from: from, items: f.found.Paths}
	if before.kind == listFiles && before.query.String() == query {
		l.sel = before.sel
	}
	l.found = foundFiles(query, l.items)
	switch f.state {
	case indexScanning:
		l.note = "looking for files…"
	case indexFailed:
		l.note = "the directory cannot be read"
	case indexReady:
		l.note = f.left()
	}
	if l.sel = min(l.sel, max(0, len(l.found)-1)); len(l.found) == 0 && f.state == indexReady {
		return promptList{} // Enter sends
	}
	return l
}
