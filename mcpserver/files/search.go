package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxEntries    = 1000
	maxVisited    = 100_000
	maxMatches    = 500
	defMatches    = 100
	maxSearchFile = 8 << 20
	maxMatchText  = 300
	maxDepth      = 64
)

// Entry is one entry of a directory.
type Entry struct {
	Path string `json:"path" jsonschema:"relative to the listed directory"`
	Type string `json:"type" jsonschema:"file, dir, link or other"`
	Size int64  `json:"size"`
}

// Listing is the result of List.
type Listing struct {
	Path      string  `json:"path"`
	Entries   []Entry `json:"entries"`
	Truncated bool    `json:"truncated"`
}

// Match is one line that matched.
type Match struct {
	File   string `json:"file" jsonschema:"relative to the searched directory"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// Matches is the result of Search.
type Matches struct {
	Path      string  `json:"path"`
	Matches   []Match `json:"matches"`
	Files     int     `json:"files" jsonschema:"number of files searched"`
	Truncated bool    `json:"truncated"`
	LeftOut   int     `json:"left_out,omitempty" jsonschema:"number of files that may not be read"`
}

// Query is a search.
type Query struct {
	Path       string
	Pattern    string // RE2, or text with Literal
	Glob       string // see glob
	IgnoreCase bool
	Literal    bool
	Limit      int
	// Reads reports whether a file may be shown, by its absolute path; nil: every one.
	Reads func(path string) bool
}

// entryOf describes d, which is at path.
func entryOf(path string, d fs.DirEntry) Entry {
	e := Entry{Path: path, Type: "file"}
	switch {
	case d.IsDir():
		e.Type = "dir"
	case d.Type()&fs.ModeSymlink != 0:
		e.Type = "link"
	case !d.Type().IsRegular():
		e.Type = "other"
	default:
		if i, err := d.Info(); err == nil {
			e.Size = i.Size()
		}
	}
	return e
}

// List lists a directory, depth levels deep (0: one, or all for a glob with a slash),
// up to 1000 entries, without the content of .git.
func (s *Space) List(ctx context.Context, dir string, depth int, glob string) (*Listing, error) {
	root, rel, abs, err := s.open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	g, err := newGlob(glob)
	if err != nil {
		return nil, err
	}
	if depth <= 0 {
		if depth = 1; g.deep {
			depth = maxDepth
		}
	}
	info, err := root.Stat(rel)
	if err != nil {
		return nil, explain(abs, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory; use read", abs)
	}
	l := &Listing{Path: abs, Entries: []Entry{}}
	visited := 0
	err = fs.WalkDir(root.FS(), filepath.ToSlash(rel), func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited || len(l.Entries) >= maxEntries || ctx.Err() != nil {
			l.Truncated = true
			return fs.SkipAll
		}
		below, _ := filepath.Rel(rel, filepath.FromSlash(name))
		if below == "." && err != nil {
			return explain(abs, err)
		}
		if err != nil || below == "." {
			return nil // an unreadable directory below is skipped
		}
		if d.Name() == ".git" {
			return skipDir(d)
		}
		if g.match(below) {
			l.Entries = append(l.Entries, entryOf(below, d))
		}
		if d.IsDir() && strings.Count(below, string(filepath.Separator))+1 >= depth {
			return fs.SkipDir
		}
		return nil
	})
	return l, err
}

func skipDir(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// Search finds lines. In a git repository it skips ignored files; elsewhere the usual
// directories of dependencies and build output.
func (s *Space) Search(ctx context.Context, q Query) (*Matches, error) {
	expr := q.Pattern
	if q.Literal {
		expr = regexp.QuoteMeta(expr)
	}
	if q.IgnoreCase {
		expr = "(?i)" + expr
	}
	if q.Pattern == "" {
		return nil, errors.New("the pattern is empty")
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w; with literal it is plain text", q.Pattern, err)
	}
	g, err := newGlob(q.Glob)
	if err != nil {
		return nil, err
	}
	root, rel, abs, err := s.open(q.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err != nil {
		return nil, explain(abs, err)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defMatches
	}
	m := &Matches{Path: abs, Matches: []Match{}}
	names := []string{"."} // the file itself
	if info.IsDir() {
		names = m.candidates(ctx, root, rel)
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if info.IsDir() && !g.match(name) {
			continue
		}
		if info.IsDir() && q.Reads != nil && !q.Reads(filepath.Join(abs, name)) {
			m.LeftOut++
			continue
		}
		if m.searchFile(root, filepath.Join(rel, name), name, re, min(limit, maxMatches)); len(m.Matches) >= min(limit, maxMatches) {
			m.Truncated = true
			break
		}
	}
	return m, nil
}

func (m *Matches) searchFile(root *os.Root, rel, name string, re *regexp.Regexp, limit int) {
	f, info, err := openRegular(root, rel, name)
	if err != nil {
		return
	}
	defer f.Close()
	if info.Size() > maxSearchFile {
		m.Truncated = true
		return
	}
	br := bufio.NewReader(io.LimitReader(f, maxSearchFile))
	if begin, _ := br.Peek(sniff); bytes.IndexByte(begin, 0) >= 0 {
		return
	}
	text, err := io.ReadAll(br)
	if err != nil {
		return
	}
	m.Files++
	n := 0
	for line := range bytes.Lines(text) {
		n++
		at := re.FindIndex(bytes.TrimRight(line, "\r\n"))
		if at == nil {
			continue
		}
		m.Matches = append(m.Matches, Match{File: name, Line: n, Column: at[0] + 1, Text: around(bytes.TrimRight(line, "\r\n"), at[0])})
		if len(m.Matches) >= limit {
			return
		}
	}
}

// around is the part of a line around the match at byte at.
func around(line []byte, at int) string {
	if len(line) <= maxMatchText {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := max(0, min(at-maxMatchText/4, len(line)-maxMatchText))
	text := strings.ToValidUTF8(string(line[from:from+maxMatchText]), "")
	if from > 0 {
		text = "…" + text
	}
	if from+maxMatchText < len(line) {
		text += "…"
	}
	return text
}
