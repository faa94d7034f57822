package turns

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Row is one row of a turn.
type Row struct {
	// Text has SGR sequences and takes at most the width asked for.
	Text string
	// Wrapped: the line goes on in the next row.
	Wrapped bool
	// Path is the place of the thing that the row belongs to and that can be opened, as
	// Path makes it; "" for what is always shown whole.
	Path string
	// Head: the first row of the turn, or of the thing at Path.
	Head bool
	// Failed: the head of a tool call that failed or was refused.
	Failed bool
}

// Layout is how turns are laid out.
type Layout struct {
	Theme *theme.Theme
	Width int // in columns
	// Open reports whether the thing at a path is opened; nil: nothing is.
	Open func(path string) bool
	// Now is for how long a turn has been going on; the zero time leaves that out.
	Now time.Time
}

// Path is the place of item i of turn t below another place, "" for the conversation.
func Path(below string, t, i int) string {
	if below != "" {
		below += "/"
	}
	return below + strconv.Itoa(t) + "." + strconv.Itoa(i)
}

// minWidth is the least width that is laid out for.
const minWidth = 12

// Rows lays a turn out. before is the turn before it, nil if it is the first.
func (l Layout) Rows(t api.Turn, before *api.Turn) []Row {
	l.Width = max(l.Width, minWidth)
	w := writer{Layout: l}
	if before != nil {
		w.row("", false)
		if before.Conversation != t.Conversation {
			w.line("═══ another conversation begins ═══", theme.FG(l.Theme.Hook))
		}
	}
	w.begun = len(w.rows)
	w.header(t)
	w.items(t, "", "")
	w.footer(t)
	return w.rows
}

// writer collects the rows of a turn.
type writer struct {
	Layout
	rows   []Row
	path   string // of the thing that is being written
	head   bool   // the next row is its first
	failed bool
	begun  int // the row of the turn's header
}

func (w *writer) open(path string) bool { return w.Open != nil && w.Open(path) }

// row adds a row as it is.
func (w *writer) row(text string, wrapped bool) {
	w.rows = append(w.rows, Row{Text: text, Wrapped: wrapped, Path: w.path, Head: w.head, Failed: w.head && w.failed})
	w.head = false
}

// begin starts the rows of an item that can be opened; end ends them.
func (w *writer) begin(path string, failed bool) (end func()) {
	outer := w.path
	w.path, w.head, w.failed = path, true, failed
	return func() { w.path, w.head = outer, false }
}

// header is the line above a turn: its number, when, how long, what it used.
func (w *writer) header(t api.Turn) {
	w.head = true
	parts := []string{strconv.Itoa(t.Turn)}
	if !t.At.IsZero() {
		at := t.At.Local().Format("15:04")
		if !w.Now.IsZero() && w.Now.Sub(t.At) > 20*time.Hour {
			at = t.At.Local().Format("2006-01-02 15:04")
		}
		parts = append(parts, at)
	}
	switch {
	case !t.Ended.IsZero() && !t.At.IsZero() && t.Ended.After(t.At):
		parts = append(parts, format.Took(t.Ended.Sub(t.At)))
	case t.State == api.TurnRunning:
		parts = append(parts, "working")
	}
	if n := t.Tokens.Output; n > 0 {
		parts = append(parts, format.Tokens(n)+" tokens")
	}
	if by := origins[t.Origin]; by != "" {
		parts = append(parts, by)
	}
	text := "── " + strings.Join(parts, " · ") + " "
	text += strings.Repeat("─", max(0, w.Width-width(text)))
	w.row(modal.Styled(cut(text, w.Width), theme.FG(w.Theme.Dim)), false)
	if t.Prompt != "" {
		w.prompt(t.Prompt)
	}
}

// origins say who began a turn that no person's prompt did.
var origins = map[api.TurnOrigin]string{
	api.OriginTask: "a background task ended", api.OriginAgent: "from another agent", api.OriginSystem: "begun by the agent itself",
	api.OriginCommand: "command", api.OriginShell: "shell",
}

