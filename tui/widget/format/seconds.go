package format

import (
	"fmt"
	"time"
)

// Seconds is Age that tells the seconds of the first minute: how old a picture is. "" if t is the
// zero time.
func Seconds(now, t time.Time) string {
	d := now.Sub(t)
	if t.IsZero() || d >= time.Minute {
		return Age(now, t)
	}
	return fmt.Sprintf("%d s", int(max(d, 0)/time.Second))
}

// SecondsStep is how long until Seconds shows something else.
func SecondsStep(now, t time.Time) time.Duration {
	if d := now.Sub(t); d >= 0 && d < time.Minute {
		return time.Second - d%time.Second
	}
	return AgeStep(now, t)
}
