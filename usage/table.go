package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Table has the newest sample of each window. Its zero value is empty.
type Table struct {
	newest map[Key]Sample
}

// Add takes a sample, and reports whether it is the newest of its window and says something
// else than the one before. One that is older changes nothing. A refusal says no share of its own: that
// the window is used up follows from it.
func (t *Table) Add(s Sample) (changed bool) {
	old, known := t.newest[s.Key]
	if known && s.At.Before(old.At) {
		return false
	}
	if known && s.Length == 0 {
		s.Length = old.Length
	}
	if t.newest == nil {
		t.newest = map[Key]Sample{}
	}
	t.newest[s.Key] = s
	return !known || !s.Same(old)
}

// Same reports whether two samples say the same of their window. Sources round the end of a window
// differently.
func (s Sample) Same(other Sample) bool {
	if s.Key != other.Key || (s.UsedPercent == nil) != (other.UsedPercent == nil) || !s.sameEnd(other) {
		return false
	}
	return s.UsedPercent == nil || *s.UsedPercent == *other.UsedPercent
}

// sameEnd reports whether both are of the same turn of the window.
func (s Sample) sameEnd(other Sample) bool {
	if s.ResetsAt.IsZero() || other.ResetsAt.IsZero() {
		return s.ResetsAt.IsZero() && other.ResetsAt.IsZero()
	}
	return s.ResetsAt.Sub(other.ResetsAt).Abs() < endGrain
}

// endGrain is by how much sources may differ about the end of one window.
const endGrain = 2 * time.Minute

// Len is the number of windows.
func (t *Table) Len() int { return len(t.newest) }

// Newest is the newest sample of a window.
func (t *Table) Newest(k Key) (Sample, bool) {
	s, ok := t.newest[k]
	return s, ok
}

// Behind reports whether a sample that may repeat old numbers is behind what is known: its window
// ended earlier, or less of the same one is used. An agent that does nothing repeats
// what it was told with its last answer, while others of its account go on.
func (t *Table) Behind(s Sample) bool {
	old, known := t.newest[s.Key]
	if !known || s.ResetsAt.IsZero() || old.ResetsAt.IsZero() {
		return false
	}
	if !s.sameEnd(old) {
		return s.ResetsAt.Before(old.ResetsAt)
	}
	return s.UsedPercent != nil && old.UsedPercent != nil && *s.UsedPercent < *old.UsedPercent
}

// Window is what is known of a window at a moment.
type Window struct {
	// Sample is the newest one. Of a window that has rolled, UsedPercent is nil: how much of the
	// next one is used, nobody has said yet.
	Sample
	// Rolled: the window has ended since the sample.
	Rolled bool
}

// Windows are the windows at that moment: by agent, account, and the shortest first.
func (t *Table) Windows(now time.Time) []Window {
	list := make([]Window, 0, len(t.newest))
	for _, s := range t.newest {
		list = append(list, s.Window(now))
	}
	slices.SortFunc(list, func(a, b Window) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Account, b.Account), cmp.Compare(order(a.Length), order(b.Length)), strings.Compare(a.Name, b.Name))
	})
	return list
}

// order sorts windows without a fixed length last.
func order(d time.Duration) time.Duration {
	if d == 0 {
		return 1 << 62
	}
	return d
}

// Window is what the sample says at that moment.
func (s Sample) Window(now time.Time) Window {
	w := Window{Sample: s, Rolled: !s.ResetsAt.IsZero() && !now.Before(s.ResetsAt)}
	if w.Rolled {
		w.UsedPercent = nil
	}
	return w
}

// Pace is how fast a window is being used.
type Pace uint8

// The paces, from good to bad.
const (
	// PaceUnknown: the share, the length or the end of the window is not known.
	PaceUnknown Pace = iota
	// PaceFits: at this pace the window lasts.
	PaceFits
	// PaceQuick: at this pace it is used up before it ends, or hardly anything is left.
	PaceQuick
	// PaceSpent: it is used up.
	PaceSpent
)

// Bounds of paces, in percent: below littleUsed no pace is told, because it says nothing yet;
// from nearlyUsed on a window is amber whatever time is left.
const (
	littleUsed = 20
	nearlyUsed = 90
	allUsed    = 100
)

// Pace compares how much of the window is used with how much of it has passed.
func (w Window) Pace(now time.Time) Pace {
	if w.Source == SourceRefusal && !w.Rolled && now.Before(w.ResetsAt) {
		return PaceSpent
	}
	if w.UsedPercent == nil {
		return PaceUnknown
	}
	used := *w.UsedPercent
	switch {
	case used >= allUsed:
		return PaceSpent
	case used >= nearlyUsed:
		return PaceQuick
	}
	passed, known := w.Passed(now)
	switch {
	case !known:
		return PaceUnknown
	case used >= littleUsed && used > passed:
		return PaceQuick
	}
	return PaceFits
}

// Passed is how much of the window has passed, in percent.
func (w Window) Passed(now time.Time) (percent float64, known bool) {
	if w.Length <= 0 || w.ResetsAt.IsZero() || w.Rolled {
		return 0, false
	}
	left := min(max(0, w.ResetsAt.Sub(now)), w.Length)
	return 100 * float64(w.Length-left) / float64(w.Length), true
}
