package format

import (
	"testing"
	"time"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 6500 * time.Millisecond: "6 s", 59 * time.Second: "59 s", -time.Second: "0 s", 5 * time.Minute: Age(epoch.Add(5*time.Minute), epoch)} {
		if got := Seconds(epoch.Add(d), epoch); got != want {
			t.Errorf("%s is %q, not %q", d, got, want)
		}
		if step := SecondsStep(epoch.Add(d), epoch); d >= 0 && Seconds(epoch.Add(d+step), epoch) == want {
			t.Errorf("%s: after %s it is still %q", d, step, want)
		}
	}
	if Seconds(epoch, time.Time{}) != "" {
		t.Error("the zero time has an age")
	}
}
