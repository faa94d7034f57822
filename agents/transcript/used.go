package transcript

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/usage"
)

// Metered is a Source that knows what its conversation used.
type Metered interface {
	Source
	// Used is what was used up to the last Read, whose goroutine may use it until the next one. It
	// blocks for the disk.
	Used(ctx context.Context) (usage.Used, error)
}

// meter collects what a file says of answers.
type meter struct {
	usage.Used
	// untimed: nothing with a time has come after the newest sum.
	untimed bool
}

// seen notes the time of an entry: sums before it have no part in what follows.
func (m *meter) seen(at time.Time) {
	if at.IsZero() || m == nil {
		return
	}
	if m.untimed {
		m.Told[len(m.Told)-1].Until, m.untimed = at, false
		m.Changes++
	}
}

// tell takes in a sum that the agent wrote.
func (m *meter) tell(usd float64) {
	if usd < 0 || math.IsNaN(usd) || usd >= maxCost {
		return
	}
	if m.untimed {
		m.Told = m.Told[:len(m.Told)-1] // nothing happened since the one before
	}
	if len(m.Told) >= MaxItems {
		m.Told = m.Told[1:]
	}
	m.Told, m.untimed = append(m.Told, usage.Told{USD: usd}), true
	m.Changes++
}

// Answered records what an answer used, and which model gave it. What the same answer used counts
// once.
func (b *Builder) Answered(id string, u usage.Use) {
	b.Usage(id, u.Model, u.Tokens)
	if b.used != nil && !b.Copied {
		u.Model, u.Vendor = clip(u.Model, maxID), clip(u.Vendor, maxID)
		b.used.Add(clip(id, maxID), u)
	}
}

// Seen says when an entry was written.
func (b *Builder) Seen(at time.Time) { b.used.seen(at) }

// Limited records what an entry says of the limits of the agent's account. The newest sample of each
// window is kept.
func (b *Builder) Limited(samples ...usage.Sample) {
	if b.used == nil || b.Copied {
		return
	}
	for _, s := range samples {
		at, known := slices.BinarySearchFunc(b.used.Limits, s, func(a, b usage.Sample) int { return strings.Compare(a.Name, b.Name) })
		switch {
		case !known && len(b.used.Limits) >= maxWindows:
			continue
		case !known:
			b.used.Limits = slices.Insert(slices.Clone(b.used.Limits), at, s)
		case s.At.Before(b.used.Limits[at].At):
			continue
		default:
			b.used.Limits = slices.Clone(b.used.Limits)
			b.used.Limits[at] = s
		}
		b.used.Changes++
	}
}

// maxWindows bounds the windows of an account that a file tells.
const maxWindows = 20

// Used implements Metered. The files of all subagents are read on for it.
func (f *File) Used(ctx context.Context) (usage.Used, error) {
	own := f.b.meterOf().Used
	if f.nested == nil {
		return own, nil
	}
	f.known = f.nested.Agents(f.path, f.known)
	changes := own.Changes
	for _, a := range f.known {
		n := f.metered[a.Path]
		if n == nil {
			n = NewFile(a.Path, f.decoder, Options{Conversation: a.ID})
			n.bare, n.b.bare = true, true
			if f.metered == nil {
				f.metered = map[string]*File{}
			}
			f.metered[a.Path] = n
		}
		// What cannot be read is left out, as it is in the turns.
		if err := n.Read(ctx, func(api.Turn) error { return nil }); err != nil && ctx.Err() != nil {
			return usage.Used{}, err
		}
		changes += n.b.meterOf().Changes
	}
	if f.all.Answers != nil && f.all.Changes == changes {
		return f.all, nil
	}
	f.all = usage.Used{Answers: make(map[string]usage.Use, len(own.Answers))}
	maps.Copy(f.all.Answers, own.Answers)
	for _, a := range f.known {
		for id, answer := range f.metered[a.Path].b.meterOf().Answers {
			f.all.Add(id, answer)
		}
	}
	f.all.Told, f.all.Limits, f.all.Changes = own.Told, own.Limits, changes
	return f.all, nil
}

func (b *Builder) meterOf() *meter {
	if b.used == nil {
		return &meter{}
	}
	return b.used
}
