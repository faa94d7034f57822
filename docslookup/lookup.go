package docslookup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/docslookup/scan"
)

// Bounds of an answer.
const (
	defaultTokens = 2000
	maxTokens     = 20000
	tokenBytes    = 4
	maxHits       = 12
	maxQuery      = 1000 // bytes
)

// Filter decides whether the caller may read a file, by its absolute path; nil: every one.
type Filter = func(path string) bool

// Lookup answers a question.
func (l *Library) Lookup(ctx context.Context, in api.DocsQuestion, may Filter) (out api.DocsAnswer, err error) {
	began := time.Now()
	out = api.DocsAnswer{Hits: []api.DocsHit{}, Notes: []string{}}
	if err := check(&in); err != nil {
		return out, err
	}
	l.start()
	l.asked()
	page := forMan(&in)
	list, notes := l.modules(ctx, in)
	if in.Package == "" {
		in.Query, in.Package = packageIn(in.Query)
	}
	q, pkg := ask(in.Query), ""
	q.page = page
	if in.Package != "" {
		if list, pkg, err = pick(list, in.Package); err != nil {
			return out, err
		}
	} else {
		likelyFirst(q, list)
	}
	if len(list) == 0 {
		return out, api.Errorf(api.CodeNotFound, "no packages are known for %s: it has no go.mod, package.json, pyproject.toml, Cargo.toml or README", in.Dir)
	}
	indexes, paths, said := l.ready(ctx, list, began.Add(l.o.Wait))
	defer func() {
		for _, x := range indexes {
			if x != nil {
				x.done()
			}
		}
	}()
	rows, skipped := l.search(ctx, q, pkg, list, indexes, paths)
	if err := ctx.Err(); err != nil {
		return out, err
	}
	out.Notes = append(append(append(out.Notes, notes...), said...), skipped...)
	rank(q, rows)
	rows = l.closer(ctx, q, rows, list, indexes)
	out.Hits = hits(rows, in.MaxTokens, may)
	if len(out.Hits) == 0 && in.Package != "" {
		out.Notes = append(out.Notes, "nothing was found in "+in.Package+": ask in other words, or without the package")
	} else if len(out.Hits) == 0 {
		out.Notes = append(out.Notes, "nothing was found: ask in other words, or name a package")
	}
	for _, m := range noted(list, out.Hits) {
		out.Notes = append(out.Notes, m.note)
	}
	return out, nil
}

func check(in *api.DocsQuestion) error {
	in.Query = strings.TrimSpace(in.Query)
	switch {
	case in.Query == "" && in.Package == "":
		return api.Errorf(api.CodeInvalid, "the question is empty: name a symbol, or say in words what it is to do")
	case len(in.Query) > maxQuery:
		return api.Errorf(api.CodeInvalid, "the question has %d bytes, at most %d: ask in a few words", len(in.Query), maxQuery)
	case !filepath.IsAbs(in.Dir):
		return api.Errorf(api.CodeInvalid, "the directory %q must be absolute", in.Dir)
	case in.Ecosystem != "" && !slices.Contains(ecosystems, in.Ecosystem):
		return api.Errorf(api.CodeInvalid, "no ecosystem is called %.40q; there are %s", in.Ecosystem, strings.Join(ecosystems, ", "))
	case in.MaxTokens < 0:
		return api.Errorf(api.CodeInvalid, "max_tokens must not be negative")
	}
	if in.MaxTokens == 0 {
		in.MaxTokens = defaultTokens
	}
	in.MaxTokens = min(in.MaxTokens, maxTokens)
	real, err := filepath.EvalSymlinks(in.Dir)
	if err != nil {
		return api.Errorf(api.CodeNotFound, "the directory %s is not there", in.Dir)
	}
	in.Dir = real
	if in.Query == "" {
		name, _ := splitVersion(in.Package)
		in.Query = lastElement(name)
	}
	return nil
}

// packageIn takes a word NAME@VERSION out of a question: it asks for that version.
func packageIn(query string) (rest, pkg string) {
	fields := strings.Fields(query)
	for i, f := range fields {
		name, version := splitVersion(f)
		if version != "" && strings.ContainsAny(version, "0123456789") && !strings.ContainsAny(f, "\"'`()") {
			rest = strings.Join(slices.Delete(fields, i, i+1), " ")
			if rest == "" {
				rest = lastElement(name)
			}
			return rest, f
		}
	}
	return query, ""
}

// likelyFirst puts the modules first whose names are in the question, so that they are
// indexed first.
func likelyFirst(q *question, list []*module) {
	likely := func(m *module) bool {
		for _, n := range q.names {
			if n, _, _ := strings.Cut(n, "."); len(n) > 2 {
				if _, ok := m.named(n); ok {
					return true
				}
			}
		}
		return false
	}
	rated := map[*module]bool{}
	for _, m := range list {
		rated[m] = likely(m)
	}
	slices.SortStableFunc(list, func(a, b *module) int {
		switch {
		case rated[a] == rated[b]:
			return 0
		case rated[a]:
			return -1
		}
		return 1
	})
}

