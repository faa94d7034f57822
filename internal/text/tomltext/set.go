package tomltext

import (
	"errors"
	"regexp"
	"strings"
)

// Set writes a value, which is TOML itself, at a path of tables and a key: in the place of the one
// that is there, or on a line of its own in its table, below a line that has it as a comment. A
// table that is missing is made at the end. It fails where the table is written in another way
// than below a header.
func (e *Editor) Set(value string, path ...string) error {
	name, table := Key(path[len(path)-1]), path[:len(path)-1]
	line := name + " = " + value + "\n"
	switch {
	case e.Has(path...):
		at := e.pos[join(path)]
		end := valueEnd(e.text, at.offset)
		if at.header || end < 0 {
			return errors.New("the value isn't where it is expected")
		}
		e.text = e.text[:at.offset] + value + e.text[end:]
		return nil
	case len(table) > 0 && e.Has(table...) && !e.Header(table...) && !e.onlyAround(table):
		return errors.New("its table is not written below a header: use an editor")
	case len(table) > 0 && !e.Header(table...):
		names := make([]string, len(table))
		for i, part := range table {
			names[i] = Key(part)
		}
		e.AtEnd("[" + strings.Join(names, ".") + "]\n" + line)
		return nil
	}
	begin, end := e.section(table)
	e.insert(line, e.place(name, table, begin, end))
	return nil
}

// onlyAround reports whether a table is known by the headers of tables in it alone.
func (e *Editor) onlyAround(table []string) bool {
	prefix := join(table) + "\x00"
	for path, at := range e.pos {
		if rest, inside := strings.CutPrefix(path, prefix); inside && !strings.Contains(rest, "\x00") && !at.header {
			return false
		}
	}
	return true
}

// anyHeader is a line that begins a table.
var anyHeader = regexp.MustCompile(`(?m)^[ \t]*\[`)

// section is where the lines of a table are, from the one after its header to the next header.
func (e *Editor) section(table []string) (begin, end int) {
	if len(table) > 0 {
		begin = e.lineEnd(e.pos[join(table)].offset)
	}
	end = len(e.text)
	for path, at := range e.pos {
		isHeader := at.header || strings.HasPrefix(e.text[at.offset:], "[[") && path != ""
		if isHeader && at.offset >= begin && at.offset < end && anyHeader.MatchString(e.text[strings.LastIndexByte(e.text[:at.offset], '\n')+1:at.offset+1]) {
			end = strings.LastIndexByte(e.text[:at.offset], '\n') + 1
		}
	}
	return begin, end
}

// place is where in a section a new line goes: below the comment that has its key, else below
// the last key, else at the beginning of a table, or before what stands above the first header.
func (e *Editor) place(name string, table []string, begin, end int) int {
	comment := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*` + regexp.QuoteMeta(name) + `[ \t]*=.*$`)
	if at := comment.FindStringIndex(e.text[begin:end]); at != nil {
		return e.lineEnd(begin + at[1] - 1)
	}
	last := -1
	for path, at := range e.pos {
		parts := strings.Split(path, "\x00")
		if len(parts) <= len(table) || at.header || at.offset < begin || at.offset >= end {
			continue
		}
		if stop := valueEnd(e.text, at.offset); stop > last && stop <= end {
			last = stop
		}
	}
	switch {
	case last >= 0:
		return e.lineEnd(last - 1)
	case len(table) > 0:
		return begin
	case end == len(e.text):
		return end
	}
	for begin < end { // comments above the first header are its own
		above := strings.LastIndexByte(e.text[begin:end-1], '\n') + 1 + begin
		if !strings.HasPrefix(strings.TrimSpace(e.text[above:end]), "#") {
			break
		}
		end = above
	}
	return end
}

// lineEnd is where the line after an offset begins.
func (e *Editor) lineEnd(at int) int {
	if n := strings.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(e.text)
}

func (e *Editor) insert(line string, at int) {
	if at > 0 && e.text[at-1] != '\n' {
		line = "\n" + line
	}
	e.text = e.text[:at] + line + e.text[at:]
}

// valueEnd is where a value ends that begins at an offset; -1 if there is none.
func valueEnd(text string, begin int) int {
	for end := begin + 1; end <= len(text); end++ {
		rest := strings.TrimLeft(text[end:], " \t\r")
		if rest != "" && !strings.ContainsRune("\n#,}]", rune(rest[0])) || strings.ContainsRune(" \t\r\n", rune(text[end-1])) {
			continue
		}
		if _, _, err := Decode("x = " + text[begin:end]); err == nil {
			return end
		}
	}
	return -1
}
