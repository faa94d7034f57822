// Package calendar tells when schedules are due. Pure: the time is a parameter.
//
// Contract: a rule names times of the wall clock in a time zone. Two cases, where daylight saving
// makes the wall clock jump, are decided here and not by the parser of cron expressions:
//
//   - Fixed hours ("30 2 * * *", "0 9-17 * * 1-5"): each named time is due once. One that the
//     clock skips is due when it jumps; one that it shows twice is due the first time.
//   - Every hour (the hour is "*" or "*/N"): the clock is followed as it is: what it skips is not
//     due, and what it shows twice is due twice, so that the distance stays the same.
package calendar

import (
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Rule is when a schedule is due. Make one with Cron or At.
type Rule struct {
	expr  string // "" for At
	zone  *time.Location
	every bool // each hour
	at    time.Time
}

// names are the expressions that have a name.
const names = " @yearly @annually @monthly @weekly @daily @hourly "

// Cron is the rule of a cron expression of five fields (minute, hour, day of month, month, day of
// week), or one of the names.
func Cron(expr string, zone *time.Location) (Rule, error) {
	fields := strings.Fields(expr)
	named := len(fields) == 1 && strings.Contains(names, " "+strings.ToLower(fields[0])+" ")
	if len(expr) > 200 || !named && (len(fields) != 5 || strings.ContainsAny(expr, "@")) {
		return Rule{}, fmt.Errorf("%.40q is no cron expression: write minute, hour, day of month, month and day of week, such as \"0 7 * * 1-5\", or one of%s", expr, strings.TrimRight(names, " "))
	}
	r := Rule{expr: strings.Join(fields, " "), zone: zone}
	r.every = named && strings.EqualFold(fields[0], "@hourly") || !named && strings.HasPrefix(fields[1], "*")
	if !gronx.New().IsValid(r.expr) {
		return Rule{}, fmt.Errorf("%.40q is no cron expression: a field has a value that it cannot have", expr)
	}
	if r.wall(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Rule{}, fmt.Errorf("%.40q is never due: no month has that day", expr)
	}
	return r, nil
}

// At is the rule that is due once.
func At(at time.Time) Rule { return Rule{at: at} }

// Once reports whether the rule is due once.
func (r Rule) Once() bool { return r.expr == "" }

// wall returns the next time after w that the expression names, zero: none. Both are of a clock
// without a time zone, written as UTC.
func (r Rule) wall(w time.Time) time.Time {
	next, err := gronx.NextTickAfter(r.expr, w, false)
	if err != nil {
		return time.Time{}
	}
	return next
}

// clock is what a clock shows that is offset seconds ahead of UTC, written as UTC.
func clock(t time.Time, offset int) time.Time {
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// Next returns the first due time after a time; zero: there is none.
func (r Rule) Next(after time.Time) time.Time {
	switch {
	case r.Once() && r.at.After(after):
		return r.at
	case r.Once():
		return time.Time{}
	case r.every:
		return r.nextShown(after.In(r.zone))
	}
	// Jumps of the clock are shorter than a day.
	_, offset := after.In(r.zone).Zone()
	for w := clock(after, offset).AddDate(0, 0, -1); ; {
		if w = r.wall(w); w.IsZero() {
			return w
		}
		if t := r.first(w); t.After(after) {
			return t
		}
	}
}

// nextShown is Next of a rule that follows the clock as it is.
func (r Rule) nextShown(t time.Time) time.Time {
	for {
		_, offset := t.Zone()
		next := r.wall(clock(t, offset))
		if next.IsZero() {
			return next
		}
		next = next.Add(-time.Duration(offset) * time.Second).In(r.zone)
		_, jump := t.ZoneBounds()
		if jump.IsZero() || next.Before(jump) {
			return next
		}
		_, offset = jump.Zone()
		if w := r.wall(clock(jump, offset).Add(-time.Second)); w.Equal(clock(jump, offset)) {
			return jump.In(r.zone)
		}
		t = jump.In(r.zone)
	}
}

// first is the first time at which the clock of the zone shows w; for one that it skips the time
// of the jump.
func (r Rule) first(w time.Time) time.Time {
	guess := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), 0, r.zone)
	_, offset := guess.Zone()
	begin, end := guess.ZoneBounds()
	if shown := clock(guess, offset); shown.After(w) {
		return begin
	} else if shown.Before(w) {
		return end
	}
	if begin.IsZero() {
		return guess
	}
	_, before := begin.Add(-time.Second).In(r.zone).Zone()
	if earlier := w.Add(-time.Duration(before) * time.Second); earlier.Before(begin) {
		return earlier.In(r.zone)
	}
	return guess
}

// maxMissed bounds the due times that Due counts.
const maxMissed = 1000

// Due returns the newest due time after one time and not after another, zero without one, and how
// many there are before it, at most 1000.
func (r Rule) Due(after, until time.Time) (newest time.Time, missed int) {
	n := 0
	t := r.Next(after)
	for ; !t.IsZero() && !t.After(until); t = r.Next(t) {
		newest = t
		if n++; n > maxMissed {
			return r.last(newest, until), maxMissed
		}
	}
	return newest, max(0, n-1)
}

// last is the newest due time not after a time; known is one of them.
func (r Rule) last(known, until time.Time) time.Time {
	for back := time.Minute; ; back *= 2 {
		from := until.Add(-back)
		if from.Before(known) {
			from = known
		}
		t := r.Next(from)
		if (t.IsZero() || t.After(until)) && !from.Equal(known) {
			continue
		}
		newest := known
		for ; !t.IsZero() && !t.After(until); t = r.Next(t) {
			newest = t
		}
		return newest
	}
}
