package transcript

import (
	"context"
	"math"
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

// Used implements Metered. The files of all subagents are read on for it.
func (f *File) Used(ctx context.Context) (usage.Used, error) {
	if f.nested == nil || f.b.used == nil {
		return f.b.meterOf().Used, nil
	}
	f.known = f.nested.Agents(f.path, f.known)
	all := usage.Used{Answers: make(map[string]usage.Use, len(f.b.used.Answers)), Told: f.b.used.Told}
	for id, a := range f.b.used.Answers {
		all.Answers[id] = a
	}
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
		if err := n.Read(ctx, func(api.Turn) error { return nil }); err != nil && ctx.Err() != nil {
			return usage.Used{}, err
		}
		for id, a := range n.b.meterOf().Answers {
			all.Add(id, a)
		}
	}
	return all, nil
}

func (b *Builder) meterOf() *meter {
	if b.used == nil {
		return &meter{}
	}
	return b.used
}
