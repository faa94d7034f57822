package codex

import (
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/screentext"
)

// Marks of Codex's screen (0.169.0).
const (
	inputMark  = "› "
	queueTitle = "Queued follow-up inputs"
	queueMark  = "  ↳ "
	// dialogFoot ends the last line of dialogs.
	dialogFoot = "esc to cancel"
	pickerFoot = "esc back"
)

// ScreenKnown reports whether ReadScreen knows the screens of that version.
func (Adapter) ScreenKnown(version string) bool {
	v, known := agents.ParseVersion(version)
	return known && v == tested
}

// SetAside is nil: Codex keeps no draft aside.
func (Adapter) SetAside() []string { return nil }

// ReadScreen finds the input at the bottom: it begins with a mark, further lines are
// indented, and an empty line and the status line follow it. The choices of a dialog begin
// with the same mark.
func (Adapter) ReadScreen(ansi string) (s agents.Screen, ok bool) {
	lines := screentext.Lines(ansi)
	top := len(lines) - 1
	for top >= 0 && !strings.HasPrefix(string(lines[top].Text), inputMark) && lines[top].String() != strings.TrimSpace(inputMark) {
		top--
	}
	if top < 0 {
		return s, false
	}
	end := top + 1
	for end < len(lines) && lines[end].String() != "" {
		end++
	}
	below := lines[end:]
	if len(below) < 2 || below[1].String() == "" || slices.ContainsFunc(below, covers) {
		return s, false
	}
	s.Input = readInput(lines[top:end])
	s.Queued = readQueue(lines[:top])
	return s, true
}

// covers reports whether a line below is the foot of a dialog.
func covers(l screentext.Line) bool {
	text := l.String()
	return strings.HasSuffix(text, dialogFoot) || strings.HasSuffix(text, pickerFoot)
}

// readInput is the text of the input, "" for the hint in an empty one.
func readInput(box []screentext.Line) string {
	const indent = 2 // columns
	if len(box) == 1 && box[0].Hint(indent) {
		return ""
	}
	text := make([]string, len(box))
	for i, l := range box {
		text[i] = strings.TrimRight(string(l.Text[min(indent, len(l.Text)):]), " \u00a0")
	}
	return strings.TrimRight(strings.Join(text, "\n"), "\n")
}

// readQueue reads the prompts that wait for the end of the turn: a title, then each with its
// further lines, then a hint.
func readQueue(above []screentext.Line) (queued []string) {
	begin := len(above) - 1
	for begin >= 0 && !strings.HasSuffix(above[begin].String(), queueTitle) {
		begin--
	}
	if begin < 0 {
		return nil
	}
	for _, l := range above[begin+1:] {
		text := l.String()
		first, isFirst := strings.CutPrefix(text, queueMark)
		more, isMore := strings.CutPrefix(text, "    ")
		switch {
		case isFirst:
			queued = append(queued, first)
		case isMore && len(queued) > 0 && !strings.HasSuffix(text, "edit last queued message"):
			queued[len(queued)-1] += "\n" + more
		default:
			return queued
		}
	}
	return queued
}
