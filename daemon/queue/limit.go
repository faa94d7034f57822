package queue

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/orchestrator"
	windows "ccdir/usage"
)

// usageKinds matches agents' names for temporary errors (of a failed turn, and the
// API's types).
var usageKinds = regexp.MustCompile(`(?i)^(rate_limit|overloaded|usage_limit)`)

// usageText matches agents' messages about temporary errors.
var usageText = regexp.MustCompile(`(?i)(usage limit|rate[ _-]?limit|exhausted your .{0,20}quota|hit your .{0,20}limit|limit reached|overloaded|\b(429|529)\b)`)

// mishap is a failure of a turn or a run, as reported by its agent.
type mishap struct {
	kind, text string
	// status is the API's HTTP status, 0: unknown. reset is when a limit ends, zero:
	// unknown.
	status int
	reset  time.Time
}

// usage reports whether it is temporary: a usage limit or an overloaded service.
func (m mishap) usage() bool {
	return m.status == http.StatusTooManyRequests || m.status == statusOverloaded ||
		usageKinds.MatchString(m.kind) || usageText.MatchString(m.text)
}

// overloadText matches messages about an overloaded service, limitText those about limits.
var (
	overloadText = regexp.MustCompile(`(?i)overloaded|\b529\b`)
	limitText    = regexp.MustCompile(`(?i)limit|quota`)
)

// overloaded reports whether it was the service, and no limit of the account.
func (m mishap) overloaded() bool {
	return m.status == statusOverloaded || overloadText.MatchString(m.kind+" "+m.text) && !limitText.MatchString(m.kind+" "+m.text)
}

// statusOverloaded is the API's HTTP status for overload.
const statusOverloaded = 529

// report makes the report to the orchestrator.
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
	resetDate  = regexp.MustCompile(`(?i)(?:resets?|try again)(?: on| at)? (?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:, (\d{4}))?(?:,?(?: at)? (` + clock + `))?` + zone)
	resetClock = regexp.MustCompile(`(?i)(?:resets?|try again)(?: at)? (?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?(?: at)? )?(` + clock + `)` + zone)
)

// clock matches a time of day, zone the time zone in parentheses after it.
const (
	clock = `(?:\d{1,2})(?::\d\d)? ?(?:am|pm)?`
	zone  = `(?: \(([A-Za-z_]+/[A-Za-z_/]+|UTC)\))?`
)

// clockMargin is added to times of day: agents truncate the seconds.
const clockMargin = time.Minute

// resetTime parses the end of a limit from an agent's message; zero: none found. A date
// or time of day means the next one, in the named zone or the local one.
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

// nextClock is the next occurrence of the time of day in a match of resetClock.
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

// nextDate is the next occurrence of the date in a match of resetDate.
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

// timeOfDay parses a match of clock; "" is midnight.
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

// tellLimits passes on what the output of a one-shot run that has ended says of the limits of its
// account.
func (f *follower) tellLimits(adapter agents.Adapter, s api.Session, stdout []byte) {
	reader, ok := adapter.(agents.LimitReader)
	if ok && f.o.Limits != nil {
		f.o.Limits(limitsIn(reader, s, stdout)...)
	}
}

// limitsIn are the samples in the output. Its lines have no times: they are taken for as old as the end of the
// run, which another daemon may have seen before.
func limitsIn(reader agents.LimitReader, s api.Session, stdout []byte) (list []windows.Sample) {
	for line := range bytes.Lines(stdout) {
		for _, sample := range reader.ReadLimits(s.Since, line) {
			sample.Account = s.Account
			list = append(list, sample)
		}
	}
	return list
}
