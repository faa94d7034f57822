package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
)

// turnPrinter prints turns as text. A turn may be printed piece by piece as it grows: what
// was printed is not printed again.
type turnPrinter struct {
	*verb.App
	colour bool
	// width is the terminal's, in columns; 0: lines are not wrapped.
	width int
	// full prints thoughts, notes and results whole.
	full bool

	turn         int // the number of the turn that is being printed
	conversation string
	items        int  // of it that were printed
	closed       bool // its end was printed
	state        api.TurnState
}

// Bounds of what is shown of long texts without full.
const (
	shownDiff = 40 // lines of an edit
	indent    = "  "
)

// print prints what is new of a turn. With all, tool calls that run are printed as such;
// otherwise the printer waits for what becomes of them.
func (p *turnPrinter) print(t api.Turn, all bool) error {
	if t.Turn < p.turn {
		return nil // it comes again after a lost connection
	}
	if t.Turn != p.turn {
		if err := p.end(); err != nil {
			return err
		}
		if err := p.begin(t); err != nil {
			return err
		}
	}
	for ; p.items < len(t.Items); p.items++ {
		item := t.Items[p.items]
		if item.Kind == api.ItemTool && item.Tool < len(t.Tools) && t.Tools[item.Tool].Outcome == api.ToolRunning && !all && t.State == api.TurnRunning {
			return nil
		}
		if err := p.item(t, item); err != nil {
			return err
		}
		p.closed = false
	}
	if t.State != api.TurnRunning && (!p.closed || p.state != t.State) {
		p.closed, p.state = true, t.State
		return p.footer(t)
	}
	if all && t.State == api.TurnRunning {
		return p.line("34", "… it works on this")
	}
	return nil
}

// end ends the output.
func (p *turnPrinter) end() error {
	if p.turn == 0 {
		return nil
	}
	_, err := fmt.Fprintln(p.Out)
	return err
}

func (p *turnPrinter) begin(t api.Turn) error {
	if t.Conversation != p.conversation && p.conversation != "" {
		if err := p.line("90", "── another conversation: "+textsafe.Line(t.Conversation)); err != nil {
			return err
		}
	}
	p.turn, p.items, p.closed, p.conversation = t.Turn, 0, false, t.Conversation
	head := fmt.Sprintf("%d", t.Turn)
	if !t.At.IsZero() {
		head += " · " + t.At.Local().Format(time.DateTime)
	}
	switch t.Origin {
	case api.OriginTask:
		head += " · a background task ended"
	case api.OriginAgent:
		head += " · from another agent"
	case api.OriginSystem:
		head += " · begun by the agent itself"
	}
	if err := p.line("90", "── "+head); err != nil {
		return err
	}
	if t.Prompt == "" {
		return nil
	}
	return p.block("1", "> ", t.Prompt)
}

// footer prints how a turn ended, if not as it should.
func (p *turnPrinter) footer(t api.Turn) error {
	if t.Omitted > 0 {
		if err := p.line("33", fmt.Sprintf("(%d more entries of this turn are left out)", t.Omitted)); err != nil {
			return err
		}
	}
	switch t.State {
	case api.TurnFailed:
		text := "failed"
		if f := t.Failure; f != nil {
			text += ": " + string(f.Kind) + ": " + textsafe.Line(f.Message)
			if !f.RetryAt.IsZero() {
				text += " (again from " + f.RetryAt.Local().Format(time.DateTime) + ")"
			}
		}
		return p.line("31", "✗ "+text)
	case api.TurnInterrupted:
		return p.line("33", "✗ interrupted")
	}
	return nil
}

func (p *turnPrinter) item(t api.Turn, item api.TurnItem) error {
	switch item.Kind {
	case api.ItemText:
		if err := p.gap(); err != nil {
			return err
		}
		return p.cutBlock("", "", item.Text, item.Cut)
	case api.ItemTool:
		if item.Tool < len(t.Tools) {
			return p.tool(t.Tools[item.Tool], indent)
		}
	case api.ItemThinking:
		return p.folded("90", "thought", cmp.Or(item.Text, "(hidden)"), item.Cut)
	case api.ItemPrompt:
		return p.block("1", "> ", item.Text)
	case api.ItemCommand:
		return p.folded("36", "command", item.Text, item.Cut)
	case api.ItemCompaction:
		return p.folded("35", "compacted", item.Text, item.Cut)
	case api.ItemNote:
		return p.folded("90", "note", item.Text, item.Cut)
	case api.ItemError:
		return p.block("31", "! ", item.Text)
	case api.ItemRaw:
		return p.folded("90", "not understood: "+textsafe.Line(item.Text), item.Raw, item.Cut)
	}
	return nil // ItemInterrupt: the footer says it
}

// outcomeSGR are the colours of outcomes (SGR parameters).
var outcomeSGR = map[api.ToolOutcome]string{api.ToolOK: "32", api.ToolError: "31", api.ToolRefused: "31", api.ToolInterrupted: "33", api.ToolRunning: "34", api.ToolBackground: "34"}

