package limits

import (
	"cmp"
	"time"

	"ccdir/api"
	"ccdir/usage"
)

// Windows are the windows now, for the API.
func (k *Keeper) Windows() []api.UsageWindow {
	now := k.o.Now()
	list := []api.UsageWindow{}
	for _, w := range k.Current() {
		out := api.UsageWindow{
			Account: cmp.Or(w.Account, api.AccountDefault), Agent: w.Agent, Name: w.Name, UsedPercent: w.UsedPercent,
			Source: string(w.Source), At: w.At.UTC(), Seconds: int64(w.Length / time.Second), Pace: paces[w.Pace(now)],
		}
		if !w.ResetsAt.IsZero() {
			end := w.ResetsAt.UTC()
			out.ResetsAt = &end
		}
		list = append(list, out)
	}
	return list
}

var paces = map[usage.Pace]api.UsagePace{usage.PaceFits: api.PaceFits, usage.PaceQuick: api.PaceQuick, usage.PaceSpent: api.PaceSpent}
