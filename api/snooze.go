package api

import "time"

// MaxSnooze is how long a session's wait can be put off at once.
const MaxSnooze = 7 * 24 * time.Hour

// Snooze is the body of POST /v1/sessions/ID/snooze.
type Snooze struct {
	// Seconds is for how long the session's wait is put off, from now on: at least
	// 1, at most those of a week.
	Seconds int `json:"seconds"`
}

// PutOff reports whether the session's wait is put off at that moment.
func (s *Session) PutOff(now time.Time) bool { return now.Before(s.SnoozedUntil) }
