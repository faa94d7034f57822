package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// decisions shows the ledger: who allowed and denied what, the newest first. It
// follows the ledger while it is open.
type decisions struct {
	query editor
	// typing: keys go to the filter.
	typing bool
	// open is the row that is shown whole, 0 for the list; at the chosen one of
	// the list, top the first line of the open one.
	open    int64
	at, top int
	rows    []api.LedgerRow // newest first
	problem string
	asking  bool
	// mark is the newest event that rows are about; loaded: there was an answer.
	mark   int64
	loaded bool
	// wish is what y does, nil for nothing.
	wish *ruleWish
}

// ruleWish is a change of rules that waits for a yes.
type ruleWish struct {
	row   api.LedgerRow
	scope string // "" revokes
}

// PolicyClient is what a Client also is that knows the ledger and its rules.
type PolicyClient interface {
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error)
	RevokeRule(ctx context.Context, ref, rule string) error
}

// decisionRows is how many rows the view asks for.
const decisionRows = 500

// openDecisions shows the view.
func (m *model) openDecisions() cmd {
	if _, ok := m.opts.Client.(PolicyClient); !ok {
		m.warn("this daemon keeps no record of decisions: `ccdir daemon restart`")
		return nil
	}
	m.overlay = decisions{}
	return m.followDecisions()
}

// followDecisions asks again when something was decided; one call at a time.
func (m *model) followDecisions() cmd {
	d, ok := m.overlay.(decisions)
	client, known := m.opts.Client.(PolicyClient)
	if !ok || !known || d.asking || m.offline != "" {
		return nil
	}
	mark := lastDecided(m.events)
	if d.loaded && d.mark == mark {
		return nil
	}
	d.asking, d.mark = true, mark
	m.overlay = d
	put := func(m *model, rows []api.LedgerRow, problem string) {
		if d, ok := m.overlay.(decisions); ok {
			d.asking, d.loaded, d.problem = false, true, problem
			if problem == "" {
				slices.Reverse(rows)
				d.rows = rows
			}
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		rows, err := client.Decisions(c.ctx, api.LedgerFilter{Limit: decisionRows})
		return func(m *model) { put(m, rows, "") }, err
	}, func(m *model, err error) { put(m, nil, problem(err)) })
}

// lastDecided is the number of the newest event that may belong to a decision.
func lastDecided(events []api.Event) int64 {
	for _, e := range slices.Backward(events) {
		switch e.Type {
		case "PreToolUse", api.EventPermissionOpen, api.EventPermissionEnded, api.EventMCPCall, api.EventHookRejected, api.EventSessionPolicy:
			return e.Seq
		}
	}
	return 0
}

// list is what the filter selects.
func (d decisions) list() []api.LedgerRow {
	words := strings.Fields(strings.ToLower(d.query.String()))
	if len(words) == 0 {
		return d.rows
	}
	var out []api.LedgerRow
	for _, r := range d.rows {
		text := strings.ToLower(strings.Join([]string{r.Name, r.Session, r.Role, r.Tool, r.Decision, r.By, r.Rule, r.Reason, string(r.Input)}, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, r)
		}
	}
	return out
}

func (d decisions) room(cols, rows int) (w, h int) {
	return max(1, min(callsWidth, cols-4)), max(1, min(callsRows, rows-4))
}

func (d decisions) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := d.room(sc.cols, sc.rows)
	r := drawPopup(s, sc, w, h, "decisions", sc.theme.accent)
	list := d.list()
	if i := slices.IndexFunc(list, func(r api.LedgerRow) bool { return r.Seq == d.open }); d.open != 0 && i >= 0 {
		d.drawOne(s, sc, r, list[i])
		return paint.Cursor{}
	}
	s.Text(r.X, r.Y, r.W, "/ ", fg(sc.theme.dim))
	at := d.query.draw(s, r.X+2, r.Y, r.W-2, grid.Style{Attrs: grid.Bold})
	if d.query.empty() && !d.typing {
		s.Text(r.X+2, r.Y, r.W-2, paint.Cut("filter by session, tool, decision, who, rule or input", r.W-2), fg(sc.theme.dim))
	}
	rows := paint.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(0, r.H-2)}
	chosen := min(d.at, len(list)-1)
	top := max(0, chosen-rows.H+1)
	for i := 0; i < rows.H && top+i < len(list); i++ {
		drawDecision(s, sc, paint.Rect{X: rows.X, Y: rows.Y + i, W: rows.W, H: 1}, list[top+i], top+i == chosen)
	}
	switch {
	case len(list) > 0:
	case d.problem != "":
		line(s, rows, 0, d.problem, bold(sc.theme.alert))
	case !d.loaded:
		line(s, rows, 0, "asking the daemon…", fg(sc.theme.dim))
	case d.query.empty():
		line(s, rows, 0, "nothing was decided yet: `ccdir policy init` writes a policy to start from", fg(sc.theme.dim))
	default:
		line(s, rows, 0, "no decision fits", fg(sc.theme.dim))
	}
	d.drawFoot(s, sc, r, len(list))
	return paint.Cursor{X: r.X + 2 + at, Y: r.Y, Visible: d.typing}
}

