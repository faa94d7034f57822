package agents

import (
	"regexp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// ScreenRule tells a state by what the screen shows.
type ScreenRule struct {
	State api.State
	// Match is looked for in the last Lines lines that are not empty. What its
	// group "question" holds, or the line that fits, is what the agent asks.
	Match *regexp.Regexp
	Lines int
}

// Screens is implemented by adapters of agents whose dialogs before the first
// hook are known by their looks.
type Screens interface {
	// ScreenRules are the adapter's own, for when nothing else tells.
	ScreenRules() []ScreenRule
}

// ScreenRules are the rules of a session: those of the configuration before the
// adapter's own. Rules whose pattern does not compile are left out; the
// configuration was checked.
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

// ScreenLines is how many lines the rules look at, 0 if there are none.
func ScreenLines(rules []ScreenRule) (n int) {
	for _, r := range rules {
		n = max(n, r.Lines)
	}
	return n
}

// LookAt is what the rules say of a screen: evidence of the first that fits. When
// none does, it says nothing of an agent with hooks; any other is idle, or, with a
// rule for idle and none for working, working. An empty screen says nothing. text is the end of the screen, its
// lines ended by newlines; moving tells that it has not stood still.
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

// lastLines is the end of a text whose lines are ended by newlines.
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

// lineAt is the line around a position; of an empty match at an end, the line
// that ends there.
func lineAt(text string, pos int) string {
	from := strings.LastIndexByte(text[:pos], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

// question is what the screen asks.
func question(re *regexp.Regexp, text string, at []int) string {
	q := lineAt(text, at[0])
	if i := re.SubexpIndex("question"); i > 0 && at[2*i] >= 0 {
		q = text[at[2*i]:at[2*i+1]]
	}
	return Visible(strings.TrimSpace(q), MaxField)
}
