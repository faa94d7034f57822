package api

import "time"

// MaxSnooze bounds a snooze.
const MaxSnooze = 7 * 24 * time.Hour

// Snooze is the body of POST /v1/sessions/ID/snooze.
type Snooze struct {
	// Seconds is how long the session's wait is hidden from now on: 1 to a week.
	Seconds int `json:"seconds"`
}

// PutOff reports whether the session is snoozed at that moment.
func (s *Session) PutOff(now time.Time) bool { return now.Before(s.SnoozedUntil) }
