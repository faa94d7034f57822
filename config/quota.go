package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Quota is the table [quota]: how much of the accounts' limits, and of money, the queue may use.
type Quota struct {
	// StopAt is how much of a window may be used, by whomever, in percent, for the queue to start a task;
	// 0: as much as there is. Windows are those of single windows, by their names ("7d", "7d opus").
	StopAt  int
	Windows map[string]int
	// Reserve is how much less that is, in percent, while people use the account.
	Reserve int
	// Budgets by name.
	Budgets map[string]Budget
}

// Budget is one [quota.budgets.NAME]. What it counts is everything that fits Agent, Account and Label; what it holds are
// tasks that do.
type Budget struct {
	// Dollars and Tokens are the bounds; 0: none.
	Dollars float64
	Tokens  int64
	// Days are how many days are counted, with today.
	Days int
	// Agent is the name of an agent, Account that of an account or "default", Label that of tasks; "": all.
	Agent, Account, Label string
}

// Bounds of budgets.
const (
	maxBudgetDays = 90 // what was used is kept as long
	maxBudgets    = 100
)

// quota reads the table [quota], after the accounts.
func (p *parser) quota(v any) {
	t, _ := p.table(v, "quota")
	for _, name := range slices.Sorted(maps.Keys(t)) {
		var err error
		switch v := t[name]; name {
		case "stop_at":
			p.l.Quota.StopAt, err = percent(v)
		case "reserve":
			p.l.Quota.Reserve, err = percent(v)
		case "windows":
			p.windows(v)
		case "budgets":
			p.budgets(v)
		default:
			err = fmt.Errorf("unknown key; a quota has stop_at, reserve, windows and budgets")
		}
		if err != nil {
			p.problem(err.Error(), "quota", name)
		}
	}
}

func percent(v any) (int, error) {
	n, ok := v.(int64)
	if !ok || n < 0 || n > 100 {
		return 0, fmt.Errorf("expected a number from 0 to 100, found %s", show(v))
	}
	return int(n), nil
}

func (p *parser) windows(v any) {
	t, _ := p.table(v, "quota", "windows")
	p.l.Quota.Windows = map[string]int{}
	for name, v := range t {
		n, err := percent(v)
		if err != nil {
			p.problem(err.Error(), "quota", "windows", name)
			continue
		}
		p.l.Quota.Windows[name] = n
	}
}

// budgets reads [quota.budgets.NAME]. One with a mistake is left out, and said: it would bound something else.
func (p *parser) budgets(v any) {
	t, _ := p.table(v, "quota", "budgets")
	p.l.Quota.Budgets = map[string]Budget{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "quota", "budgets", name)
		if !ok {
			continue
		}
		if !validAgentName(name) || len(p.l.Quota.Budgets) >= maxBudgets {
			p.problem(fmt.Sprintf("a budget's name is 1 to 32 lower-case letters, digits, - and _; there are at most %d", maxBudgets), "quota", "budgets", name)
			continue
		}
		b, whole := Budget{Days: 1}, true
		for field, v := range fields {
			if err := p.budget(&b, field, v); err != nil {
				p.problem(err.Error(), "quota", "budgets", name, field)
				whole = false
			}
		}
		if whole && b.Dollars == 0 && b.Tokens == 0 {
			p.problem("a budget needs dollars or tokens", "quota", "budgets", name)
			whole = false
		}
		if whole {
			p.l.Quota.Budgets[name] = b
		}
	}
}

// budget takes one key of a budget.
func (p *parser) budget(b *Budget, field string, v any) error {
	text, isText := v.(string)
	whole, isWhole := v.(int64)
	switch field {
	case "dollars":
		usd, ok := v.(float64)
		if isWhole {
			usd, ok = float64(whole), true
		}
		if b.Dollars = usd; !ok || !(usd > 0) || math.IsInf(usd, 0) {
			return fmt.Errorf("expected a number above 0, found %s", show(v))
		}
	case "tokens":
		if b.Tokens = whole; !isWhole || whole <= 0 {
			return fmt.Errorf("expected a whole number above 0, found %s", show(v))
		}
	case "days":
		if b.Days = int(whole); !isWhole || whole < 1 || whole > maxBudgetDays {
			return fmt.Errorf("expected a number from 1 to %d, found %s", maxBudgetDays, show(v))
		}
	case "agent":
		if b.Agent = text; !isText || p.l.Agents[text].Kind == "" {
			return fmt.Errorf("expected the name of an agent, found %s", show(v))
		}
	case "account":
		if _, known := p.l.Accounts[text]; !isText || !known && text != reservedAccount {
			return fmt.Errorf("expected the name of an account, or %q, found %s", reservedAccount, show(v))
		}
		b.Account = text
	case "label":
		if b.Label = text; !isText || text == "" {
			return fmt.Errorf("expected a label of tasks, found %s", show(v))
		}
	default:
		return fmt.Errorf("unknown key; a budget has dollars, tokens, days, agent, account and label")
	}
	return nil
}

// shown is the quota as the file has it.
func (q Quota) shown() map[string]any {
	budgets := map[string]any{}
	for name, b := range q.Budgets {
		one := map[string]any{"days": b.Days}
		for key, v := range map[string]any{"dollars": b.Dollars, "tokens": b.Tokens, "agent": b.Agent, "account": b.Account, "label": b.Label} {
			if v != "" && v != 0.0 && v != int64(0) {
				one[key] = v
			}
		}
		budgets[name] = one
	}
	windows := q.Windows
	if windows == nil {
		windows = map[string]int{}
	}
	return map[string]any{"stop_at": q.StopAt, "reserve": q.Reserve, "windows": windows, "budgets": budgets}
}
