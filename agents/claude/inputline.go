package claude

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ccdir/agents"
)

// screenLine is a line of a screen: its text and, for each rune, whether it is
// faint.
type screenLine struct {
	text  []rune
	faint []bool
}

// screenLines removes the SGR sequences from a rendered screen.
func screenLines(ansi string) []screenLine {
	var lines []screenLine
	for row := range strings.SplitSeq(strings.TrimRight(ansi, "\n"), "\n") {
		var l screenLine
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
			l.text, l.faint = append(l.text, r), append(l.faint, faint)
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

func (l screenLine) String() string { return strings.TrimRight(string(l.text), " \u00a0") }

// hint reports whether the text from rune n on is the agent's hint: faint, except its
// first rune under the cursor.
func (l screenLine) hint(n int) bool {
	faint := 0
	for i := n; i < len(l.text); i++ {
		if l.text[i] == ' ' || l.text[i] == '\u00a0' {
			continue
		}
		if l.faint[i] {
			faint++
		} else if i > n {
			return false
		}
	}
	return faint > 0
}

// rule reports whether the line is one of the two rules around the input, which may
// hold a title.
func (l screenLine) rule() bool {
	count := 0
	for _, r := range l.text {
		if r == '─' {
			count++
		}
	}
	return len(l.text) > 0 && l.text[0] == '─' && count >= 8 && 2*count >= len(l.text)
}

// Marks of Claude Code's screen (2.1.329).
const (
	inputMark   = "❯\u00a0"
	shellMark   = "!\u00a0"
	stashedMark = "draft stashed"
	queuedMark  = "⎿  Queued"
	noMatchText = "No commands match "
	unknownText = "Unknown command: "
)

// SetAside is Ctrl-S, Claude Code's stash: it holds one draft and restores it after the
// next submission.
func (Adapter) SetAside() []string { return []string{"C-s"} }

// ReadScreen finds the input line between its two rules at the bottom.
func (Adapter) ReadScreen(ansi string) (s agents.Screen, ok bool) {
	lines := screenLines(ansi)
	bottom := len(lines) - 1
	for bottom >= 0 && !lines[bottom].rule() {
		bottom--
	}
	top := bottom - 1
	for top >= 0 && !lines[top].rule() {
		top--
	}
	if bottom >= 0 && bottom < len(lines)-1 {
		if cut := lines[bottom+1:]; strings.HasPrefix(string(cut[0].text), inputMark) {
			return agents.Screen{Cut: true, CutEmpty: len(cut) == 1 && readBox(cut, false) == ""}, false
		}
	}
	if top < 0 || bottom-top < 2 {
		return agents.Screen{}, false
	}
	box := lines[top+1 : bottom]
	first := string(box[0].text)
	shell := strings.HasPrefix(first, shellMark)
	if !shell && !strings.HasPrefix(first, inputMark) {
		return agents.Screen{}, false
	}
	s.Input = readBox(box, shell)
	above := lines[:top]
	if n := len(above); n > 0 && strings.HasSuffix(above[n-1].String(), stashedMark) {
		s.Stashed = true
	}
	readMenu(&s, above)
	s.Queued = readQueue(above)
	readRefusal(&s, above)
	return s, true
}

// readBox is the text in the input box.
func readBox(box []screenLine, shell bool) string {
	if len(box) == 1 && box[0].hint(2) {
		return ""
	}
	text := make([]string, len(box))
	for i, l := range box {
		text[i] = strings.TrimRight(string(l.text[min(2, len(l.text)):]), " \u00a0")
	}
	joined := strings.TrimRight(strings.Join(text, "\n"), "\n")
	if shell {
		return "!" + joined
	}
	return joined
}

// menuRow is a row of the completion menu: the marker, the command, its aliases in
// parentheses.
var menuRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  (❯| ) (/[^ ]+)(?: \(([^)]*)\))?(?: {2,}|$)`) })

// readMenu reads the completions, which are directly above the input.
func readMenu(s *agents.Screen, above []screenLine) {
	for i := len(above) - 1; i >= 0; i-- {
		text := above[i].String()
		m := menuRow().FindStringSubmatch(text)
		switch {
		case m != nil:
			s.Menu = append(s.Menu, m[2])
			if m[1] != " " {
				s.Chosen = append([]string{m[2]}, menuNames(m[3])...)
			}
		case strings.HasPrefix(strings.TrimSpace(text), noMatchText):
			s.NoMatch = true
			return
		case strings.HasPrefix(text, strings.Repeat(" ", 10)) && i > 0: // a description continues
		default:
			slices.Reverse(s.Menu)
			return
		}
	}
	slices.Reverse(s.Menu)
}

// menuNames are aliases of a command: "quit, q".
func menuNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "/"); name != "" {
			names = append(names, "/"+name)
		}
	}
	return names
}

// readQueue reads the prompts above the line that announces them: blocks with blank
// lines between them. The prompt of the running turn may be the first of them.
func readQueue(above []screenLine) (queued []string) {
	last := -1
	for i := len(above) - 1; i >= 0; i-- {
		if strings.HasPrefix(strings.TrimSpace(above[i].String()), queuedMark) {
			last = i
			break
		}
	}
	var block []string
	for i := last - 1; i >= 0; i-- {
		text := above[i].String()
		if text == "" {
			if len(block) > 0 {
				break // the block does not begin like a prompt
			}
			continue
		}
		shown := strings.ReplaceAll(text, "\u00a0", " ")
		if rest, ok := strings.CutPrefix(shown, "❯ "); ok {
			block = append(block, rest)
		} else if rest, ok := strings.CutPrefix(shown, "! "); ok {
			block = append(block, "!"+rest)
		} else if rest, ok := strings.CutPrefix(shown, "  "); ok {
			block = append(block, rest)
			continue
		} else {
			break
		}
		slices.Reverse(block)
		queued = append(queued, strings.Join(block, "\n"))
		block = nil
	}
	slices.Reverse(queued)
	return queued
}

// readRefusal looks for the message about an unknown command.
func readRefusal(s *agents.Screen, above []screenLine) {
	latest := -1
	for i, l := range above {
		if strings.Contains(l.String(), "● "+unknownText) {
			latest = i
			s.Refusals++
		}
	}
	for i := latest + 1; latest >= 0 && i < len(above); i++ {
		text := above[i].String()
		if text != "" && !strings.HasPrefix(text, "● Args from ") && !strings.HasPrefix(text, strings.Repeat(" ", 10)) {
			return
		}
	}
	if latest >= 0 {
		_, s.Refused, _ = strings.Cut(above[latest].String(), "● ")
	}
}

// ScreenKnown reports whether ReadScreen knows the screens of that version.
func (Adapter) ScreenKnown(version string) bool {
	v, known := agents.ParseVersion(version)
	return known && !v.Before(sincePSP)
}
