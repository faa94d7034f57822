package usagepage

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

const (
	// barWidth is how wide the bar of a window is, in columns.
	barWidth = 16
	// days is how many days the sparkline has room for.
	days = 90
	// mostRows is how many rows of a sum are shown.
	mostRows = 8
)

// Lines are the page's in w columns.
func (t text) Lines(env ui.Env, w int) (string, []string) {
	f := modal.Facts{Theme: env.Theme, Width: w}
	addWindows(&f, env)
	dim := theme.FG(env.Theme.Dim)
	f.Heading("used in 90 days")
	switch {
	case t.problem != "":
		f.Add("", t.problem, theme.Bold(env.Theme.Alert))
	case t.sums == nil && env.Offline == "":
		f.Add("", "asking the daemon…", dim)
	case len(t.sums[api.UsageByDay].Rows) == 0:
		f.Add("", "nothing yet: what agents use counts from their first answer on", dim)
	}
	if len(t.sums[api.UsageByDay].Rows) > 0 {
		t.addDays(&f, env)
		for _, part := range []struct {
			by   api.UsageBy
			name string
		}{{api.UsageBySession, "by session"}, {api.UsageByTask, "by task"}, {api.UsageByRepo, "by repository"}} {
			addSums(&f, env, part.name, t.sums[part.by].Rows)
		}
		t.addNotes(&f, env)
	}
	return "usage", f.Out
}

// addWindows adds the windows of each account, with the age of what is known.
func addWindows(f *modal.Facts, env ui.Env) {
	dim := theme.FG(env.Theme.Dim)
	f.Heading("what is left")
	if env.Limits == nil || len(env.Limits.Windows) == 0 {
		f.Add("", "no agent has told its limits: Claude Code and Codex do so with a subscription, after their first answer", dim)
		return
	}
	before := ""
	for _, win := range env.Limits.Windows {
		account := win.Agent + "/" + win.Account
		if win.Node != "" {
			account = win.Node + ":" + account
		}
		label := account
		if account == before {
			label = ""
		}
		before = account
		f.Out = append(f.Out, modal.Columns(f.Width, modal.Column(textsafe.Line(label), 17, dim), modal.Column(textsafe.Line(win.Name), 8, cells.Style{}),
			modal.Column(used(win, env.Now), 5, paceOf(env.Theme, win)), modal.Column(bar(win, env.Now), barWidth+1, paceOf(env.Theme, win)),
			modal.Column(end(win, env.Now), 11, cells.Style{}), modal.Column(format.Age(env.Now, win.At)+" ago", 12, dim)))
	}
}

// paceOf is the style of a window: amber where it is used too quickly, red where it is used up.
func paceOf(th *theme.Theme, w api.UsageWindow) cells.Style {
	switch w.Pace {
	case api.PaceQuick:
		return theme.FG(th.Input)
	case api.PaceSpent:
		return theme.FG(th.Alert)
	}
	return cells.Style{}
}

// used is how much of a window is used, "?" where nobody says.
func used(w api.UsageWindow, now time.Time) string {
	if w.UsedPercent == nil || w.Rolled(now) {
		return "?"
	}
	return fmt.Sprintf("%.0f%%", math.Floor(*w.UsedPercent))
}

func bar(w api.UsageWindow, now time.Time) string {
	if w.UsedPercent == nil || w.Rolled(now) {
		return ""
	}
	n := max(0, min(barWidth, int(*w.UsedPercent*barWidth/100)))
	return strings.Repeat("█", n) + strings.Repeat("░", barWidth-n)
}

func end(w api.UsageWindow, now time.Time) string {
	switch {
	case w.ResetsAt == nil:
		return ""
	case w.Rolled(now):
		return "began anew"
	}
	return w.Left(now) + " left"
}

