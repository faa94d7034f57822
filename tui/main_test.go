package tui

import (
	"os"
	"testing"
	"time"
)

// TestMain has the pictures show times of day in UTC, wherever the tests run: before
// any test, since timers of earlier ones read the zone.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}
