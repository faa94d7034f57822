package config

import (
	"reflect"
	"testing"
)

func TestQuota(t *testing.T) {
	l := Parse([]byte(`
[accounts.work]
agent = "claude"
[quota]
stop_at = 85
reserve = 20
windows = { "7d" = 95 }
[quota.budgets.night]
dollars = 20
label = "night"
account = "work"
[quota.budgets.week]
tokens = 5_000_000
days = 7
agent = "codex"
`), "f", "/h")
	want := Quota{StopAt: 85, Reserve: 20, Windows: map[string]int{"7d": 95}, Budgets: map[string]Budget{
		"night": {Dollars: 20, Days: 1, Label: "night", Account: "work"}, "week": {Tokens: 5_000_000, Days: 7, Agent: "codex"}}}
	if len(l.Problems) > 0 || !reflect.DeepEqual(l.Quota, want) {
		t.Errorf("%v %+v", l.Problems, l.Quota)
	}
	for text, key := range map[string]string{
		"[quota]\nstop_at = 101":                                   "quota.stop_at",
		"[quota]\nreserve = 'much'":                                "quota.reserve",
		"[quota]\nstop = 1":                                        "quota.stop",
		"[quota.windows]\n7d = 1.5":                                "quota.windows.7d",
		"[quota.budgets.a]\ndays = 2":                              "quota.budgets.a",
		"[quota.budgets.a]\ndollars = 0":                           "quota.budgets.a.dollars",
		"[quota.budgets.a]\ndollars = nan":                         "quota.budgets.a.dollars",
		"[quota.budgets.a]\ndollars = 1\naccount = 'nobody'":       "quota.budgets.a.account",
		"[quota.budgets.a]\ndollars = 1\nagent = 'nobody'":         "quota.budgets.a.agent",
		"[quota.budgets.a]\ndollars = 1\ndays = 91":                "quota.budgets.a.days",
		"[quota.budgets.A]\ndollars = 1":                           "quota.budgets.A",
		"[quota.budgets.a]\ntokens = 1.5\n[quota.budgets]\nb = 1 ": "",
	} {
		p := Parse([]byte(text), "f", "/h")
		if len(p.Problems) == 0 || key != "" && (len(p.Problems) != 1 || p.Problems[0].Key != key || len(p.Quota.Budgets) > 0) {
			t.Errorf("%q: %v, want one of %s", text, p.Problems, key)
		}
	}
}
