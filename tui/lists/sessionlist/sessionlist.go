package sessionlist

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/fuzzy"
)

// Orders of the session list; by need is "".
const (
	ByNeed = ""
	ByName = "name"
	ByGrid = "grid"
)

// Source is the input of the list of sessions. It is not changed once it is made.
type Source struct {
	// Sessions are all, in the grid's order, those outside ccdir last.
	Sessions []api.Session
	// Shown are those with a pane, by their numbers.
	Shown    []api.Session
	Requests []api.Request
	Hidden   map[string]bool
	// Projects is the project of each directory that is known.
	Projects map[string]string
	Opt      api.GridList
	// Places, if not nil, are those that sessions keep, by id; others come after them.
	Places map[string]int
	// Scope is what Sessions are in, zero for all; Beyond is how many are not.
	Scope  api.GridScope
	Beyond int
	Now    time.Time
}

// Row is one line of the list: a session, or the heading of a project.
type Row struct {
	Session api.Session
	Heading string // of a project, "" for sessions
	Node    string // of a heading: the machine of the project, "" this one
	Count   int    // of a heading: its sessions
	Alike   bool   // of a heading: another project's directory has its name
	Hidden  bool
	Asks    bool // it waits for a person
	PutOff  bool // a person has put that off
	// Standing of the session.
	Standing api.Standing
}

// Need is how much a session needs a person: 0 the most.
func (row Row) Need() int {
	v, standing := row.Session, row.Standing
	switch {
	case row.Asks && !row.PutOff:
		standing = api.StandingAsks
	case v.Undelivered != "" && standing.Rank() > api.StandingFailed.Rank():
		standing = api.StandingFailed
	}
	return standing.Rank()
}

// Rows are the lines of the list for a filter.
func (src Source) Rows(filter string) []Row {
	var rows []Row
	for _, v := range src.Sessions {
		if src.matches(filter, v) {
			asks := v.State.NeedsPerson() || !v.State.Ended() && src.requested(v.ID)
			rows = append(rows, Row{Session: v, Hidden: src.Hidden[v.ID], Asks: asks, PutOff: asks && v.PutOff(src.Now), Standing: v.Standing(src.Now)})
		}
	}
	slices.SortStableFunc(rows, src.compare)
	if src.Opt.Group {
		rows = src.grouped(rows)
	}
	return rows
}

// requested reports whether a session has an open permission request.
func (src Source) requested(id string) bool {
	return slices.ContainsFunc(src.Requests, func(r api.Request) bool { return r.Session == id })
}

// compare orders rows; equal ones stay in the grid's order.
func (src Source) compare(a, b Row) int {
	if d := cmp.Compare(src.place(a), src.place(b)); d != 0 {
		return d
	}
	if d := cmp.Compare(src.pin(a), src.pin(b)); d != 0 {
		return d
	}
	switch src.Opt.Sort {
	case ByName:
		return cmp.Or(strings.Compare(strings.ToLower(a.Session.Name), strings.ToLower(b.Session.Name)), strings.Compare(a.Session.ID, b.Session.ID))
	case ByGrid:
		return 0
	}
	n := a.Need()
	if d := cmp.Compare(n, b.Need()); d != 0 || n > api.StandingDone.Rank() {
		return d
	}
	return a.Session.Since.Compare(b.Session.Since) // the longest waiting first
}

// pin is 0 for rows that stand first: those that ask, in the order by need, then pinned ones.
func (src Source) pin(row Row) int {
	switch {
	case src.Opt.Sort == ByNeed && row.Need() == api.StandingAsks.Rank():
		return 0
	case row.Session.Marks.Pinned:
		return 1
	}
	return 2
}

// place is the place that a row keeps; the same for all that keep none.
func (src Source) place(row Row) int {
	if at, kept := src.Places[row.Session.ID]; kept {
		return at
	}
	return len(src.Places)
}

// Kept are the places that sessions have now.
func (src Source) Kept() map[string]int {
	src.Places, src.Opt.Group = nil, false
	at := map[string]int{}
	for i, row := range src.Rows("") {
		at[row.Session.ID] = i
	}
	return at
}

// groupSign is before the name of a person's group in headings.
const groupSign = "#"

// grouped puts rows of one group, or else of one project, together, below a heading; projects are in
// the order of their first session.
func (src Source) grouped(rows []Row) []Row {
	type place struct{ node, project string }
	var order []place
	by := map[place][]Row{}
	for _, r := range rows {
		p := place{r.Session.Node, src.project(r.Session)}
		if r.Session.Marks.Group != "" {
			p = place{"", groupSign + r.Session.Marks.Group}
		}
		if by[p] == nil {
			order = append(order, p)
		}
		by[p] = append(by[p], r)
	}
	var out []Row
	for _, p := range order {
		alike := slices.ContainsFunc(order, func(o place) bool {
			return o != p && o.node == p.node && filepath.Base(o.project) == filepath.Base(p.project)
		})
		out = append(out, Row{Heading: p.project, Node: p.node, Count: len(by[p]), Alike: alike})
		out = append(out, by[p]...)
	}
	return out
}

