package gemini

import (
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/screentext"
)

// Marks of Gemini CLI's screen (0.61.0).
const (
	boxTop    = '▄'
	boxBottom = '▀'
	hintText  = "Type your message or @path/to/file"
	queueMark = "Queued (press ↑ to edit):"
	// loadMark stands, behind a spinner, in place of the input line.
	loadMark = "Resuming session..."
)

// ReadScreen finds the input line in its box at the bottom.
func (Adapter) ReadScreen(ansi string) (s agents.Screen, ok bool) {
	var lines []string
	for _, l := range screentext.Lines(ansi) {
		lines = append(lines, string(l.Text))
	}
	bottom := len(lines) - 1
	for bottom >= 0 && !edge(lines[bottom], boxBottom) {
		bottom--
	}
	top := bottom - 1
	for top >= 0 && !edge(lines[top], boxTop) {
		top--
	}
	if bottom-top < 2 || !ruleAbove(lines, top) {
		s.Loading = slices.ContainsFunc(lines[max(bottom, 0):], func(line string) bool {
			return strings.HasSuffix(strings.TrimRight(line, " "), " "+loadMark)
		})
		return s, false // prompts of earlier turns have boxes too
	}
	box := lines[top+1 : bottom]
	if len([]rune(box[0])) < 3 || !strings.Contains(">*!", strings.TrimSpace(string([]rune(box[0])[:3]))) {
		return s, false
	}
	s.Input, s.Queued = boxText(box), queued(lines[:top])
	return s, true
}

// edge reports whether a line is an edge of the input box.
func edge(line string, of rune) bool {
	line = strings.TrimRight(line, " ")
	return strings.Count(line, string(of)) >= 8 && strings.Trim(line, string(of)) == ""
}

// ruleAbove reports whether the rule of the input line is above its box, with at most two lines
// of hints between.
func ruleAbove(lines []string, top int) bool {
	for i := top - 1; i >= max(top-3, 0); i-- {
		if edge(lines[i], '─') {
			return true
		}
	}
	return false
}

// boxText is the text in the box, without the mark before it.
func boxText(box []string) string {
	var text []string
	for _, line := range box {
		r := []rune(line)
		text = append(text, strings.TrimRight(string(r[min(3, len(r)):]), " "))
	}
	joined := strings.Join(text, "\n")
	if strings.TrimSpace(joined) == hintText || strings.TrimSpace(joined) == "" {
		return ""
	}
	return joined
}

// queued are the prompts that wait for the end of the turn, shown below their mark.
func queued(lines []string) (list []string) {
	for i, line := range lines {
		if strings.TrimSpace(line) != queueMark {
			continue
		}
		for _, q := range lines[i+1:] {
			if !strings.HasPrefix(q, "    ") || strings.TrimSpace(q) == "" {
				break
			}
			list = append(list, strings.TrimSpace(q))
		}
	}
	return list
}

// ScreenKnown: the version that runs the tests, and its patches.
func (Adapter) ScreenKnown(version string) bool {
	v, ok := agents.ParseVersion(version)
	return ok && v[0] == tested[0] && v[1] == tested[1]
}

// SetAside is nothing: the CLI cannot put a draft aside.
func (Adapter) SetAside() []string { return nil }
