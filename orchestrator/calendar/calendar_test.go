package calendar

import (
	"testing"
	"time"
	_ "time/tzdata" // the same rules on every machine

	"github.com/adhocore/gronx"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := Zone(name, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func rule(t testing.TB, expr, in string) Rule {
	t.Helper()
	r, err := Cron(expr, zone(t, in))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestJumps: what is due around the nights in which the clock jumps.
func TestJumps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr, zone, after string
		want              []string
	}{
		// 28 March 2027: 02:00 becomes 03:00.
		{"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00+01:00", []string{"2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00"}},
		{"10,50 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00+01:00", []string{"2027-03-28T03:00:00+02:00", "2027-03-29T02:10:00+02:00"}},
		{"0 7 * * 1-5", "Europe/Berlin", "2027-03-26T12:00:00+01:00", []string{"2027-03-29T07:00:00+02:00", "2027-03-30T07:00:00+02:00"}},
		{"0 * * * *", "Europe/Berlin", "2027-03-28T00:30:00+01:00", []string{"2027-03-28T01:00:00+01:00", "2027-03-28T03:00:00+02:00", "2027-03-28T04:00:00+02:00"}},
		{"30 */2 * * *", "Europe/Berlin", "2027-03-28T00:40:00+01:00", []string{"2027-03-28T04:30:00+02:00"}},
		// 31 October 2027: 03:00 becomes 02:00.
		{"30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00+02:00", []string{"2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00"}},
		{"0 2-3 * * *", "Europe/Berlin", "2027-10-31T01:00:00+02:00", []string{"2027-10-31T02:00:00+02:00", "2027-10-31T03:00:00+01:00", "2027-11-01T02:00:00+01:00"}},
		{"30 * * * *", "Europe/Berlin", "2027-10-31T01:45:00+02:00", []string{"2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00", "2027-10-31T03:30:00+01:00"}},
		{"*/30 * * * *", "Europe/Berlin", "2027-10-31T02:10:00+02:00", []string{"2027-10-31T02:30:00+02:00", "2027-10-31T02:00:00+01:00", "2027-10-31T02:30:00+01:00", "2027-10-31T03:00:00+01:00"}},
		// Where midnight is skipped, and where the clock jumps by half an hour.
		{"@daily", "America/Santiago", "2026-09-05T12:00:00-04:00", []string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"}},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", []string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"0 7 * * *", "UTC", "2027-03-28T00:00:00Z", []string{"2027-03-28T07:00:00Z"}},
	} {
		r := rule(t, c.expr, c.zone)
		at, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			at = r.Next(at)
			if got := at.In(zone(t, c.zone)).Format(time.RFC3339); got != want {
				t.Errorf("%s in %s: %s, want %s", c.expr, c.zone, got, want)
			}
		}
	}
}

// TestYear walks through a year minute by minute in zones with daylight saving: rules that follow
// the clock are due whenever it shows what they name, and rules with fixed hours once a named time
// of each day.
func TestYear(t *testing.T) {
	t.Parallel()
	exprs := []string{"0 7 * * 1-5", "30 2 * * *", "*/17 * * * *", "5 */6 * * *", "0 9-17/2 1,15 * *", "15 3 * 3,10 SUN", "0 0 13 * 5"}
	for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe"} {
		z := zone(t, name)
		for _, expr := range exprs {
			r := rule(t, expr, name)
			from := time.Date(2027, 1, 1, 0, 0, 0, 0, z)
			until := time.Date(2028, 1, 1, 0, 0, 0, 0, z)
			due := map[string]int{} // by what the clock shows
			var last time.Time
			n := 0
			for at := r.Next(from.Add(-time.Second)); at.Before(until); at = r.Next(at) {
				if !at.After(last) {
					t.Fatalf("%s in %s: %s after %s", expr, name, at, last)
				}
				last = at
				due[at.In(z).Format("01-02 15:04")]++
				n++
			}
			named, shown, times := map[time.Time]bool{}, map[string]int{}, 0
			for w := r.wall(clock(from, 0).AddDate(0, 0, -2)); w.Year() < 2028; w = r.wall(w) {
				named[w] = true
			}
			for at := from; at.Before(until); at = at.Add(time.Minute) {
				_, offset := at.Zone()
				if named[clock(at, offset)] {
					shown[at.Format("01-02 15:04")]++
					times++
				}
			}
			for at, k := range shown {
				want := k
				if !r.every {
					want = 1
				}
				if due[at] != want {
					t.Errorf("%s in %s: due %d times at %s, want %d", expr, name, due[at], at, want)
				}
			}
			// Besides these only what the clock skips, at the jump.
			if extra := len(due) - len(shown); r.every && (extra != 0 || n != times) || extra < 0 || extra > 1 {
				t.Errorf("%s in %s: due at %d times, the clock shows %d", expr, name, len(due), len(shown))
			}
		}
	}
}

