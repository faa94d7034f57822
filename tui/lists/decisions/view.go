package decisions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Content lists them, newest first.
func (d rows) Content(env ui.Env, _ listbox.View) listbox.Content {
	c := listbox.Content{
		Title: "decisions", Hint: "filter by session, tool, decision, who, rule or input", Problem: d.problem, Loading: !d.loaded,
		Empty: "No agent has used a tool yet. `ccdir policy init` writes a policy to start from.",
		Keys: []keymap.Named{keymap.ViewOpen.As("show"), keymap.ViewFilter.As("filter"), keymap.DecisionSession.As("rule for session"), keymap.DecisionProject.As("project"),
			keymap.DecisionUser.As("user"), keymap.DecisionRevoke.As("revoke"), keymap.ViewClose.As("close")},
	}
	c.DetailKeys = append([]keymap.Named{keymap.ViewClose.As("back")}, c.Keys[2:6]...)
	if d.wish != nil {
		c.Asks = d.wish.question()
	}
	c.Items = make([]listbox.Item, 0, len(d.ledger))
	for i := range d.ledger {
		r := &d.ledger[i]
		c.Items = append(c.Items, listbox.Item{
			ID: rowID(*r),
			Match: func() string {
				return strings.Join([]string{r.Name, r.Session, r.Role, r.Tool, r.Decision, r.By, r.Rule, r.Reason, string(r.Input)}, " ")
			},
			Line: func(w int) string { return decisionRow(env, *r, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		r, _ := d.row(id)
		return decisionLines(env.Theme, r, w)
	}
	return c
}

func (w *ruleWish) question() string {
	if w.scope == "" {
		return "take back " + textsafe.Line(w.row.Rule) + " of " + textsafe.Line(w.row.Name) + "?  y yes, other keys no"
	}
	return "always allow what row " + strconv.FormatInt(w.row.Seq, 10) + " is about, for the " + w.scope + "?  y yes, other keys no"
}

// decisionRow is a row: time, session, decision, who, tool and input.
func decisionRow(env ui.Env, v api.LedgerRow, w int) string {
	dim := theme.FG(env.Theme.Dim)
	return modal.Columns(w, modal.Column(format.Clock(env.Now, v.At), format.ClockWidth, dim), modal.Column(textsafe.Line(cmp.Or(v.Name, v.Session)), lists.NameWidth, cells.Style{}),
		modal.Column(textsafe.Line(v.Decision), 8, theme.FG(decisionColour(env.Theme, v.Decision))), modal.Column(textsafe.Line(whoDecided(v)), 8, dim),
		modal.Column(toolWord(v.Tool), 10, cells.Style{}), modal.Column(textsafe.Line(decisionText(v)), 0, cells.Style{}))
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

// toolWord is a tool's name, of what asks the person what it asks.
func toolWord(tool string) string {
	switch tool {
	case api.ToolPlan:
		return "plan"
	case api.ToolAsk:
		return "question"
	}
	return textsafe.Line(tool)
}

func whoDecided(v api.LedgerRow) string {
	if v.By == "" {
		return "nobody"
	}
	return v.By
}

// decisionText is the subject of a row.
func decisionText(v api.LedgerRow) string {
	input := v.Input
	if len(v.Edited) > 0 {
		input = v.Edited
	}
	if plan := request.PlanLine(input); plan != "" && v.Tool == api.ToolPlan {
		return plan
	}
	var in map[string]any
	if json.Unmarshal(input, &in) == nil {
		for _, key := range []string{"command", "file_path", "notebook_path", "url", "path"} {
			if text, ok := in[key].(string); ok && text != "" {
				return text
			}
		}
		if text := request.Asked(input); text != "" {
			if choice := answerOf(v); choice != "" && len(v.Edited) == 0 {
				text += " → " + choice
			}
			return text
		}
		if len(in) > 0 {
			return string(input)
		}
	}
	return strings.TrimSpace(v.Rule + " " + v.Reason)
}

// answerOf is the answer to a question; "" for none.
func answerOf(v api.LedgerRow) string {
	if v.Decision != api.EffectAllow || v.By != api.ByPerson && v.By != api.ByLead {
		return ""
	}
	return v.Reason
}

// decisionLines are a row shown whole.
func decisionLines(th *theme.Theme, v api.LedgerRow, w int) (out []string) {
	rule := v.Rule
	if v.File != "" && v.Line > 0 {
		rule = fmt.Sprintf("%s (%s:%d)", v.Rule, v.File, v.Line)
	}
	row := fmt.Sprintf("%d, %s", v.Seq, v.At.Local().Format("2006-01-02 15:04:05.000"))
	if v.Seq == 0 {
		row = fmt.Sprintf("none: event %d, %s", v.Event, v.At.Local().Format("2006-01-02 15:04:05.000"))
	}
	after := ""
	if v.LatencyMS > 0 {
		after = strconv.FormatFloat(v.LatencyMS, 'f', 1, 64) + " ms"
	}
	for _, f := range []struct{ label, text string }{
		{"row", row},
		{"session", strings.TrimSpace(v.Name + " " + v.Session)}, {"role", v.Role},
		{"decision", strings.TrimSpace(v.Decision + " by " + whoDecided(v) + " " + v.Client + v.Lead)},
		{"rule", rule}, {"scope", v.Scope}, {"reason", v.Reason}, {"ended", string(v.Outcome)}, {"at", v.Hook}, {"after", after},
		{"tool", v.Tool}, {"call", v.ToolUseID}, {"permission mode", v.Mode},
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
