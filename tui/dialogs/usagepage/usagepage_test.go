package usagepage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// counted is a client that knows what was used.
type counted struct {
	ui.Client
	rows map[api.UsageBy][]api.UsageRow
	err  error
}

func (c counted) Usage(_ context.Context, by api.UsageBy, _ time.Time) (api.Usage, error) {
	return api.Usage{Rows: c.rows[by], Prices: "2026-11-01"}, c.err
}

func row(key, name string, usd float64) api.UsageRow {
	n := int64(12_000)
	return api.UsageRow{Key: key, Name: name, CostUSD: &usd, Estimate: true, InputTokens: &n}
}

// TestAlone: it asks when it is opened and later again, keeps what it had where that fails, and says what is unknown.
func TestAlone(t *testing.T) {
	env := uitest.Env(80, 24)
	day := func(ago int) string { return env.Now.Local().AddDate(0, 0, -ago).Format(time.DateOnly) }
	client := counted{rows: map[api.UsageBy][]api.UsageRow{
		api.UsageByDay:     {row(day(89), "", 1), row(day(3), "", 2), row(day(0), "", 4)},
		api.UsageBySession: {row("aaaa1111", "api", 5), row("bbbb2222", "docs", 2)},
		api.UsageByTask:    {row("", "", 6), row("t1", "", 1)},
		api.UsageByRepo:    {row("/srv/shop", "", 7)},
	}}
	shows := func(env ui.Env, d ui.Component, words ...string) {
		t.Helper()
		dump := uitest.Picture(env, d).Dump()
		for _, w := range words {
			if !strings.Contains(dump, w) {
				t.Errorf("%q is nowhere:\n%s", w, dump)
			}
		}
	}
	env.Rows = 40
	d, _ := uitest.Refresh(env, New(), counted{})
	shows(env, d, "no agent has told its limits", "nothing yet")
	used, full, soon, past := 42.9, 100.0, env.Now.Add(130*time.Minute), env.Now.Add(-time.Minute)
	env.Limits = &api.Limits{Windows: []api.UsageWindow{
		{Agent: "claude", Account: "default", Name: "5h", UsedPercent: &used, ResetsAt: &soon, At: env.Now.Add(-3 * time.Minute)},
		{Agent: "claude", Account: "default", Name: "7d", UsedPercent: &full, At: env.Now, Pace: api.PaceSpent},
		{Agent: "claude", Account: "work", Name: "5h", UsedPercent: &used, ResetsAt: &past, At: env.Now.Add(-time.Hour)},
	}}
	d, _ = uitest.Refresh(env, New(), client)
	shows(env, d, "claude/default", "42%", "██████░░", "2h10 left", "100%", "claude/work", "began anew", "3m ago",
		"today ~$4.00   7 days ~$6.00   90 days ~$7.00", "▅··█", "by session: cost, tokens", "api", "by task", "t1", "by repository", "/srv/shop", "prices of 2026-11-01")
	uitest.Everywhere(t, env, d, "usage")
	if _, effects := d.(ui.Refresher).Refresh(env); len(effects) > 0 {
		t.Error("it asks again at once")
	}
	env.Now = env.Now.Add(askEvery)
	d, _ = uitest.Refresh(env, d, counted{err: errors.New("the daemon is busy")})
	shows(env, d, "the daemon is busy", "by session")
	if _, effects := uitest.Press(env, d, "U"); len(effects) != 1 || effects[0] != (ui.Close{All: true}) {
		t.Errorf("its own key: %v", effects)
	}
}