// drawFoot says what keys do, or asks before a rule changes.
func (d decisions) drawFoot(s *paint.Surface, sc *scene, r paint.Rect, n int) {
	if d.wish != nil {
		line(s, r, r.H-1, d.wish.question(), bold(sc.theme.permission))
		return
	}
	line(s, r, r.H-1, fmt.Sprintf("Enter show   / filter   rule: s session, p project, u user   x revoke   Esc close   %d", n), fg(sc.theme.dim))
}

func (w *ruleWish) question() string {
	if w.scope == "" {
		return "take back " + textsafe.Line(w.row.Rule) + " of " + textsafe.Line(w.row.Name) + "?  y yes, other keys no"
	}
	return "always allow what row " + strconv.FormatInt(w.row.Seq, 10) + " is about, for the " + w.scope + "?  y yes, other keys no"
}

// drawDecision draws a row: time, session, decision, who, tool and input.
func drawDecision(s *paint.Surface, sc *scene, r paint.Rect, v api.LedgerRow, chosen bool) {
	text, dim := grid.Style{}, fg(sc.theme.dim)
	st := fg(decisionColour(sc.theme, v.Decision))
	if chosen {
		text, dim, st = grid.Style{Attrs: grid.Inverse}, grid.Style{Attrs: grid.Inverse}, grid.Style{Attrs: grid.Inverse | grid.Bold}
		s.Fill(r, text)
	}
	name := v.Name
	if name == "" {
		name = v.Session
	}
	x, end := r.X, r.X+r.W
	for _, column := range []struct {
		text  string
		width int
		st    grid.Style
	}{{v.At.Local().Format("15:04:05"), 8, dim}, {name, 10, text}, {v.Decision, 8, st}, {whoDecided(v), 8, dim}, {v.Tool, 10, text}} {
		if x >= end {
			return
		}
		s.Text(x, r.Y, min(column.width, end-x), paint.Cut(textsafe.Line(column.text), min(column.width, end-x)), column.st)
		x += column.width + 1
	}
	if x < end {
		s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(decisionText(v)), end-x), text)
	}
}

func decisionColour(t *theme, decision string) grid.Color {
	switch decision {
	case api.EffectAllow, api.LedgerRule:
		return t.idle
	case api.EffectDeny, api.LedgerRefused:
		return t.alert
	case api.EffectAsk:
		return t.permission
	}
	return t.dim
}

func whoDecided(v api.LedgerRow) string {
	if v.By == "" {
		return "nobody"
	}
	return v.By
}

// decisionText is what a row is about.
func decisionText(v api.LedgerRow) string {
	input := v.Input
	if len(v.Edited) > 0 {
		input = v.Edited
	}
	var in map[string]any
	if json.Unmarshal(input, &in) == nil {
		for _, key := range []string{"command", "file_path", "notebook_path", "url", "path", "question"} {
			if text, ok := in[key].(string); ok && text != "" {
				return text
			}
		}
		if len(in) > 0 {
			return string(input)
		}
	}
	return strings.TrimSpace(v.Rule + " " + v.Reason)
}

// decisionLines are a row shown whole.
func decisionLines(v api.LedgerRow, w int) []string {
	var out []string
	add := func(label, text string) {
		if text = textsafe.Line(text); text == "" {
			return
		}
		for _, part := range wrapIndent(text, max(1, w-12)) {
			out = append(out, fmt.Sprintf("%-11s %s", label, part))
			label = ""
		}
	}
	input := func(label string, raw json.RawMessage) {
		var b bytes.Buffer
		if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
			return
		}
		for text := range strings.Lines(b.String()) {
			add(label, strings.TrimRight(text, "\n"))
			label = ""
		}
	}
	add("row", fmt.Sprintf("%d, %s", v.Seq, v.At.Local().Format("2006-01-02 15:04:05.000")))
	add("session", strings.TrimSpace(v.Name+" "+v.Session))
	add("role", v.Role)
	add("decision", strings.TrimSpace(v.Decision+" by "+whoDecided(v)+" "+v.Client+v.Lead))
	if v.File != "" && v.Line > 0 {
		add("rule", fmt.Sprintf("%s (%s:%d)", v.Rule, v.File, v.Line))
	} else {
		add("rule", v.Rule)
	}
	add("scope", v.Scope)
	add("reason", v.Reason)
	add("ended", string(v.Outcome))
	add("at", v.Hook)
	if v.LatencyMS > 0 {
		add("after", strconv.FormatFloat(v.LatencyMS, 'f', 1, 64)+" ms")
	}
	add("tool", v.Tool)
	add("call", v.ToolUseID)
	input("input", v.Input)
	input("edited", v.Edited)
	add("hash", v.Hash)
	return out
}

func (d decisions) drawOne(s *paint.Surface, sc *scene, r paint.Rect, v api.LedgerRow) {
	lines := decisionLines(v, r.W)
	top := max(0, min(d.top, len(lines)-(r.H-1)))
	for i := 0; i < r.H-1 && top+i < len(lines); i++ {
		line(s, r, i, lines[top+i], grid.Style{})
	}
	if d.wish != nil {
		d.drawFoot(s, sc, r, 0)
		return
	}
	line(s, r, r.H-1, "Esc back   ↑ ↓ scroll   rule: s session, p project, u user   x revoke", fg(sc.theme.dim))
}
