package rollout

import (
	"cmp"
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/usage"
)

// limits are the windows of the account's limits, as an entry has them. Which of the two is which,
// only their lengths tell.
type limits struct {
	ID        string  `json:"limit_id"`
	Name      string  `json:"limit_name"`
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
}

type window struct {
	Used     *float64 `json:"used_percent"`
	Minutes  int64    `json:"window_minutes"`
	ResetsAt int64    `json:"resets_at"`
}

// ordinary is the id of the limits that count all models.
const ordinary = "codex"

// Bounds of windows: their length in minutes, their ends in Unix seconds, names in runes.
const (
	maxMinutes = 366 * 24 * 60
	minEnd     = 1e9
	maxEnd     = 1e10
	maxName    = 40
)

// samples are those of the entry at that time. Whose they are, it does not say.
func (l limits) samples(at time.Time) (list []usage.Sample) {
	model := ""
	if l.ID != "" && l.ID != ordinary {
		model = textsafe.Cut(textsafe.Line(cmp.Or(l.Name, l.ID)), maxName)
	}
	for _, w := range []*window{l.Primary, l.Secondary} {
		if w == nil || w.Used == nil || w.Minutes <= 0 || w.Minutes > maxMinutes {
			continue
		}
		s := usage.Sample{Length: time.Duration(w.Minutes) * time.Minute, UsedPercent: usage.Percent(*w.Used), Source: usage.SourceTranscript, At: at}
		s.Key = usage.Key{Name: usage.WindowName(s.Length, model)}
		if w.ResetsAt >= minEnd && w.ResetsAt < maxEnd {
			s.ResetsAt = time.Unix(w.ResetsAt, 0)
		}
		if s.UsedPercent != nil && !at.IsZero() {
			list = append(list, s)
		}
	}
	return list
}
