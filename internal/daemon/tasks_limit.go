package daemon

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/textsafe"
	"ccdir/orchestrator"
)

// usageKinds are the kinds of errors that pass by themselves, as agents name
// them (StopFailure's error, and the API's types).
var usageKinds = regexp.MustCompile(`(?i)^(rate_limit|overloaded|usage_limit)`)

// usageText are the words in which they tell of one.
var usageText = regexp.MustCompile(`(?i)(usage limit|rate[ _-]?limit|hit your .{0,20}limit|limit reached|overloaded|\b(429|529)\b)`)

// failure makes the report of a turn that an error ended.
func failure(ref orchestrator.Ref, kind, text string, now time.Time) orchestrator.Failed {
	f := orchestrator.Failed{Ref: ref, Kind: orchestrator.FailTask, Reason: kind}
	if line := textsafe.Cut(textsafe.Line(text), 300); line != "" {
		f.Reason = line
	}
	if usageKinds.MatchString(kind) || usageText.MatchString(text) {
		f.Kind = orchestrator.FailUsage
		f.Reset = resetTime(text, now)
	}
	return f
}

var (
	resetUnix  = regexp.MustCompile(`\|(\d{10})\b`)
	resetISO   = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	resetIn    = regexp.MustCompile(`(?i)(?:in|after) (?:(\d+) ?h(?:ours?)?)? ?(?:(\d+) ?m(?:in(?:ute)?s?)?)? ?(?:(\d+) ?s(?:ec(?:ond)?s?)?)?`)
	resetClock = regexp.MustCompile(`(?i)resets?(?: at)? (?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(\d{1,2})(?::(\d\d))? ?(am|pm)?(?: \(([A-Za-z_]+/[A-Za-z_/]+|UTC)\))?`)
)

// resetTime reads when a limit ends out of an agent's message; zero if it does
// not say so. A clock time is the next such one, in the named zone or the local
// one.
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
	hour, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3]) // "" is 0
	switch strings.ToLower(m[4]) {
	case "pm":
		hour = hour%12 + 12
	case "am":
		hour %= 12
	}
	if hour > 23 || minute > 59 {
		return time.Time{}
	}
	zone := time.Local
	if m[5] != "" {
		if z, err := time.LoadLocation(m[5]); err == nil {
			zone = z
		}
	}
	local := now.In(zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), hour, minute, 0, 0, zone)
	for !at.After(now) || m[1] != "" && !strings.HasPrefix(strings.ToLower(at.Weekday().String()), strings.ToLower(m[1])) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}