// TestNamed: the next time that an expression names is the first minute that it matches.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"0 7 * * 1-5", "*/17 * * * *", "5 */6 * * *", "0 9-17/2 1,15 * *", "15 3 * 3,10 SUN", "0 0 13 * 5"} {
		r, matches := rule(t, expr, "UTC"), gronx.New()
		at := time.Date(2027, 2, 27, 0, 0, 0, 0, time.UTC)
		next := r.Next(at.Add(-time.Second))
		for ; at.Day() != 20; at = at.Add(time.Minute) {
			due, err := matches.IsDue(expr, at)
			if err != nil || due != at.Equal(next) {
				t.Fatalf("%s at %s: %v %v, next %s", expr, at, due, err, next)
			}
			if due {
				next = r.Next(at)
			}
		}
	}
}

// TestDue: the newest due time of a while, and how many were missed before it.
func TestDue(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	day, minute := rule(t, "0 7 * * *", "UTC"), rule(t, "* * * * *", "UTC")
	for _, c := range []struct {
		r            Rule
		after, until string
		want         string
		missed       int
	}{
		{day, "2027-01-01T07:00:00Z", "2027-01-02T06:59:59Z", "", 0},
		{day, "2027-01-01T07:00:00Z", "2027-01-02T07:00:00Z", "2027-01-02T07:00:00Z", 0},
		{day, "2027-01-01T07:00:00Z", "2027-01-08T12:00:00Z", "2027-01-08T07:00:00Z", 6},
		{minute, "2027-01-01T00:00:00Z", "2028-01-01T00:00:30Z", "2028-01-01T00:00:00Z", maxMissed},
		{day, "2027-01-01T07:00:00Z", "2031-01-01T06:00:00Z", "2030-12-31T07:00:00Z", maxMissed},
		{day, "2027-01-02T07:00:00Z", "2027-01-01T07:00:00Z", "", 0}, // the clock was put back
		{At(at("2027-01-01T08:00:00Z")), "2027-01-01T07:00:00Z", "2027-01-01T09:00:00Z", "2027-01-01T08:00:00Z", 0},
		{At(at("2027-01-01T08:00:00Z")), "2027-01-01T08:00:00Z", "2027-01-01T09:00:00Z", "", 0},
	} {
		newest, missed := c.r.Due(at(c.after), at(c.until))
		got := ""
		if !newest.IsZero() {
			got = newest.UTC().Format(time.RFC3339)
		}
		if got != c.want || missed != c.missed {
			t.Errorf("%v from %s to %s: %s after %d, want %s after %d", c.r.expr, c.after, c.until, got, missed, c.want, c.missed)
		}
	}
}

// TestFaults: what is no expression, no time and no zone.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"", "* * * *", "* * * * * *", "0 0 31 2 *", "60 * * * *", "0 25 * * *", "@always", "@reboot", "hello there my old friend", "--help", "0 0 * * \x1b[31m", "10-5 * * * *", "*/0 * * * *"} {
		if r, err := Cron(expr, time.UTC); err == nil {
			t.Errorf("%q is taken: %v", expr, r.Next(time.Now()))
		}
	}
	now := time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC)
	berlin := zone(t, "Europe/Berlin")
	for text, want := range map[string]string{
		"2027-03-27T20:00:00Z": "2027-03-27T20:00:00Z", "2027-03-28 02:30": "2027-03-28T01:00:00Z", "2027-10-31T02:30": "2027-10-31T00:30:00Z",
		"07:30": "2027-03-28T05:30:00Z", "14:00": "2027-03-27T13:00:00Z", "+90m": "2027-03-27T13:30:00Z", "2h": "2027-03-27T14:00:00Z",
	} {
		if got, err := Moment(text, berlin, now); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "tomorrow", "-2h", "25:00", "2027-13-01 07:00", "--help"} {
		if got, err := Moment(text, berlin, now); err == nil {
			t.Errorf("%q is taken: %v", text, got)
		}
	}
	if _, err := Zone("Mars/Olympus", time.UTC); err == nil {
		t.Error("a zone that is not there is taken")
	}
}

// FuzzCron: whatever is taken is due later and later, and never hangs.
func FuzzCron(f *testing.F) {
	f.Add("0 7 * * 1-5")
	f.Add("*/5 2-4 L * FRI#2")
	f.Fuzz(func(t *testing.T, expr string) {
		r, err := Cron(expr, time.UTC)
		if err != nil {
			return
		}
		at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 3 {
			next := r.Next(at)
			if next.IsZero() {
				return
			}
			if !next.After(at) {
				t.Fatalf("%q: %s after %s", expr, next, at)
			}
			at = next
		}
	})
}