// Headings is how many projects have a heading.
func (src Source) Headings() int {
	if !src.Opt.Group {
		return 0
	}
	type place struct{ node, project string }
	all := map[place]bool{}
	for i := range src.Sessions {
		v := &src.Sessions[i]
		p := place{v.Node, src.project(*v)}
		if v.Marks.Group != "" {
			p = place{"", groupSign + v.Marks.Group}
		}
		all[p] = true
	}
	return len(all)
}

// Project is the project of a directory: its repository if it is known, else
// the directory.
func (src Source) Project(dir string) string {
	if p := src.Projects[dir]; p != "" {
		return p
	}
	return dir
}

// project is the project of a session. Directories of other machines are not looked at.
func (src Source) project(v api.Session) string {
	if v.Node != "" {
		return v.CWD
	}
	return src.Project(v.CWD)
}

// In reports whether a session is in a scope. A directory that was not looked at yet counts as in
// every repository: its session is not hidden for a moment.
func (src Source) In(scope api.GridScope, v api.Session) bool {
	switch {
	case scope.Repository != "" && v.Node == "":
		looked := src.Projects[v.CWD] != ""
		return scope.Node == "" && (!looked || src.project(v) == scope.Repository)
	case scope.Repository != "":
		return scope.Node == v.Node && src.project(v) == scope.Repository
	case scope.Group != "":
		return v.Marks.Group == scope.Group
	case scope.Filter != "":
		return src.matches(scope.Filter, v)
	}
	return true
}

// ScopeOf is the repository of a session as a scope.
func (src Source) ScopeOf(v api.Session) api.GridScope {
	return api.GridScope{Repository: src.project(v), Node: v.Node}
}

// ScopeName is a scope in a word; "" for that of all sessions.
func ScopeName(scope api.GridScope) string {
	switch {
	case scope.Repository != "" && scope.Node != "":
		return textsafe.Line(scope.Node + "/" + filepath.Base(scope.Repository))
	case scope.Repository != "":
		return textsafe.Line(filepath.Base(scope.Repository))
	case scope.Filter != "":
		return textsafe.Line(scope.Filter)
	}
	if scope.Group != "" {
		return textsafe.Line(groupSign + scope.Group)
	}
	return ""
}

// Scope is one to choose, and how many sessions are in it.
type Scope struct {
	api.GridScope
	Sessions int
}

// Scopes are the groups of sessions, and the repositories that they are in, in the order of their
// first session.
func (src Source) Scopes() (all []Scope) {
	add := func(scope api.GridScope) {
		i := slices.IndexFunc(all, func(o Scope) bool { return o.GridScope == scope })
		if i < 0 {
			i, all = len(all), append(all, Scope{GridScope: scope})
		}
		all[i].Sessions++
	}
	for _, v := range src.Sessions {
		if v.Marks.Group != "" {
			add(api.GridScope{Group: v.Marks.Group})
		}
	}
	for _, v := range src.Sessions {
		add(src.ScopeOf(v))
	}
	return all
}

// matches reports whether each word of the filter is a part of what is known of
// the session, or stands for its name with letters left out.
func (src Source) matches(filter string, v api.Session) bool {
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

// text is the text that the filter searches.
func (src Source) text(v api.Session) string {
	parts := []string{v.Name, string(v.State), v.AgentLine(), v.Task, filepath.Base(src.project(v)), v.Marks.Group, v.Marks.Note, Task(v)}
	if v.External {
		parts = append(parts, "outside")
	}
	if src.Hidden[v.ID] {
		parts = append(parts, "hidden")
	}
	if v.PutOff(src.Now) {
		parts = append(parts, "put off")
	}
	return strings.Join(parts, " ")
}

// maxTaskText bounds the text of a task in the list, in bytes.
const maxTaskText = 300

// Task is what a session does, in one line: what it asks, else the last
// prompt; before it the number of its task in the queue.
func Task(v api.Session) string {
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

// linkedTo is the repository of a work tree, by the text of its file .git, which leads to
// REPOSITORY/.git/worktrees/NAME; the tree itself if it is no linked one.
func linkedTo(tree, text string) string {
	line, _, _ := strings.Cut(text, "\n")
	place, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok {
		return tree
	}
	if place = strings.TrimSpace(place); !filepath.IsAbs(place) {
		place = filepath.Join(tree, place)
	}
	list := filepath.Dir(place)
	if filepath.Base(list) != "worktrees" {
		return tree // a submodule
	}
	repository := filepath.Dir(list)
	if filepath.Base(repository) == ".git" {
		return filepath.Dir(repository)
	}
	return repository // bare
}

// ProjectOf is the repository that a directory is in, found by .git as git
// does; for a linked work tree the repository that it belongs to; the directory itself if it is
// in none. read returns the text of a file, "" for a directory; ok: either is there.
func ProjectOf(dir string, read func(path string) (text string, ok bool)) string {
	for at := filepath.Clean(dir); filepath.IsAbs(at); at = filepath.Dir(at) {
		if text, ok := read(filepath.Join(at, ".git")); ok {
			return linkedTo(at, text)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}
