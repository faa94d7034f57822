package turns

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// outcome is the colour of what became of a tool call.
func outcome(th *theme.Theme, o api.ToolOutcome) cells.Color {
	switch o {
	case api.ToolOK:
		return th.Idle
	case api.ToolError, api.ToolRefused:
		return th.Alert
	case api.ToolInterrupted:
		return th.Input
	}
	return th.Working
}

// tool is a tool call: one row with name, first argument, outcome, changed lines and
// duration; opened, also its input and its result.
func (w *writer) tool(t api.TurnTool, path, margin string) {
	failed := t.Outcome == api.ToolError || t.Outcome == api.ToolRefused
	defer w.begin(path, failed)()
	open := w.open(path)
	sign := "▸ "
	if open {
		sign = "▾ "
	}
	head := margin + sign + textsafe.Line(t.Name)
	note, noted := w.note(t)
	argument, _, more := strings.Cut(strings.TrimSpace(t.Argument), "\n")
	if argument = textsafe.Line(tabs(argument)); more {
		argument += " …"
	}
	room := w.Width - width(head) - width(note) - 3
	if room < 4 && argument != "" { // a narrow screen: the outcome without its details
		note, noted = string(t.Outcome), modal.Styled(string(t.Outcome), theme.FG(outcome(w.Theme, t.Outcome)))
		room = w.Width - width(head) - width(note) - 3
	}
	argument = cut(argument, max(room, 0))
	fill := max(1, w.Width-width(head)-1-width(argument)-width(note))
	w.row(modal.Styled(margin+sign, theme.FG(w.Theme.Dim))+modal.Styled(textsafe.Line(t.Name), cells.Style{Attrs: cells.Bold})+" "+argument+strings.Repeat(" ", fill)+noted, false)
	if open {
		w.opened(t, path, margin+"  ")
		return
	}
	if failed {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Result), "\n")
		if t.Reason != "" {
			first = t.Reason
		}
		if first = textsafe.Line(tabs(first)); first != "" {
			w.row(modal.Styled(cut(margin+"    "+first, w.Width), theme.FG(w.Theme.Alert)), false)
		}
	}
}

// note is the outcome of a call, plain and in colours.
func (w *writer) note(t api.TurnTool) (plain, styled string) {
	parts := []string{string(t.Outcome)}
	colours := []cells.Style{theme.FG(outcome(w.Theme, t.Outcome))}
	add := func(text string, c cells.Color) { parts, colours = append(parts, text), append(colours, theme.FG(c)) }
	if t.Added > 0 {
		add(fmt.Sprintf("+%d", t.Added), w.Theme.Idle)
	}
	if t.Removed > 0 {
		add(fmt.Sprintf("−%d", t.Removed), w.Theme.Alert)
	}
	if t.MS > 0 {
		add(took(t.WorkedMS()), w.Theme.Dim)
	}
	for i, p := range parts {
		if i > 0 {
			styled += " "
		}
		styled += modal.Styled(p, colours[i])
	}
	return strings.Join(parts, " "), styled
}

// took is a duration in few letters.
func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// opened shows a tool's input and output.
func (w *writer) opened(t api.TurnTool, path, margin string) {
	dim := theme.FG(w.Theme.Dim)
	switch {
	case len(t.Diff) > 0:
		w.diff(t.Diff, margin)
	default:
		w.input(t.Input, margin)
	}
	if t.Reason != "" {
		w.block(margin, t.Reason, theme.FG(w.Theme.Alert), theme.FG(w.Theme.Alert))
	}
	if t.Decision != nil {
		words := t.Decision.Words()
		if ms := t.Decision.WaitedMS; ms > 0 {
			words += " after " + took(ms)
		}
		w.block(margin, words, dim, dim)
	}
	switch {
	case t.Agent != nil:
		w.agent(*t.Agent, path, margin)
	case strings.TrimSpace(t.Result) != "" && len(t.Diff) == 0:
		st := cells.Style{}
		if t.Outcome == api.ToolError || t.Outcome == api.ToolRefused {
			st = theme.FG(w.Theme.Alert)
		}
		w.block(margin+quote, t.Result, dim, st)
		w.missing(margin+quote, t.Cut)
	case t.Outcome == api.ToolRunning:
		w.block(margin, "no result yet", dim, dim)
	case len(t.Diff) == 0:
		w.block(margin, "it returned nothing", dim, dim)
	}
}

// input shows a tool's input: a command as it is, other input as JSON.
func (w *writer) input(raw json.RawMessage, margin string) {
	if command, ok := commandOf(raw); ok {
		w.block(margin+"$ ", command, theme.FG(w.Theme.Dim), cells.Style{Attrs: cells.Bold})
		return
	}
	for _, line := range modal.JSONLines(w.Theme, raw, max(1, w.Width-width(margin))) {
		w.row(margin+line, false)
	}
}

// commandOf is the command in a tool's input; false if that has none.
func commandOf(raw json.RawMessage) (string, bool) {
	var fields map[string]json.RawMessage
	var command string
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["command"], &command) != nil {
		return "", false
	}
	return command, command != ""
}

// InputText is a tool's input as text: a command as it is, other input as JSON.
func InputText(t api.TurnTool) string {
	if command, ok := commandOf(t.Input); ok {
		return command
	}
	return string(t.Input)
}

// diff is an edit in colours, with line numbers where they are known.
func (w *writer) diff(hunks []api.DiffHunk, margin string) {
	for i, h := range hunks {
		if i > 0 {
			w.block(margin, "⋯", theme.FG(w.Theme.Dim), theme.FG(w.Theme.Dim))
		}
		before, after := h.Old, h.New
		for _, line := range h.Lines {
			n, st := after, theme.FG(w.Theme.Dim)
			switch {
			case strings.HasPrefix(line, "+"):
				st = theme.FG(w.Theme.Idle)
				after++
			case strings.HasPrefix(line, "-"):
				n, st = before, theme.FG(w.Theme.Alert)
				before++
			default:
				before, after = before+1, after+1
			}
			number := "     "
			if h.New > 0 {
				number = fmt.Sprintf("%4d ", n)
			}
			w.block(margin+number, line, theme.FG(w.Theme.Dim), st)
		}
	}
}

// agent shows a subagent's prompt, work and answer.
func (w *writer) agent(a api.Subagent, path, margin string) {
	for _, t := range a.Turns {
		if t.Prompt != "" {
			w.block(margin+"❯ ", t.Prompt, theme.FG(w.Theme.Accent), cells.Style{})
		}
		w.items(t, path, margin)
	}
}