// Bounds of the second look.
const (
	closerRows = 60
	closerText = 4 << 10 // bytes of a text
)

// closer ranks the first rows again by their whole texts; the others are left out.
func (l *Library) closer(ctx context.Context, q *question, rows []row, list []*module, indexes []*index) []row {
	rows = rows[:min(len(rows), closerRows)]
	of := map[*module][]int64{}
	for i := range rows {
		of[rows[i].m] = append(of[rows[i].m], rows[i].id)
	}
	texts := map[*module]map[int64]string{}
	for m, ids := range of {
		// Without its text a row is ranked by its first paragraph.
		texts[m], _ = indexes[slices.Index(list, m)].wholeTexts(ctx, ids)
	}
	for i := range rows {
		r := &rows[i]
		if text, ok := texts[r.m][r.id]; ok {
			r.rate(q, strings.TrimPrefix(text[:min(len(text), closerText)], r.brief)+" ")
		}
	}
	sortRows(rows)
	if len(rows) > 1 && rows[0].score < 10 { // not asked by name
		apart(rows[:min(len(rows), 2*maxHits)])
	}
	return rows
}

// hits are the first rows within the bounds of an answer.
func hits(rows []row, tokens int, may Filter) (list []api.DocsHit) {
	list = []api.DocsHit{}
	left := tokens * tokenBytes
	seen := map[string]bool{}
	for _, r := range rows {
		h := r.hit()
		key, what := h.Package+"\x00"+h.Symbol+"\x00"+h.Signature+"\x00"+h.Text, h.File+"\x00"+strconv.Itoa(h.Line)
		if seen[key] || r.Kind == scan.KindInherited && seen[what] || may != nil && !may(h.File) {
			continue
		}
		seen[key], seen[what] = true, true
		size := len(h.ID) + len(h.Package) + len(h.Symbol) + len(h.Signature) + len(h.File) + len(h.Text) + 100
		if size > left && len(list) > 0 || len(list) == maxHits {
			break
		}
		h.Text = scan.Shorten(h.Text, max(left, 100))
		left -= size
		list = append(list, h)
	}
	return list
}

func (r *row) hit() api.DocsHit {
	return api.DocsHit{ID: r.m.id(r.id), Package: r.Package, Version: r.m.version, Ecosystem: r.m.ecosystem, Symbol: r.Symbol, Signature: r.Signature,
		File: filepath.Join(r.m.dir, filepath.FromSlash(r.File)), Line: r.Line, Text: r.brief, Source: r.Source}
}

// noted are the modules with a note that have a hit.
func noted(list []*module, hits []api.DocsHit) (with []*module) {
	for _, m := range list {
		if m.note != "" && slices.ContainsFunc(hits, func(h api.DocsHit) bool { return strings.HasPrefix(h.ID, m.id(0)[:len(m.id(0))-1]) }) {
			with = append(with, m)
		}
	}
	return with
}

// Read returns one piece whole, by its id. It must belong to a version that the work tree
// around dir uses.
func (l *Library) Read(ctx context.Context, dir, id string, may Filter) (hit api.DocsHit, err error) {
	in := api.DocsQuestion{Dir: dir, Query: id}
	if err := check(&in); err != nil {
		return hit, err
	}
	parts := idForm.FindStringSubmatch(id)
	if parts == nil {
		return hit, api.Errorf(api.CodeInvalid, "%.80q is no id of documentation: docs_lookup returns ids such as go:std/sync@go1.26.0#123", id)
	}
	l.start()
	l.asked()
	list, _ := l.modules(ctx, api.DocsQuestion{Dir: in.Dir, Ecosystem: parts[1], Query: parts[2]})
	i := slices.IndexFunc(list, func(m *module) bool { return m.name == parts[2] && m.version == parts[3] })
	if i < 0 {
		return hit, api.Errorf(api.CodeNotFound, "this work tree does not use %s@%s (%s): look it up again", parts[2], parts[3], parts[1])
	}
	indexes, paths, notes := l.ready(ctx, list[i:i+1], time.Now().Add(2*l.o.Wait))
	x := indexes[0]
	if x == nil {
		return hit, fmt.Errorf("%s is not ready: %s", id, strings.Join(notes, "; "))
	}
	defer x.done()
	n, _ := strconv.ParseInt(parts[4], 10, 64) // nine digits
	r, err := x.get(ctx, n)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, sql.ErrNoRows) {
			l.drop(paths[0], err)
		}
		return hit, api.Errorf(api.CodeNotFound, "there is no %s any more: look it up again", id)
	}
	r.m, r.brief = list[i], r.Text
	if hit = r.hit(); may != nil && !may(hit.File) {
		return api.DocsHit{}, api.Errorf(api.CodeForbidden, "the policy does not allow reading %s", hit.File)
	}
	return hit, nil
}
