package request

import (
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/toolinput"
	"ccdir/tui/paint"
)

// PlanLine is what a plan says first, in one line; "" if the input has none.
func PlanLine(input json.RawMessage) string {
	for line := range strings.Lines(toolinput.Member(input, "plan")) {
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return textsafe.Line(line)
		}
	}
	return ""
}

// modeWords say what an agent asks about in a permission mode.
var modeWords = map[string]string{api.ModeManual: "manual mode: each edit asks", "acceptEdits": "acceptEdits: edits of the project ask no more"}

// ModeWords say what an agent asks about in the permission mode in which it goes on after a plan.
func ModeWords(mode string) string {
	if words, known := modeWords[mode]; known {
		return words
	}
	return textsafe.Line(mode)
}

// planOf is the text of a plan, in Markdown; "" if the request is about none.
func planOf(r api.Request, fields []toolinput.Field) string {
	if r.Kind != api.RequestPlan {
		return ""
	}
	for _, f := range fields {
		if text, ok := f.Text(); ok && f.Key == "plan" {
			return text
		}
	}
	return ""
}

// markdown sets a text: headings stand out, the lines of lists hang, and code keeps its lines.
// Every word of it is shown.
func (b *writer) markdown(text string) {
	code := false
	for line := range strings.Lines(textsafe.Block(text)) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		words := strings.TrimLeft(line, " ")
		switch heading := strings.TrimLeft(words, "#"); {
		case strings.HasPrefix(words, "```") || strings.HasPrefix(words, "~~~"):
			if code = !code; strings.Trim(words, "`~") != "" {
				b.add(faint, words) // names the language
			}
		case code:
			b.chop(faint, "  "+line)
		case len(heading) < len(words) && strings.HasPrefix(heading, " "):
			b.hung(strong, "", strings.TrimSpace(heading))
		default:
			mark, rest := listMark(words)
			b.hung(plain, strings.Repeat(" ", len(line)-len(words))+mark, unmarked(rest))
		}
	}
}

// hung adds a text behind its mark; the lines below the first stand under its words.
func (b *writer) hung(k kind, mark, text string) {
	indent := paint.Width(mark)
	if indent > b.w/2 {
		mark, indent = "", 0
	}
	for _, line := range broken(text, max(1, b.w-indent)) {
		b.chop(k, mark+line)
		mark = strings.Repeat(" ", indent)
	}
}

// listMark takes the mark of a list from a line.
func listMark(line string) (mark, rest string) {
	for _, bullet := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, bullet); ok {
			return strings.NewReplacer("- [ ]", "☐", "- [x]", "☑", "-", "•", "*", "•", "+", "•").Replace(bullet), rest
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 4 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		return line[:n+2], line[n+2:]
	}
	return "", line
}

// unmarked is a line without the marks of bold text, where both are there.
func unmarked(line string) string {
	if n := strings.Count(line, "**"); n > 0 && n%2 == 0 && !strings.Contains(line, "`") {
		return strings.ReplaceAll(line, "**", "")
	}
	return line
}
