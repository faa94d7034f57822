package format

import (
	"fmt"
	"strings"
	"time"
)

// Took is how long something took, in few letters.
func Took(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// ClockWidth is how many columns a Clock takes.
const ClockWidth = 8

// Clock is a moment in ClockWidth columns: the time of the day, the date if that
// is another.
func Clock(now, at time.Time) string {
	now, at = now.Local(), at.Local()
	switch {
	case at.IsZero():
		return ""
	case now.YearDay() == at.YearDay() && now.Year() == at.Year():
		return at.Format("15:04:05")
	case now.Sub(at) < 180*24*time.Hour:
		return at.Format("Jan _2")
	}
	return at.Format("Jan 2006")
}

// Steps of ages, in seconds: of the first minute, and after it. Times are taken
// as multiples of them, so that all ages on the screen step at the same moments:
// an idle grid wakes once a minute for them, however many panes there are.
const (
	ageGrain  = 20
	ageMinute = 60
)

// Age is how long ago t was: "<20s", then "<1m", which are true whenever they are
// looked at, and after the first minute in whole ones by the clock on the wall (right to
// half a minute).
func Age(now, t time.Time) string {
	switch m := ageMinutes(now, t); {
	case t.IsZero():
		return ""
	case m == 0:
		if ageSlots(now, t) == 0 {
			return fmt.Sprintf("<%ds", ageGrain)
		}
		return "<1m"
	case m < 60:
		return fmt.Sprintf("%dm", m)
	case m < 24*60:
		return fmt.Sprintf("%dh%02dm", m/60, m%60)
	default:
		return fmt.Sprintf("%dd", m/(24*60))
	}
}

// ageSlots is how many multiples of ageGrain lie between the two: in the same one as t
// it is younger than that, and how old it is in the next one nobody knows later.
func ageSlots(now, t time.Time) int64 {
	return max(0, now.Unix()/ageGrain-t.Unix()/ageGrain)
}

// ageMinutes is the age in minutes, 0 in the first one.
func ageMinutes(now, t time.Time) int64 {
	if ageSlots(now, t) < ageMinute/ageGrain {
		return 0
	}
	return max(1, now.Unix()/ageMinute-(t.Unix()+ageMinute/2)/ageMinute)
}

// AgeStep is how long until Age shows something else.
func AgeStep(now, t time.Time) time.Duration {
	step := int64(ageGrain)
	switch slots := ageSlots(now, t); {
	case ageMinutes(now, t) > 0:
		step = ageMinute
	case slots > 0:
		step *= ageMinute/ageGrain - slots // until the first minute is shown
		return time.Duration(step-now.Unix()%ageGrain)*time.Second - time.Duration(now.Nanosecond())
	}
	return time.Duration(step-now.Unix()%step)*time.Second - time.Duration(now.Nanosecond())
}

// NextAge is when the first of several Ages shows something else; those of zero times
// don't. Without others it is the zero time.
func NextAge(now time.Time, all ...time.Time) (next time.Time) {
	for _, t := range all {
		if t.IsZero() {
			continue
		}
		if at := now.Add(AgeStep(now, t)); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next
}

// ShortAge is Age in three columns: in its largest unit alone, and "now" for what is
// younger than any.
func ShortAge(now, t time.Time) string {
	text := Age(now, t)
	if hours, _, ok := strings.Cut(text, "h"); ok {
		return hours + "h"
	}
	if strings.HasSuffix(text, "s") {
		return "now"
	}
	return text
}
