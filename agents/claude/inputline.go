package claude

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/screentext"
)

// rule reports whether the line is one of the two rules around the input, which may
// hold a title.
func rule(l screentext.Line) bool {
	count := 0
	for _, r := range l.Text {
		if r == '─' {
			count++
		}
	}
	return len(l.Text) > 0 && l.Text[0] == '─' && count >= 8 && 2*count >= len(l.Text)
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
	lines := screentext.Lines(ansi)
	bottom := len(lines) - 1
	for bottom >= 0 && !rule(lines[bottom]) {
		bottom--
	}
	top := bottom - 1
	for top >= 0 && !rule(lines[top]) {
		top--
	}
	if bottom >= 0 && bottom < len(lines)-1 {
		if cut := lines[bottom+1:]; strings.HasPrefix(string(cut[0].Text), inputMark) {
			return agents.Screen{Cut: true, CutEmpty: len(cut) == 1 && readBox(cut, false) == ""}, false
		}
	}
	if top < 0 || bottom-top < 2 {
		return agents.Screen{}, false
	}
	box := lines[top+1 : bottom]
	first := string(box[0].Text)
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
func readBox(box []screentext.Line, shell bool) string {
	if len(box) == 1 && box[0].Hint(2) {
		return ""
	}
	text := make([]string, len(box))
	for i, l := range box {
		text[i] = strings.TrimRight(string(l.Text[min(2, len(l.Text)):]), " \u00a0")
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
func readMenu(s *agents.Screen, above []screentext.Line) {
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
func readQueue(above []screentext.Line) (queued []string) {
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
func readRefusal(s *agents.Screen, above []screentext.Line) {
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
