package modal

import (
	"bytes"
	"encoding/json"
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// LabelledJSON is the input of a tool with a label above it.
func LabelledJSON(th *theme.Theme, label string, raw json.RawMessage, w int) []string {
	lines := JSONLines(th, raw, max(1, w-2))
	if len(lines) == 0 {
		return nil
	}
	out := []string{Styled(label, theme.FG(th.Dim))}
	for _, l := range lines {
		out = append(out, "  "+l)
	}
	return out
}

// JSONLines are JSON with line breaks and colours, cut to w columns with their
// indentation kept, and harmless; none if it is no JSON.
func JSONLines(th *theme.Theme, raw json.RawMessage, w int) (out []string) {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return nil
	}
	for l := range strings.Lines(strings.TrimSpace(b.String())) {
		l = textsafe.Line(strings.TrimSuffix(l, "\n"))
		indent := strings.Repeat(" ", min(len(l)-len(strings.TrimLeft(l, " "))+2, w/2))
		for paint.Width(l) > w {
			head := paint.Head(l, w)
			out, l = append(out, colouredJSON(th, head)), indent+l[len(head):]
		}
		out = append(out, colouredJSON(th, l))
	}
	return out
}

// colouredJSON colours one line of indented JSON: its key, and the value by kind.
func colouredJSON(t *theme.Theme, l string) string {
	body := strings.TrimLeft(l, " ")
	out := l[:len(l)-len(body)]
	if strings.HasPrefix(body, `"`) {
		if i := strings.Index(body, `": `); i > 0 {
			out += Styled(body[:i+1], theme.FG(t.Accent)) + Styled(": ", theme.FG(t.Dim))
			body = body[i+3:]
		}
	}
	st := cells.Style{}
	switch {
	case strings.HasPrefix(body, `"`):
		st = theme.FG(t.Idle)
	case strings.Trim(body, "{}[],") == "":
		st = theme.FG(t.Dim)
	case strings.HasPrefix(body, "true"), strings.HasPrefix(body, "false"), strings.HasPrefix(body, "null"):
		st = theme.FG(t.Input)
	}
	return out + Styled(body, st)
}
