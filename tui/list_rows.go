package tui

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/textsafe"
	"ccdir/tui/fuzzy"
)

// Orders of the session list; by need is "".
const (
	sortNeed = ""
	sortName = "name"
	sortGrid = "grid"
)

// listSource is what the session list is made of. It is immutable.
type listSource struct {
	// sessions are all, in the grid's order, those outside ccdir last.
	sessions []api.Session
	requests []api.Request
	hidden   map[string]bool
	// projects is the project of each directory that is known.
	projects map[string]string
	opt      api.GridList
	now      time.Time
}

// listRow is one line of the list: a session, or the heading of a project.
type listRow struct {
	session api.Session
	heading string // of a project, "" for sessions
	count   int    // of a heading: its sessions
	hidden  bool
	asks    bool // it waits for a person
	putOff  bool // a person has put that off
}

// need is how much a session needs a person: 0 the most.
func need(row listRow) int {
	v, asks := row.session, row.asks
	switch {
	case row.putOff:
		return 4
	case v.State == api.StatePermission:
		return 0
	case v.State == api.StateInput || asks:
		return 1
	case v.Undelivered != "":
		return 2
	case v.Unread && v.State == api.StateIdle, v.Unread && v.State.Ended():
		return 3 // it has done something that nobody has seen
	case v.State == api.StateWorking, v.State == api.StateStarting:
		return 4
	case v.State == api.StateIdle:
		return 5
	case v.State == api.StateLost:
		return 6
	case v.State.Ended():
		return 8
	}
	return 7
}

// rows are the lines of the list for a filter.
func (src listSource) rows(filter string) []listRow {
	var rows []listRow
	for _, v := range src.sessions {
		if src.matches(filter, v) {
			asks := !v.State.Ended() && requestOf(src.requests, v.ID) != nil
			asks = asks || v.State.NeedsPerson()
			rows = append(rows, listRow{session: v, hidden: src.hidden[v.ID], asks: asks, putOff: asks && v.PutOff(src.now)})
		}
	}
	slices.SortStableFunc(rows, src.compare)
	if src.opt.Group {
		rows = src.grouped(rows)
	}
	return rows
}

// compare orders rows; equal ones stay in the grid's order.
func (src listSource) compare(a, b listRow) int {
	switch src.opt.Sort {
	case sortName:
		return cmp.Or(strings.Compare(strings.ToLower(a.session.Name), strings.ToLower(b.session.Name)), strings.Compare(a.session.ID, b.session.ID))
	case sortGrid:
		return 0
	}
	n := need(a)
	if d := cmp.Compare(n, need(b)); d != 0 || n > 3 {
		return d
	}
	return a.session.Since.Compare(b.session.Since) // the longest waiting first
}

// grouped puts rows of one project together, below a heading; projects are in
// the order of their first session.
func (src listSource) grouped(rows []listRow) []listRow {
	var order []string
	by := map[string][]listRow{}
	for _, r := range rows {
		p := src.project(r.session.CWD)
		if by[p] == nil {
			order = append(order, p)
		}
		by[p] = append(by[p], r)
	}
	var out []listRow
	for _, p := range order {
		out = append(out, listRow{heading: p, count: len(by[p])})
		out = append(out, by[p]...)
	}
	return out
}

// project is the project of a directory: its repository if it is known, else
// the directory.
func (src listSource) project(dir string) string {
	if p := src.projects[dir]; p != "" {
		return p
	}
	return dir
}

// matches reports whether each word of the filter is a part of what is known of
// the session, or stands for its name with letters left out.
func (src listSource) matches(filter string, v api.Session) bool {
	text := ""
	for word := range strings.FieldsSeq(filter) {
		if _, ok := fuzzy.Score(word, v.Name); ok {
			continue
		}
		if text == "" {
			text = strings.ToLower(src.text(v))
		}
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// text is what the filter looks at.
func (src listSource) text(v api.Session) string {
	parts := []string{v.Name, string(v.State), v.Agent, v.Task, filepath.Base(src.project(v.CWD)), taskOf(v)}
	if v.External {
		parts = append(parts, "outside")
	}
	if src.hidden[v.ID] {
		parts = append(parts, "hidden")
	}
	if v.PutOff(src.now) {
		parts = append(parts, "put off")
	}
	return strings.Join(parts, " ")
}

// maxTaskText bounds the text of a task in the list, in bytes.
const maxTaskText = 300

// taskOf is what a session does, in one line: what it asks, else the last
// prompt; before it the number of its task in the queue.
func taskOf(v api.Session) string {
	text := v.Prompt
	if v.State.NeedsPerson() && v.Question != "" {
		text = v.Question
	}
	if v.Error != "" && v.State.Ended() {
		text = v.Error
	}
	if len(text) > maxTaskText {
		text = strings.ToValidUTF8(text[:maxTaskText], "")
	}
	text = textsafe.Line(strings.Join(strings.Fields(text), " "))
	if v.Task != "" {
		text = strings.TrimSpace("#" + textsafe.Line(v.Task) + " " + text)
	}
	return text
}

// projectOf is the repository that a directory is in, found by .git as git
// does; the directory itself if it is in none.
func projectOf(dir string, exists func(string) bool) string {
	for at := filepath.Clean(dir); filepath.IsAbs(at); at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}

// findProjects looks up the projects of directories that are new, away from the
// program: a directory may be on a slow disk.
func (m *model) findProjects() cmd {
	var dirs []string
	for _, v := range m.sessions {
		if _, known := m.list.projects[v.CWD]; !known && v.CWD != "" && !slices.Contains(dirs, v.CWD) {
			dirs = append(dirs, v.CWD)
		}
	}
	if len(dirs) == 0 || m.opts.Client == nil {
		return nil
	}
	for _, d := range dirs {
		m.list.projects = with(m.list.projects, d, "")
	}
	return m.call("", func(calls) (func(*model), error) {
		found := map[string]string{}
		for _, d := range dirs {
			found[d] = projectOf(d, func(path string) bool { _, err := os.Lstat(path); return err == nil })
		}
		return func(m *model) {
			for d, p := range found {
				m.list.projects = with(m.list.projects, d, p)
			}
		}, nil
	})
}

// with is a map with one value more; scenes share the old one.
func with[V any](old map[string]V, key string, value V) map[string]V {
	out := make(map[string]V, len(old)+1)
	for k, v := range old {
		out[k] = v
	}
	out[key] = value
	return out
}
