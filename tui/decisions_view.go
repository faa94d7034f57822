package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// decisions shows the ledger: who allowed and denied what, the newest first. It
// follows the ledger while it is open.
type decisions struct {
	view    listbox.View
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
	if !ok || !known || d.asking || m.Offline != "" {
		return nil
	}
	mark := lastDecided(m.Events)
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
	}, func(m *model, err error) { put(m, nil, ui.Problem(err)) })
}

// lastDecided is the number of the newest event that may belong to a decision.
func lastDecided(events []api.Event) int64 {
	for _, e := range slices.Backward(events) {
		switch e.Type {
		case "PreToolUse", api.EventPermissionOpen, api.EventPermissionEnded, api.EventMCPCall, api.EventHookRejected, api.EventCallRefused, api.EventSessionPolicy:
			return e.Seq
		}
	}
	return 0
}

func (d decisions) list() listbox.View             { return d.view }
func (d decisions) with(v listbox.View) listDialog { d.view = v; return d }
func (d decisions) mode() keymap.Mode              { return keymap.ModeDecisions }
func (d decisions) paste(m *model, text string)    { listPaste(m, d, text) }
func (d decisions) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawListDialog(d, s, sc)
}

func (d decisions) content(sc *scene) listbox.Content {
	c := listbox.Content{
		Title: "decisions", Hint: "filter by session, tool, decision, who, rule or input", Problem: d.problem, Loading: !d.loaded,
		Empty: "Nothing was decided yet: there is no policy, or no agent has asked. `ccdir policy init` writes a policy to start from.",
		Keys: []keymap.Named{keymap.ViewOpen.As("show"), keymap.ViewFilter.As("filter"), keymap.DecisionSession.As("rule for session"), keymap.DecisionProject.As("project"),
			keymap.DecisionUser.As("user"), keymap.DecisionRevoke.As("revoke"), keymap.ViewClose.As("close")},
	}
	c.DetailKeys = append([]keymap.Named{keymap.ViewClose.As("back")}, c.Keys[2:6]...)
	if d.wish != nil {
		c.Asks = d.wish.question()
	}
	c.Items = make([]listbox.Item, 0, len(d.rows))
	for i := range d.rows {
		r := &d.rows[i]
		c.Items = append(c.Items, listbox.Item{
			ID: strconv.FormatInt(r.Seq, 10),
			Match: func() string {
				return strings.Join([]string{r.Name, r.Session, r.Role, r.Tool, r.Decision, r.By, r.Rule, r.Reason, string(r.Input)}, " ")
			},
			Line: func(w int) string { return decisionRow(sc, *r, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		r, _ := d.row(id)
		return decisionLines(sc.Theme, r, w)
	}
	return c
}

// row is the row of an id.
func (d decisions) row(id string) (api.LedgerRow, bool) {
	for _, r := range d.rows {
		if strconv.FormatInt(r.Seq, 10) == id {
			return r, true
		}
	}
	return api.LedgerRow{}, false
}

func (w *ruleWish) question() string {
	if w.scope == "" {
		return "take back " + textsafe.Line(w.row.Rule) + " of " + textsafe.Line(w.row.Name) + "?  y yes, other keys no"
	}
	return "always allow what row " + strconv.FormatInt(w.row.Seq, 10) + " is about, for the " + w.scope + "?  y yes, other keys no"
}

// decisionRow is a row: time, session, decision, who, tool and input.
func decisionRow(sc *scene, v api.LedgerRow, w int) string {
	dim := theme.FG(sc.Theme.Dim)
	return modal.Columns(w, modal.Column(format.Clock(sc.Now, v.At), format.ClockWidth, dim), modal.Column(textsafe.Line(cmp.Or(v.Name, v.Session)), nameWidth, cells.Style{}),
		modal.Column(textsafe.Line(v.Decision), 8, theme.FG(decisionColour(sc.Theme, v.Decision))), modal.Column(textsafe.Line(whoDecided(v)), 8, dim),
		modal.Column(textsafe.Line(v.Tool), 10, cells.Style{}), modal.Column(textsafe.Line(decisionText(v)), 0, cells.Style{}))
}

func decisionColour(t *theme.Theme, decision string) cells.Color {
	switch decision {
	case api.EffectAllow, api.LedgerRule:
		return t.Idle
	case api.EffectDeny, api.LedgerRefused:
		return t.Alert
	case api.EffectAsk:
		return t.Permission
	}
	return t.Dim
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
func decisionLines(th *theme.Theme, v api.LedgerRow, w int) (out []string) {
	rule := v.Rule
	if v.File != "" && v.Line > 0 {
		rule = fmt.Sprintf("%s (%s:%d)", v.Rule, v.File, v.Line)
	}
	after := ""
	if v.LatencyMS > 0 {
		after = strconv.FormatFloat(v.LatencyMS, 'f', 1, 64) + " ms"
	}
	for _, f := range []struct{ label, text string }{
		{"row", fmt.Sprintf("%d, %s", v.Seq, v.At.Local().Format("2006-01-02 15:04:05.000"))},
		{"session", strings.TrimSpace(v.Name + " " + v.Session)}, {"role", v.Role},
		{"decision", strings.TrimSpace(v.Decision + " by " + whoDecided(v) + " " + v.Client + v.Lead)},
		{"rule", rule}, {"scope", v.Scope}, {"reason", v.Reason}, {"ended", string(v.Outcome)}, {"at", v.Hook}, {"after", after},
		{"tool", v.Tool}, {"call", v.ToolUseID},
	} {
		st := cells.Style{}
		if f.label == "decision" {
			st = theme.Bold(decisionColour(th, v.Decision))
		}
		out = append(out, modal.Labelled(th, w, f.label, textsafe.Line(f.text), st)...)
	}
	out = append(out, modal.LabelledJSON(th, "input", v.Input, w)...)
	out = append(out, modal.LabelledJSON(th, "edited", v.Edited, w)...)
	return append(out, modal.Labelled(th, w, "hash", textsafe.Line(v.Hash), theme.FG(th.Dim))...)
}
