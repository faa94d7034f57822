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
	asked := map[account]usage.Probing{}
	tick := k.o.Alarms.NewTicker(probeLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, a := range k.due(asked, asker) {
				k.ask(ctx, asker, a, asked)
			}
		case <-ctx.Done():
			return
		}
	}
}

// due are the accounts that are to be asked now.
func (k *Keeper) due(asked map[account]usage.Probing, asker Asker) (list []account) {
	windows, now := map[account][]usage.Window{}, k.o.Now()
	for _, w := range k.Current() {
		a := account{w.Agent, w.Account}
		windows[a] = append(windows[a], w)
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return slices.DeleteFunc(list, func(a account) bool {
		at := usage.ProbeAt(windows[a], asked[a])
		return at.IsZero() || at.After(now) || !asker.May(a.agent, a.name)
	})
}

// ask asks one account.
func (k *Keeper) ask(ctx context.Context, asker Asker, a account, asked map[account]usage.Probing) {
	bounded, end := context.WithTimeout(ctx, probeTime)
	defer end()
	samples, err := asker.Ask(bounded, a.agent, a.name)
	if ctx.Err() != nil {
		return
	}
	p := asked[a]
	p.Asked, p.Failed = k.o.Now(), p.Failed+1
	switch {
	case err == nil:
		p.Failed = 0
		for i := range samples {
			samples[i].Agent, samples[i].Account = a.agent, a.name
		}
		k.Add(samples...)
	case p.Failed == 1: // it is tried again, ever less often
		k.o.Logger.Info("an account's agent does not tell what is left of its limits when it is asked; its windows stay as they were said last", "agent", a.agent, "account", a.name, "error", err)
	}
	asked[a] = p
}
