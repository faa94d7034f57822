package modal

import (
	"time"

	"charm.land/bubbles/v2/spinner"
)

// Spin is the frame of the sign that something is under way, and how long until
// the next one.
func Spin(now time.Time) (frame string, next time.Duration) {
	s := spinner.MiniDot
	return s.Frames[now.UnixNano()/int64(s.FPS)%int64(len(s.Frames))], s.FPS
}
