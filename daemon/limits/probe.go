package limits

import (
	"context"
	"slices"
	"time"

	"ccdir/usage"
)

// Asker asks agents for the windows of their accounts.
type Asker interface {
	// May reports whether the agents of a kind may be asked about an account ("": their own sign-in).
	May(agent, account string) bool
	// Ask asks one. It blocks for the agent's process, until ctx ends at most. No sample comes with a reason.
	Ask(ctx context.Context, agent, account string) ([]usage.Sample, error)
}

const (
	// probeLook is the interval of looks for accounts to ask.
	probeLook = time.Minute
	// probeTime bounds a question.
	probeTime = 30 * time.Second
)

// account is whose windows are asked for.
type account struct{ agent, name string }

// Probe asks the accounts of which nobody has said anything for long, or since the end of a window
// (usage.ProbeAt), one after the other, until ctx ends.
func (k *Keeper) Probe(ctx context.Context, asker Asker) {
	tick := k.o.Alarms.NewTicker(probeLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, a := range k.due(asker) {
				k.ask(ctx, asker, a)
			}
		case <-ctx.Done():
			return
		}
	}
}

// due are the accounts that are to be asked now.
func (k *Keeper) due(asker Asker) (list []account) {
	for _, w := range k.Current() {
		if a := (account{w.Agent, w.Account}); !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	now := k.o.Now()
	return slices.DeleteFunc(list, func(a account) bool {
		_, at := k.Probing(a.agent, a.name)
		return at.IsZero() || at.After(now) || !asker.May(a.agent, a.name)
	})
}

// Probing is how an account ("": the agent's own sign-in) was asked, and when it is to be asked next; zero: never,
// because nobody has said that it has windows.
func (k *Keeper) Probing(agent, name string) (p usage.Probing, next time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p = k.asked[account{agent, name}]
	windows := slices.DeleteFunc(k.table.Windows(k.o.Now()), func(w usage.Window) bool { return w.Agent != agent || w.Account != name })
	return p, usage.ProbeAt(windows, p)
}

// ask asks one account.
func (k *Keeper) ask(ctx context.Context, asker Asker, a account) {
	bounded, end := context.WithTimeout(ctx, probeTime)
	defer end()
	samples, err := asker.Ask(bounded, a.agent, a.name)
	if ctx.Err() != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := usage.Probing{Asked: k.o.Now(), Failed: k.asked[a].Failed + 1}
	switch {
	case err == nil:
		p.Failed = 0
		for _, s := range samples {
			s.Agent, s.Account = a.agent, a.name
			k.add(s)
		}
	default:
		p.Why = err.Error()
		if p.Failed == 1 { // it is tried again, ever less often
			k.o.Logger.Info("an account's agent does not tell what is left of its limits when it is asked; its windows stay as they were said last", "agent", a.agent, "account", a.name, "error", err)
		}
	}
	k.asked[a] = p
}
