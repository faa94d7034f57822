package calendar

import (
	"fmt"
	"strings"
	"time"
)

// Zone finds a time zone by its name ("Europe/Berlin", "UTC"); "" is local.
func Zone(name string, local *time.Location) (*time.Location, error) {
	if name == "" {
		return local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("no time zone is called %.60q: write it as Europe/Berlin or UTC", name)
	}
	return zone, nil
}

// forms are those of a time that names its day.
var forms = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// Moment reads a time: RFC 3339, a day and a time in the zone, a time of day (the next one after
// now), or a duration from now.
func Moment(text string, zone *time.Location, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, form := range forms {
		if w, err := time.Parse(form, text); err == nil {
			return Rule{zone: zone}.first(w), nil
		}
	}
	if day, err := time.Parse("15:04", text); err == nil {
		r := Rule{expr: fmt.Sprintf("%d %d * * *", day.Minute(), day.Hour()), zone: zone}
		return r.Next(now), nil
	}
	if d, err := time.ParseDuration(strings.TrimPrefix(text, "+")); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, fmt.Errorf("%.40q is no time: write it like \"2026-12-24 07:30\", 07:30 (the next one), 2h (from now) or 2026-12-24T07:30:00Z", text)
}