// prompt shows the turn's prompt.
func (w *writer) prompt(text string) {
	w.gap()
	w.block("❯ ", text, theme.Bold(w.Theme.Accent), cells.Style{Attrs: cells.Bold})
}

// gap puts an empty row before what follows, unless the turn just begins.
func (w *writer) gap() {
	if len(w.rows) > w.begun+1 {
		w.row("", false)
	}
}

// items are all of a turn, below a path; margin is what they are indented by.
func (w *writer) items(t api.Turn, below, margin string) {
	before := api.ItemKind("")
	for i, item := range t.Items {
		path := Path(below, t.Turn, i)
		if item.Kind != api.ItemTool || before != api.ItemTool {
			if margin == "" && (item.Kind == api.ItemText || item.Kind == api.ItemPrompt || before == "" || before == api.ItemText) {
				w.gap()
			}
		}
		before = item.Kind
		switch item.Kind {
		case api.ItemText:
			w.set(margin, item.Text)
			w.missing(margin, item.Cut)
		case api.ItemPrompt:
			w.block(margin+"❯ ", item.Text, theme.Bold(w.Theme.Accent), cells.Style{Attrs: cells.Bold})
		case api.ItemTool:
			if item.Tool < len(t.Tools) {
				w.tool(t.Tools[item.Tool], path, margin)
			}
		case api.ItemError:
			w.block(margin+"! ", item.Text, theme.FG(w.Theme.Alert), theme.FG(w.Theme.Alert))
		case api.ItemInterrupt: // the footer says it
		default:
			w.folded(item, path, margin)
		}
	}
}

// foldedNames name the items that are shown by their first line until they are opened.
var foldedNames = map[api.ItemKind]string{
	api.ItemThinking: "thought", api.ItemCommand: "command", api.ItemCompaction: "compacted", api.ItemNote: "note", api.ItemRaw: "not understood",
}

// folded is an item by its first line, or whole.
func (w *writer) folded(item api.TurnItem, path, margin string) {
	name, text, st := foldedNames[item.Kind], item.Text, theme.FG(w.Theme.Dim)
	switch item.Kind {
	case api.ItemRaw:
		name, text = name+" ("+textsafe.Line(item.Text)+")", item.Raw
	case api.ItemThinking:
		if text == "" {
			text = "(hidden by the agent)"
		}
	case api.ItemCompaction:
		st = theme.FG(w.Theme.Hook)
	}
	defer w.begin(path, false)()
	sign, first := "▸ ", ""
	if open := w.open(path); open {
		sign = "▾ "
	} else {
		first, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	head := margin + sign + name
	if first != "" {
		head += ": " + textsafe.Line(tabs(first))
	}
	w.row(modal.Styled(cut(head, w.Width), st), false)
	if sign == "▾ " {
		w.block(margin+"  ", text, st, st)
		w.missing(margin+"  ", item.Cut)
	}
}

// footer says how the turn ended, if not as it should.
func (w *writer) footer(t api.Turn) {
	if t.Omitted > 0 {
		w.line(fmt.Sprintf("(%d more entries of this turn are left out)", t.Omitted), theme.FG(w.Theme.Dim))
	}
	switch t.State {
	case api.TurnFailed:
		text := "✗ failed"
		if f := t.Failure; f != nil {
			text += ": " + strings.ReplaceAll(string(f.Kind), "_", " ") + ": " + f.Message
			if !f.RetryAt.IsZero() {
				text += " (again from " + f.RetryAt.Local().Format("15:04") + ")"
			}
		}
		w.line(text, theme.FG(w.Theme.Alert))
	case api.TurnInterrupted:
		w.line("✗ interrupted", theme.FG(w.Theme.Input))
	}
}

func (w *writer) line(text string, st cells.Style) { w.block("", text, st, st) }

// missing says that a text is longer.
func (w *writer) missing(margin string, n int) {
	if n > 0 {
		w.block(margin, fmt.Sprintf("(%s bytes more are left out)", format.Count(n)), theme.FG(w.Theme.Dim), theme.FG(w.Theme.Dim))
	}
}
