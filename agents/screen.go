package agents

import (
	"regexp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// ScreenRule maps the content of a screen to a state.
type ScreenRule struct {
	State api.State
	// Match is searched for in the last Lines non-empty lines. The agent's question is
	// its group "question", or else the line that matches.
	Match *regexp.Regexp
	Lines int
}

// Screens is an adapter that recognises its agent's dialogs before the first hook by
// the screen.
type Screens interface {
	// ScreenRules are the adapter's own, used when no better evidence exists.
	ScreenRules() []ScreenRule
}

// ScreenRules are the rules of a session: those of the configuration before the
// adapter's own. Rules that do not compile are dropped; the configuration was checked.
func ScreenRules(configured []config.ScreenRule, a Adapter) []ScreenRule {
	var out []ScreenRule
	for _, r := range configured {
		if re, err := config.CompileMatch(r.Match); err == nil {
			out = append(out, ScreenRule{State: r.State, Match: re, Lines: r.Lines})
		}
	}
	if s, ok := a.(Screens); ok {
		out = append(out, s.ScreenRules()...)
	}
	return out
}

// ScreenLines is how many lines the rules need, 0 if there are none.
func ScreenLines(rules []ScreenRule) (n int) {
	for _, r := range rules {
		n = max(n, r.Lines)
	}
	return n
}

// LookAt applies the rules to a screen and returns the evidence of the first that
// matches. If none does, the result tells no state for an agent with hooks; any other
// agent is idle, or, if there is a rule for idle and none for working, working. An
// empty screen tells no state. text is the end of the screen, its lines ended by
// newlines; moving: the screen is still changing.
func LookAt(rules []ScreenRule, managed bool, text string, moving bool, at time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceScreen, At: at, Name: "screen", Fields: map[string]string{}}
	if moving {
		e.Fields["moving"] = "1"
	}
	if text == "" {
		e.Detail = "the screen is empty"
		return e
	}
	idle, working := false, false
	for _, r := range rules {
		idle, working = idle || r.State == api.StateIdle, working || r.State == api.StateWorking
		end := lastLines(text, r.Lines)
		at := r.Match.FindStringSubmatchIndex(end)
		if at == nil {
			continue
		}
		e.Says = r.State
		e.Fields["match"] = Visible(strings.TrimPrefix(r.Match.String(), "(?m)"), 100)
		e.Detail = "the screen shows " + Visible(strings.TrimSpace(lineAt(end, at[0])), 100)
		if r.State.NeedsPerson() {
			e.Fields["question"] = question(r.Match, end, at)
		}
		return e
	}
	e.Detail = "no screen rule fits"
	switch {
	case managed:
	case idle && !working:
		e.Says = api.StateWorking
	default:
		e.Says = api.StateIdle
	}
	return e
}

// lastLines returns the last n lines of a text whose lines end with newlines.
func lastLines(text string, n int) string {
	for i := len(text) - 1; i > 0; i-- {
		if text[i-1] != '\n' {
			continue
		}
		if n--; n == 0 {
			return text[i:]
		}
	}
	return text
}

// lineAt is the line around a position; for an empty match at a line's end, that line.
func lineAt(text string, pos int) string {
	from := strings.LastIndexByte(text[:pos], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

// question is the question on the screen.
func question(re *regexp.Regexp, text string, at []int) string {
	q := lineAt(text, at[0])
	if i := re.SubexpIndex("question"); i > 0 && at[2*i] >= 0 {
		q = text[at[2*i]:at[2*i+1]]
	}
	return Visible(strings.TrimSpace(q), MaxField)
}

// Notices is an adapter that knows the notices which its agent shows before the first
// prompt, for example after an update, and which Escape cancels without an answer.
type Notices interface {
	// Notice reports whether a dialog is such a notice. first is its first line.
	Notice(first string) bool
}

// LimitDialog is an adapter whose agent opens a dialog at a usage limit that Escape closes without a
// choice.
type LimitDialog interface {
	// LimitDialog reports whether the text of a screen shows it.
	LimitDialog(screen string) bool
}
