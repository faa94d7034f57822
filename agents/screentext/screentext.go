// Package screentext reads rendered screens of agents line by line.
//
// Contract: a screen is untrusted text with SGR sequences and links, which are removed; nothing
// in it is an error.
package screentext

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// Line is a line of a screen: its text and, for each rune, whether it is
// faint.
type Line struct {
	Text  []rune
	Faint []bool
}

// Lines removes the SGR sequences from a rendered screen.
func Lines(ansi string) []Line {
	var lines []Line
	for row := range strings.SplitSeq(strings.TrimRight(ansi, "\n"), "\n") {
		var l Line
		faint := false
		for row != "" {
			if seq := escapeSequence().FindString(row); seq != "" {
				if strings.HasSuffix(seq, "m") {
					faint = faintAfter(seq, faint)
				}
				row = row[len(seq):]
				continue
			}
			r, n := utf8.DecodeRuneInString(row)
			l.Text, l.Faint = append(l.Text, r), append(l.Faint, faint)
			row = row[n:]
		}
		lines = append(lines, l)
	}
	return lines
}

// escapeSequence is an SGR sequence or a link at the beginning of a text.
var escapeSequence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\x1b(?:\\[[0-9;:]*m|\\][^\x1b]*\x1b\\\\)") })

// faintAfter tracks faint, the one attribute that tells hints from typed text.
func faintAfter(sgr string, faint bool) bool {
	params := strings.Split(sgr[2:len(sgr)-1], ";")
	for i := 0; i < len(params); i++ {
		switch params[i] {
		case "", "0", "22":
			faint = false
		case "2":
			faint = true
		case "38", "48", "58": // a colour: its parameters are no attributes
			if i+1 < len(params) && params[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
	return faint
}

// String is the text without blanks at its end.
func (l Line) String() string { return strings.TrimRight(string(l.Text), " \u00a0") }

// Hint reports whether the text from rune n on is the agent's hint: faint, except its
// first rune under the cursor.
func (l Line) Hint(n int) bool {
	faint := 0
	for i := n; i < len(l.Text); i++ {
		if l.Text[i] == ' ' || l.Text[i] == '\u00a0' {
			continue
		}
		if l.Faint[i] {
			faint++
		} else if i > n {
			return false
		}
	}
	return faint > 0
}
