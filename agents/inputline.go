package agents

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// ScreenReader is an adapter that can read its agent's screen, where the agent
// tells in no other way what is in its input line.
type ScreenReader interface {
	// ReadScreen reads a screen with its renditions (SGR sequences). ok is false
	// where the input line is not on it: a dialog, a panel or another view covers
	// it, or the version is one that is not known. Of such a screen only Cut is told.
	ReadScreen(ansi string) (s Screen, ok bool)
	// SetAside are the keys by which the agent keeps a draft until the next
	// prompt is submitted, and then puts it back; nil if it cannot.
	SetAside() []string
}

// Screen is what an agent's screen tells.
type Screen struct {
	// Input is what stands in the input line, without the agent's own hints;
	// line ends are \n, also those of long lines that were wrapped.
	Input string
	// Stashed: a draft is set aside already; there is room for one.
	Stashed bool
	// Queued are the prompts that wait for the turn to go on, first to last,
	// as far as they are shown.
	Queued []string
	// Menu are the commands offered for what stands in the input line. Enter
	// takes Chosen, which the other Names of it are the same as.
	Menu   []string
	Chosen []string
	// NoMatch: no command begins like it.
	NoMatch bool
	// Refused is the agent's word about a command that it does not know, if that
	// is the last thing on the screen, and Refusals how many such are on it.
	Refused  string
	Refusals int
	// Cut: the pane has too few rows for the input line, and ends within it. CutEmpty:
	// what is to be seen of it is empty.
	Cut, CutEmpty bool
}

// screenLine is a line of a screen: its text and, for each rune, whether it is
// faint.
type screenLine struct {
	text  []rune
	faint []bool
}

// screenLines takes the SGR sequences out of a rendered screen.
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

// faintAfter follows the one attribute that tells hints from what was typed.
func faintAfter(sgr string, faint bool) bool {
	params := strings.Split(sgr[2:len(sgr)-1], ";")
	for i := 0; i < len(params); i++ {
		switch params[i] {
		case "", "0", "22":
			faint = false
		case "2":
			faint = true
		case "38", "48", "58": // a colour, whose numbers are no attributes
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

// hint reports whether the text from rune n on is the agent's own: faint, but
// for its first rune, on which the cursor stands.
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

// rule reports whether the line is one of the two around the input, which may
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
	claudeInput   = "❯\u00a0"
	claudeShell   = "!\u00a0"
	claudeStashed = "draft stashed"
	claudeQueued  = "⎿  Queued"
	claudeNoMatch = "No commands match "
	claudeUnknown = "Unknown command: "
)

// SetAside is Ctrl-S, Claude Code's stash: it holds one draft and gives it back
// after the next submission.
func (Claude) SetAside() []string { return []string{"C-s"} }

// ReadScreen finds the input line between its two rules at the bottom.
func (Claude) ReadScreen(ansi string) (s Screen, ok bool) {
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
		if cut := lines[bottom+1:]; strings.HasPrefix(string(cut[0].text), claudeInput) {
			return Screen{Cut: true, CutEmpty: len(cut) == 1 && claudeBox(cut, false) == ""}, false
		}
	}
	if top < 0 || bottom-top < 2 {
		return Screen{}, false
	}
	box := lines[top+1 : bottom]
	first := string(box[0].text)
	shell := strings.HasPrefix(first, claudeShell)
	if !shell && !strings.HasPrefix(first, claudeInput) {
		return Screen{}, false
	}
	s.Input = claudeBox(box, shell)
	above := lines[:top]
	if n := len(above); n > 0 && strings.HasSuffix(above[n-1].String(), claudeStashed) {
		s.Stashed = true
	}
	readMenu(&s, above)
	s.Queued = claudeQueue(above)
	readRefusal(&s, above)
	return s, true
}

// claudeBox is the text in the input box.
func claudeBox(box []screenLine, shell bool) string {
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

// menuRow is a row of the completion menu: the marker, the command, other names
// of it in brackets.
var menuRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  (❯| ) (/[^ ]+)(?: \(([^)]*)\))?(?: {2,}|$)`) })

// readMenu reads the completions, which stand right above the input.
func readMenu(s *Screen, above []screenLine) {
	for i := len(above) - 1; i >= 0; i-- {
		text := above[i].String()
		m := menuRow().FindStringSubmatch(text)
		switch {
		case m != nil:
			s.Menu = append(s.Menu, m[2])
			if m[1] != " " {
				s.Chosen = append([]string{m[2]}, menuNames(m[3])...)
			}
		case strings.HasPrefix(strings.TrimSpace(text), claudeNoMatch):
			s.NoMatch = true
			return
		case strings.HasPrefix(text, strings.Repeat(" ", 10)) && i > 0: // a description goes on
		default:
			slices.Reverse(s.Menu)
			return
		}
	}
	slices.Reverse(s.Menu)
}

// menuNames are further names of a command: "quit, q".
func menuNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "/"); name != "" {
			names = append(names, "/"+name)
		}
	}
	return names
}

// claudeQueue reads the prompts above the line that says so: blocks with blank
// lines between them. The prompt of the running turn may be the first of them.
func claudeQueue(above []screenLine) (queued []string) {
	last := -1
	for i := len(above) - 1; i >= 0; i-- {
		if strings.HasPrefix(strings.TrimSpace(above[i].String()), claudeQueued) {
			last = i
			break
		}
	}
	var block []string
	for i := last - 1; i >= 0; i-- {
		text := above[i].String()
		if text == "" {
			if len(block) > 0 {
				break // it does not begin like a prompt
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

// readRefusal looks for the agent's word about an unknown command.
func readRefusal(s *Screen, above []screenLine) {
	latest := -1
	for i, l := range above {
		if strings.Contains(l.String(), "● "+claudeUnknown) {
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

// ClaudeScreenKnown reports whether the screens of that version are known to
// show the input line as ReadScreen expects it.
func ClaudeScreenKnown(version string) bool {
	v, known := ParseVersion(version)
	return known && !v.Before(claudePSP)
}
