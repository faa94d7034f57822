package queue

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/orchestrator"
)

// usageKinds are the kinds of errors that pass by themselves, as agents name
// them (StopFailure's error, and the API's types).
var usageKinds = regexp.MustCompile(`(?i)^(rate_limit|overloaded|usage_limit)`)

// usageText are the words in which they tell of one.
var usageText = regexp.MustCompile(`(?i)(usage limit|rate[ _-]?limit|hit your .{0,20}limit|limit reached|overloaded|\b(429|529)\b)`)

// mishap is how a turn or a run went wrong, as its agent told.
type mishap struct {
	kind, text string
	// status is the API's, 0 if it isn't known; reset when a limit ends, to the
	// second, zero if it isn't told.
	status int
	reset  time.Time
}

// usage reports whether it passes by itself.
func (m mishap) usage() bool {
	return m.status == http.StatusTooManyRequests || m.status == statusOverloaded ||
		usageKinds.MatchString(m.kind) || usageText.MatchString(m.text)
}

// statusOverloaded is what the API answers when it has too much to do.
const statusOverloaded = 529

// report makes the report of it.
func (m mishap) report(ref orchestrator.Ref, now time.Time) orchestrator.Failed {
	f := orchestrator.Failed{Ref: ref, Kind: orchestrator.FailTask, Reason: m.kind}
	if line := textsafe.Cut(textsafe.Line(m.text), 300); line != "" {
		f.Reason = line
	}
	if m.usage() {
		f.Kind = orchestrator.FailUsage
		if f.Reset = m.reset; f.Reset.IsZero() {
			f.Reset = resetTime(m.text, now)
		}
	}
	return f
}

var (
	resetUnix  = regexp.MustCompile(`\|(\d{10})\b`)
	resetISO   = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	resetIn    = regexp.MustCompile(`(?i)(?:in|after) (?:(\d+) ?h(?:ours?)?)? ?(?:(\d+) ?m(?:in(?:ute)?s?)?)? ?(?:(\d+) ?s(?:ec(?:ond)?s?)?)?`)
	resetDate  = regexp.MustCompile(`(?i)resets?(?: on)? (?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})\b(?:, (\d{4}))?(?:,?(?: at)? (` + clock + `))?` + zone)
	resetClock = regexp.MustCompile(`(?i)resets?(?: at)? (?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?(?: at)? )?(` + clock + `)` + zone)
)

// clock is a time of day, zone the place in parentheses behind it.
const (
	clock = `(?:\d{1,2})(?::\d\d)? ?(?:am|pm)?`
	zone  = `(?: \(([A-Za-z_]+/[A-Za-z_/]+|UTC)\))?`
)

// clockMargin is added to times of day, of which agents cut off the seconds.
const clockMargin = time.Minute

// resetTime reads when a limit ends out of an agent's message; zero if it does
// not say so. A date and a time of day are the next such ones, in the named zone
// or the local one.
func resetTime(text string, now time.Time) time.Time {
	if m := resetUnix.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64) // ten digits
		return time.Unix(n, 0)
	}
	if m := resetISO.FindString(text); m != "" {
		if t, err := time.Parse(time.RFC3339Nano, m); err == nil {
			return t
		}
	}
	if m := resetDate.FindStringSubmatch(text); m != nil {
		return nextDate(m, now)
	}
	if m := resetClock.FindStringSubmatch(text); m != nil {
		return nextClock(m, now)
	}
	for _, m := range resetIn.FindAllStringSubmatch(text, -1) {
		var d time.Duration
		for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
			n, _ := strconv.Atoi(m[i+1]) // "" is 0
			d += time.Duration(min(n, 10_000)) * unit
		}
		if d > 0 {
			return now.Add(d)
		}
	}
	return time.Time{}
}

// nextClock is the next time of day that a match of resetClock names.
func nextClock(m []string, now time.Time) time.Time {
	hour, minute, ok := timeOfDay(m[2])
	if !ok {
		return time.Time{}
	}
	local := now.In(zoneOf(m[3]))
	at := time.Date(local.Year(), local.Month(), local.Day(), hour, minute, 0, 0, local.Location())
	for !at.Add(clockMargin).After(now) || m[1] != "" && !strings.HasPrefix(strings.ToLower(at.Weekday().String()), strings.ToLower(m[1])) {
		at = at.AddDate(0, 0, 1)
	}
	return at.Add(clockMargin)
}

// nextDate is the next date that a match of resetDate names.
func nextDate(m []string, now time.Time) time.Time {
	hour, minute, ok := timeOfDay(m[4])
	day, _ := strconv.Atoi(m[2]) // digits
	if !ok || day < 1 || day > 31 {
		return time.Time{}
	}
	month := time.Month(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(m[1]))/3 + 1)
	local := now.In(zoneOf(m[5]))
	year := local.Year()
	if m[3] != "" {
		year, _ = strconv.Atoi(m[3]) // digits
	}
	at := time.Date(year, month, day, hour, minute, 0, 0, local.Location()).Add(clockMargin)
	if m[3] == "" && !at.After(now) {
		at = at.AddDate(1, 0, 0)
	}
	return at
}

// timeOfDay reads a match of clock; "" is midnight.
func timeOfDay(s string) (hour, minute int, ok bool) {
	if s == "" {
		return 0, 0, true
	}
	s = strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimSpace(strings.TrimRight(s, "apm"))
	hours, minutes, _ := strings.Cut(digits, ":")
	hour, _ = strconv.Atoi(hours)
	minute, _ = strconv.Atoi(minutes) // "" is 0
	switch {
	case strings.HasSuffix(s, "pm"):
		hour = hour%12 + 12
	case strings.HasSuffix(s, "am"):
		hour %= 12
	}
	return hour, minute, hour <= 23 && minute <= 59
}

// zoneOf is the named time zone, or the local one.
func zoneOf(name string) *time.Location {
	if name != "" {
		if z, err := time.LoadLocation(name); err == nil {
			return z
		}
	}
	return time.Local
}
