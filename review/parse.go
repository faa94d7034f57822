package review

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ccdir/api"
)

// Bounds of a difference: the lines of a file's hunks, the bytes of one line, the lines and the bytes
// of all files' hunks together, and the files.
const (
	maxFileLines = 20_000
	maxLine      = 64 << 10
	maxLines     = 200_000
	maxBytes     = 32 << 20
	maxFiles     = 20_000
	maxPath      = 8 << 10
)

// errOutput: git's output is not what this version reads.
var errOutput = errors.New("git's difference cannot be read")

// entry is a file in git's list of a difference.
type entry struct {
	file api.ReviewFile
	// path and oldPath are the names byte by byte, ids the contents.
	path, oldPath string
	oldID, id     string
	// sections is how many parts of the patch it has: a file that became a link has two.
	sections int
}

// parser reads git's output of `diff --raw --numstat -p -z`: a list of files, their counts, and the
// patch. Names come from the list, where they are not quoted; the patch has the files in the same
// order, and nothing else is taken from its headers.
type parser struct {
	r *bufio.Reader
	// wants says why a file has no lines; "" if it has.
	wants func(*entry) (leftOut string)
	lines int
	bytes int
}

// parse reads a difference. listed gets the files before their lines are read, and returns which
// have none, and why. more: there are files beyond the bound.
func parse(r io.Reader, listed func([]entry) (wants func(*entry) (leftOut string))) (entries []entry, more bool, err error) {
	p := parser{r: bufio.NewReaderSize(r, 64<<10)}
	if entries, err = p.list(); err != nil || len(entries) == 0 {
		return entries, false, err
	}
	if err = p.counts(entries); err == nil {
		p.wants = listed(entries)
		err = p.patch(entries)
	}
	if len(entries) > maxFiles {
		entries, more = entries[:maxFiles], true
	}
	return entries, more, err
}

// Read reads what git says of a difference: `git diff --raw --numstat -z --no-abbrev --full-index`, with or without --patch. Contents are
// identified as far as git does. more: there are files beyond the bound.
func Read(r io.Reader) (files []api.ReviewFile, more bool, err error) {
	entries, more, err := parse(r, func([]entry) func(*entry) string { return func(*entry) string { return "" } })
	for i := range entries {
		files = append(files, entries[i].file)
	}
	return files, more, err
}

// field reads up to the next zero byte, bounded.
func (p *parser) field() (string, error) {
	var b []byte
	for {
		part, err := p.r.ReadSlice(0)
		b = append(b, part...)
		switch {
		case len(b) > 3*maxPath:
			return "", fmt.Errorf("%w: a name is too long", errOutput)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return "", fmt.Errorf("%w: it ends in a name", errOutput)
		}
		return string(b[:len(b)-1]), nil
	}
}

// list reads the entries: ":MODE MODE ID ID STATUS", a name, and for renamed files a second one.
func (p *parser) list() (entries []entry, err error) {
	for {
		first, err := p.r.Peek(1)
		if errors.Is(err, io.EOF) || err == nil && first[0] != ':' {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		about, err := p.field()
		if err != nil {
			return nil, err
		}
		f := strings.Fields(about[1:])
		if len(f) != 5 || len(f[0]) != 6 || len(f[1]) != 6 {
			return nil, fmt.Errorf("%w: an entry of its list", errOutput)
		}
		e := entry{oldID: f[2], id: f[3], sections: 1}
		if e.path, err = p.field(); err != nil {
			return nil, err
		}
		if f[4][0] == 'R' || f[4][0] == 'C' {
			e.oldPath = e.path
			if e.path, err = p.field(); err != nil {
				return nil, err
			}
		}
		e.describe(f[0], f[1], f[4][0])
		entries = append(entries, e)
	}
}

// describe fills in what the list says of the file.
func (e *entry) describe(oldMode, mode string, status byte) {
	f := &e.file
	f.Path, f.Hunks = valid(e.path), []api.ReviewHunk{}
	switch status {
	case 'A', 'C':
		f.Status = api.FileAdded
	case 'D':
		f.Status = api.FileRemoved
	case 'R':
		f.Status, f.OldPath = api.FileRenamed, valid(e.oldPath)
	default:
		f.Status = api.FileChanged
	}
	if status == 'T' {
		e.sections = 2
	}
	if status != 'D' {
		f.Content = e.id
	}
	const none, plain = "000000", "100644"
	if oldMode != mode && !(oldMode == none && mode == plain) && !(oldMode == plain && mode == none) || oldMode == mode && mode[:3] != "100" {
		if oldMode != none {
			f.OldMode = oldMode
		}
		if mode != none {
			f.Mode = mode
		}
	}
}

// counts reads "ADDED\tREMOVED\tNAME" of each file, in the same order, and the zero byte at the end.
func (p *parser) counts(entries []entry) error {
	for i := range entries {
		line, err := p.field()
		if err != nil {
			return err
		}
		f := strings.SplitN(line, "\t", 3)
		if len(f) != 3 {
			return fmt.Errorf("%w: its counts", errOutput)
		}
		if f[2] == "" { // both names follow
			for range 2 {
				if _, err := p.field(); err != nil {
					return err
				}
			}
		}
		file := &entries[i].file
		if f[0] == "-" {
			file.Binary = true
			continue
		}
		added, err1 := strconv.ParseUint(f[0], 10, 31)
		removed, err2 := strconv.ParseUint(f[1], 10, 31)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("%w: its counts", errOutput)
		}
		a, r := int(added), int(removed)
		file.Added, file.Removed = &a, &r
	}
	if b, err := p.r.ReadByte(); err != nil && !errors.Is(err, io.EOF) || err == nil && b != 0 {
		return fmt.Errorf("%w: after its counts", errOutput)
	}
	return nil
}