// addDays adds the sparkline of what each of the last 90 days cost, as many as there is room for, and the sums of today,
// seven days and all.
func (t text) addDays(f *modal.Facts, env ui.Env) {
	by := map[string]api.UsageRow{}
	for _, r := range t.sums[api.UsageByDay].Rows {
		by[r.Key] = r
	}
	n := min(days, max(1, f.Width))
	line, most := make([]float64, n), 0.0
	var today, week, all api.UsageRow
	for i := range days {
		r, known := by[env.Now.Local().AddDate(0, 0, -i).Format(time.DateOnly)]
		if !known {
			continue
		}
		add(&all, r)
		if i < 7 {
			add(&week, r)
		}
		if i == 0 {
			add(&today, r)
		}
		if i < n && r.CostUSD != nil {
			line[n-1-i], most = *r.CostUSD, max(most, *r.CostUSD)
		}
	}
	f.Out = append(f.Out, modal.Styled(sparkline(line, most), theme.FG(env.Theme.Accent)))
	var parts []string
	for _, p := range []struct {
		word string
		row  api.UsageRow
	}{{"today", today}, {"7 days", week}, {"90 days", all}} {
		parts = append(parts, p.word+" "+cost(p.row))
	}
	f.Out = append(f.Out, modal.Styled(strings.Join(parts, "   "), theme.Bold(cells.Style{}.FG)))
}

// sparkline has a column for each value, as high as its share of the most; a day on which nothing was used is a dot.
func sparkline(values []float64, most float64) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune(levels[min(int(v/most*float64(len(levels))), len(levels)-1)])
	}
	return b.String()
}

// add adds a row to a sum.
func add(sum *api.UsageRow, r api.UsageRow) {
	if r.CostUSD != nil {
		total := *r.CostUSD
		if sum.CostUSD != nil {
			total += *sum.CostUSD
		}
		sum.CostUSD = &total
	}
	sum.Estimate = sum.Estimate || r.Estimate
	sum.Lacks = append(sum.Lacks, r.Lacks...)
}

// addSums adds the rows that cost most.
func addSums(f *modal.Facts, env ui.Env, name string, rows []api.UsageRow) {
	first := true
	for i, r := range rows {
		word := cmp.Or(r.Name, r.Key)
		if word == "" { // what is of no task, or in no repository
			continue
		}
		if first {
			f.Heading(name + ": cost, tokens")
		}
		first = false
		if i >= mostRows {
			f.Add("", "and "+format.Plural(len(rows)-i, "other", "others")+": `ccdir usage --by` lists all", theme.FG(env.Theme.Dim))
			return
		}
		f.Out = append(f.Out, modal.Columns(f.Width, modal.Column(cost(r), 10, cells.Style{}), modal.Column(tokens(r), 8, theme.FG(env.Theme.Dim)),
			modal.Column(textsafe.Line(format.Home(word, env.Home)), max(1, f.Width-18), cells.Style{})))
	}
}

// addNotes adds what the signs mean.
func (t text) addNotes(f *modal.Facts, env ui.Env) {
	var all api.UsageRow
	for _, r := range t.sums[api.UsageByDay].Rows {
		add(&all, r)
	}
	dim := theme.FG(env.Theme.Dim)
	if all.Estimate || len(all.Lacks) > 0 {
		f.Out = append(f.Out, "")
	}
	if all.Estimate {
		f.Add("~", "an estimate, by prices of "+textsafe.Line(t.sums[api.UsageByDay].Prices), dim)
	}
	if len(all.Lacks) > 0 {
		f.Add("+", "and what models without a known price cost", dim)
	}
}

// cost is what a row cost: "~" before an estimate, "+" after what lacks something, "?" where nobody knows.
func cost(r api.UsageRow) string {
	if r.CostUSD == nil {
		return "?"
	}
	text := "$" + strconv.FormatFloat(*r.CostUSD, 'f', 2, 64)
	if r.Estimate {
		text = "~" + text
	}
	if len(r.Lacks) > 0 {
		text += "+"
	}
	return text
}

// tokens is how many tokens a row has.
func tokens(r api.UsageRow) string {
	n := int64(0)
	for _, p := range []*int64{r.InputTokens, r.OutputTokens, r.CacheReadTokens, r.CacheWriteTokens} {
		if p != nil {
			n += *p
		}
	}
	return format.Tokens(n)
}