// tool prints a tool call: one line, then its edit, or what went wrong.
func (p *turnPrinter) tool(t api.TurnTool, margin string) error {
	note := string(t.Outcome)
	if t.Added > 0 || t.Removed > 0 {
		note += fmt.Sprintf(" +%d -%d", t.Added, t.Removed)
	}
	if t.MS > 0 {
		note += " " + (time.Duration(t.MS) * time.Millisecond).Round(100*time.Millisecond).String()
	}
	if t.Reason != "" {
		note += " (" + textsafe.Line(textsafe.Cut(t.Reason, 200)) + ")"
	}
	if d := t.Decision; d != nil && (p.full || d.Rule != "") {
		note += " (" + textsafe.Line(textsafe.Cut(d.Words(), 200)) + ")"
	}
	argument, _, more := strings.Cut(t.Argument, "\n")
	if more {
		argument += " …"
	}
	head := margin + "• " + textsafe.Line(t.Name)
	room := 0
	if p.width > 0 {
		room = max(p.width-displaywidth.String(head)-displaywidth.String(note)-4, verb.MinLastColumn)
	}
	argument = textsafe.Line(argument)
	if room > 0 {
		argument = displaywidth.TruncateString(argument, room, "…")
	}
	if argument != "" {
		argument = "  " + argument
	}
	text := head + argument + "  " + verb.Paint(p.colour, outcomeSGR[t.Outcome], note)
	if _, err := fmt.Fprintln(p.Out, text); err != nil {
		return err
	}
	if err := p.diff(t, margin+indent); err != nil {
		return err
	}
	if p.full && t.Result != "" && len(t.Diff) == 0 {
		if err := p.cutBlock("90", margin+indent, t.Result, t.Cut); err != nil {
			return err
		}
	} else if t.Outcome == api.ToolError && t.Result != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Result), "\n")
		if err := p.line("31", margin+indent+p.fitted(textsafe.Line(first), margin+indent)); err != nil {
			return err
		}
	}
	return p.subagent(t, margin+indent)
}

// fitted cuts a line to the terminal.
func (p *turnPrinter) fitted(s, margin string) string {
	if p.width == 0 || p.full {
		return s
	}
	return displaywidth.TruncateString(s, max(p.width-displaywidth.String(margin), verb.MinLastColumn), "…")
}

// diff prints an edit.
func (p *turnPrinter) diff(t api.TurnTool, margin string) error {
	shown := 0
	for _, h := range t.Diff {
		for _, line := range h.Lines {
			if shown++; shown > shownDiff && !p.full {
				continue
			}
			sgr := "90"
			switch {
			case strings.HasPrefix(line, "+"):
				sgr = "32"
			case strings.HasPrefix(line, "-"):
				sgr = "31"
			}
			if err := p.line(sgr, margin+p.fitted(textsafe.Line(line), margin)); err != nil {
				return err
			}
		}
	}
	if shown > shownDiff && !p.full {
		return p.line("90", fmt.Sprintf("%s… %d more lines", margin, shown-shownDiff))
	}
	return nil
}

// subagent prints what a subagent did, in short.
func (p *turnPrinter) subagent(t api.TurnTool, margin string) error {
	if t.Agent == nil {
		return nil
	}
	for _, turn := range t.Agent.Turns {
		for _, tool := range turn.Tools {
			if err := p.tool(tool, margin); err != nil {
				return err
			}
		}
		answer := turn.Answer
		if !p.full {
			answer, _, _ = strings.Cut(answer, "\n")
		}
		if answer != "" {
			if err := p.block("", margin, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// folded prints a text by its first line, or whole.
func (p *turnPrinter) folded(sgr, what, text string, cut int) error {
	if p.full {
		if err := p.line(sgr, indent+"("+what+")"); err != nil {
			return err
		}
		return p.cutBlock(sgr, indent+indent, text, cut)
	}
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	mark := ""
	if more {
		mark = " …"
	}
	return p.line(sgr, p.fitted(indent+"("+what+") "+textsafe.Line(first)+mark, ""))
}

// gap separates a message from what is before it.
func (p *turnPrinter) gap() error {
	_, err := fmt.Fprintln(p.Out)
	return err
}

func (p *turnPrinter) line(sgr, text string) error {
	_, err := fmt.Fprintln(p.Out, verb.Paint(p.colour, sgr, text))
	return err
}

func (p *turnPrinter) cutBlock(sgr, margin, text string, cut int) error {
	if err := p.block(sgr, margin, text); err != nil || cut == 0 {
		return err
	}
	return p.line("33", fmt.Sprintf("%s(%d more bytes are left out)", strings.Repeat(" ", len(margin)), cut))
}

// block prints lines, wrapped to the terminal; the ones after the first are indented.
func (p *turnPrinter) block(sgr, margin, text string) error {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")
		for _, part := range wrapped(textsafe.Line(line), p.width-displaywidth.String(margin)) {
			if err := p.line(sgr, strings.TrimRight(margin+part, " ")); err != nil {
				return err
			}
			margin = strings.Repeat(" ", displaywidth.String(margin))
		}
	}
	return nil
}

// minWrap is the width below which lines are not wrapped, in columns.
const minWrap = 20

// wrapped breaks a line at blanks into parts of at most width columns; a longer word is
// broken anywhere. With a smaller width than minWrap there is one part.
func wrapped(line string, width int) (parts []string) {
	if width < minWrap {
		return []string{line}
	}
	for displaywidth.String(line) > width {
		head := displaywidth.TruncateString(line, width, "")
		if head == "" {
			break
		}
		rest := line[len(head):]
		if at := strings.LastIndexByte(head, ' '); at > 0 && !strings.HasPrefix(rest, " ") && strings.TrimSpace(head[:at]) != "" {
			head, rest = head[:at], line[at:]
		}
		parts = append(parts, head)
		line = strings.TrimLeft(rest, " ")
	}
	return append(parts, line)
}