// line reads a line without its end; long: it is cut.
func (p *parser) line() (text []byte, long bool, err error) {
	part, err := p.r.ReadSlice('\n')
	if err == nil {
		return part[:len(part)-1], false, nil
	}
	text = bytes.Clone(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = p.r.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && len(text) > 0 {
		err = nil
	}
	return text, long, err
}

// patch reads the patch, a part for each file.
func (p *parser) patch(entries []entry) error {
	at, part := -1, 0
	var skip bool
	for {
		line, long, err := p.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			if part++; at < 0 || part > entries[at].sections {
				at, part = at+1, 1
			}
			if at >= len(entries) {
				return fmt.Errorf("%w: its patch has more files than its list", errOutput)
			}
			if part == 1 {
				skip = p.begin(&entries[at])
			}
		case bytes.HasPrefix(line, []byte("@@ ")) && at >= 0:
			h, err := header(line)
			if err != nil {
				return err
			}
			if skip, err = p.hunk(&entries[at], h, skip); err != nil {
				return err
			}
		case long && at < 0:
			return fmt.Errorf("%w: its patch", errOutput)
		}
	}
}

// begin begins the part of a file: whether its lines are to be skipped.
func (p *parser) begin(e *entry) (skip bool) {
	if reason := p.wants(e); reason != "" && !e.file.Binary {
		e.file.LeftOut = reason
	} else if e.file.Added != nil && *e.file.Added+*e.file.Removed > maxFileLines {
		e.file.LeftOut = api.LeftOutLarge
	}
	return e.file.LeftOut != ""
}

// header reads "@@ -A,B +C,D @@"; without a count it is 1.
func header(line []byte) (h api.ReviewHunk, err error) {
	f := strings.Fields(string(line[:min(len(line), 100)]))
	if len(f) < 4 || f[1][0] != '-' || f[2][0] != '+' || f[3] != "@@" {
		return h, fmt.Errorf("%w: the head of a hunk", errOutput)
	}
	var ok1, ok2 bool
	h.OldStart, h.OldLines, ok1 = span(f[1][1:])
	h.NewStart, h.NewLines, ok2 = span(f[2][1:])
	if !ok1 || !ok2 {
		return h, fmt.Errorf("%w: the head of a hunk", errOutput)
	}
	return h, nil
}

func span(text string) (start, lines int, ok bool) {
	from, count, counted := strings.Cut(text, ",")
	if !counted {
		count = "1"
	}
	a, err1 := strconv.ParseUint(from, 10, 31)
	b, err2 := strconv.ParseUint(count, 10, 31)
	return int(a), int(b), err1 == nil && err2 == nil
}

// hunk reads the lines of a hunk, as many as its head says.
func (p *parser) hunk(e *entry, h api.ReviewHunk, skip bool) (nowSkip bool, err error) {
	add := func(kind api.LineKind, text []byte, long bool) {
		if skip {
			return
		}
		p.lines, p.bytes = p.lines+1, p.bytes+len(text)
		switch {
		case long || len(text) > maxLine:
			skip, e.file.LeftOut = true, api.LeftOutLarge
		case p.lines > maxLines || p.bytes > maxBytes:
			skip, e.file.LeftOut = true, api.LeftOutTotal
		default:
			h.Lines = append(h.Lines, api.ReviewLine{Kind: kind, Text: valid(string(text))})
		}
		if skip { // a part of a file would look like all of it
			e.file.Hunks, h.Lines = []api.ReviewHunk{}, nil
		}
	}
	for old, now := h.OldLines, h.NewLines; old > 0 || now > 0; {
		line, long, err := p.line()
		if err != nil || len(line) == 0 {
			return skip, fmt.Errorf("%w: it ends in a hunk", errOutput)
		}
		switch {
		case line[0] == ' ' && old > 0 && now > 0:
			old, now = old-1, now-1
			add(api.LineContext, line[1:], long)
		case line[0] == '-' && old > 0:
			old--
			add(api.LineRemoved, line[1:], long)
		case line[0] == '+' && now > 0:
			now--
			add(api.LineAdded, line[1:], long)
		case line[0] == '\\':
			noNewline(&h)
		default:
			return skip, fmt.Errorf("%w: a line of a hunk", errOutput)
		}
	}
	if next, err := p.r.Peek(1); err == nil && next[0] == '\\' {
		if _, _, err := p.line(); err != nil {
			return skip, err
		}
		noNewline(&h)
	}
	if !skip {
		e.file.Hunks = append(e.file.Hunks, h)
	}
	return skip, nil
}

// noNewline marks the last line as one that has no newline.
func noNewline(h *api.ReviewHunk) {
	if n := len(h.Lines); n > 0 {
		h.Lines[n-1].NoNewline = true
	}
}

// valid is foreign text as JSON can have it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
