package gitview

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of logs and blames.
const (
	defaultCommits = 20
	maxCommits     = 200
	maxLines       = 500
	maxBody        = 2000 // bytes of a message
)

// Commit is an entry of the log.
type Commit struct {
	Commit  string    `json:"commit"`
	Author  string    `json:"author"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Body    string    `json:"body"`
	Refs    string    `json:"refs" jsonschema:"branches and tags there"`
}

// Log is a list of commits, the newest first.
type Log struct {
	Commits   []Commit `json:"commits"`
	Truncated bool     `json:"truncated" jsonschema:"there are more"`
}

// Log returns commits: of a revision or a range A..B (default: HEAD), of those that changed one
// of the paths, at most limit.
func (v *View) Log(ctx context.Context, revision string, list []string, limit int) (*Log, error) {
	if limit < 0 || limit > maxCommits {
		return nil, fmt.Errorf("limit must be 1 to %d", maxCommits)
	}
	if limit == 0 {
		limit = defaultCommits
	}
	args := []string{"log", "-z", "--no-color", "--format=%H%x01%an%x01%aI%x01%s%x01%b%x01%D", "-n", strconv.Itoa(limit + 1)}
	from, to, isRange := strings.Cut(revision, "..")
	if revision == "" {
		from = "HEAD"
	}
	first, err := v.commit(ctx, from)
	if err != nil {
		return nil, err
	}
	if isRange {
		if to = strings.TrimPrefix(to, "."); to == "" {
			to = "HEAD"
		}
		last, err := v.commit(ctx, to)
		if err != nil {
			return nil, err
		}
		first = first + ".." + last
	}
	args = append(args, first)
	if len(list) > 0 {
		specs, err := paths(list)
		if err != nil {
			return nil, err
		}
		args = append(append(args, "--"), specs...)
	}
	out, cut, err := v.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	l := &Log{Commits: []Commit{}, Truncated: cut}
	for entry := range strings.SplitSeq(out, "\x00") {
		f := strings.Split(entry, "\x01")
		if len(f) != 6 {
			continue
		}
		if len(l.Commits) == limit {
			l.Truncated = true
			break
		}
		at, _ := time.Parse(time.RFC3339, f[2]) // git wrote it
		body := strings.TrimSpace(f[4])
		if len(body) > maxBody {
			body = strings.ToValidUTF8(body[:maxBody], "") + "…"
		}
		l.Commits = append(l.Commits, Commit{Commit: f[0], Author: f[1], At: at, Subject: f[3], Body: body, Refs: f[5]})
	}
	return l, nil
}

// Line is a line of a file with the commit that made it so.
type Line struct {
	Line   int    `json:"line"`
	Commit string `json:"commit" jsonschema:"zeros: not committed yet"`
	Text   string `json:"text"`
}

// Blame tells which commits the lines of a file come from.
type Blame struct {
	Lines     []Line   `json:"lines"`
	Commits   []Commit `json:"commits" jsonschema:"those named in lines"`
	Truncated bool     `json:"truncated" jsonschema:"there are more lines: give from and to"`
}

// Blame returns the lines from and to (counted from 1; 0: all, up to a bound) of a file as it
// is, or at a revision.
func (v *View) Blame(ctx context.Context, path, revision string, from, to int) (*Blame, error) {
	if _, err := paths([]string{path}); err != nil {
		return nil, err
	}
	switch {
	case !v.shows(path):
		return nil, fmt.Errorf("the policy does not allow reading %s", path)
	case from < 0 || to < 0 || to > 0 && to < from:
		return nil, fmt.Errorf("from and to must be lines, counted from 1")
	}
	from = max(from, 1)
	b := &Blame{Lines: []Line{}, Commits: []Commit{}}
	end := ""
	if to > 0 {
		end = strconv.Itoa(min(to, from+maxLines))
	}
	args := []string{"blame", "--no-textconv", "--porcelain", "-L", strconv.Itoa(from) + "," + end}
	if revision != "" {
		c, err := v.commit(ctx, revision)
		if err != nil {
			return nil, err
		}
		args = append(args, c)
	}
	out, cut, err := v.run(ctx, append(args, "--", path)...)
	if err != nil {
		return nil, err
	}
	b.Truncated = cut
	var current string
	n := 0
	for l := range strings.Lines(out) {
		l = strings.TrimSuffix(l, "\n")
		if text, ok := strings.CutPrefix(l, "\t"); ok {
			if len(b.Lines) == maxLines {
				b.Truncated = true
				break
			}
			b.Lines = append(b.Lines, Line{n, current, strings.ToValidUTF8(text, "\uFFFD")})
			continue
		}
		name, value, _ := strings.Cut(l, " ")
		if len(name) >= 40 && strings.Trim(name, "0123456789abcdef") == "" {
			current = name
			if f := strings.Fields(value); len(f) > 1 {
				n, _ = strconv.Atoi(f[1]) // git wrote it
			}
			if !slices.ContainsFunc(b.Commits, func(c Commit) bool { return c.Commit == current }) {
				b.Commits = append(b.Commits, Commit{Commit: current})
			}
			continue
		}
		about(&b.Commits[len(b.Commits)-1], name, value)
	}
	return b, nil
}

// about takes a line of blame's porcelain about a commit.
func about(c *Commit, name, value string) {
	switch name {
	case "author":
		c.Author = value
	case "author-time":
		seconds, _ := strconv.ParseInt(value, 10, 64) // git wrote it
		c.At = time.Unix(seconds, 0).UTC()
	case "summary":
		c.Subject = value
	}
}
