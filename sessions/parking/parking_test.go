package parking

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// rests are the facts of an agent that may be parked.
func rests() Facts {
	return Facts{Name: "a", State: api.StateIdle, Agent: true, Resumes: true, Conversation: true, Used: true, Settled: true, File: "idle", Typed: -1}
}

// hinders are the facts that keep an agent from being parked, each alone, by the row that names it.
var hinders = map[string]func(*Facts){
	"outside":         func(f *Facts) { f.Outside = true },
	"no-agent":        func(f *Facts) { f.Agent = false },
	"one-shot":        func(f *Facts) { f.OneShot = true },
	"parked":          func(f *Facts) { f.State = api.StateParked },
	"ended":           func(f *Facts) { f.State = api.StateExited },
	"asks":            func(f *Facts) { f.Requests = 1 },
	"busy":            func(f *Facts) { f.State = api.StateWorking },
	"starting":        func(f *Facts) { f.Starting = true },
	"task":            func(f *Facts) { f.Task = "t1" },
	"prompts":         func(f *Facts) { f.Prompts = 1 },
	"typing":          func(f *Facts) { f.Typing = true },
	"background":      func(f *Facts) { f.Background = 2 },
	"crons":           func(f *Facts) { f.Crons = 1 },
	"file":            func(f *Facts) { f.File = "shell" },
	"no-resume":       func(f *Facts) { f.Resumes = false },
	"no-conversation": func(f *Facts) { f.Conversation = false },
	"other":           func(f *Facts) { f.Other = "process 7" },
	"watched":         func(f *Facts) { f.Watched = true },
	"typed":           func(f *Facts) { f.Typed = time.Second },
	"line":            func(f *Facts) { f.Line.Why = "a paste" },
	"unsettled":       func(f *Facts) { f.Settled = false },
}

func TestEachRowHinders(t *testing.T) {
	if why := rests().Why(); why != "" {
		t.Fatalf("an agent at rest: %s", why)
	}
	for _, r := range rows {
		set := hinders[r.name]
		if set == nil {
			t.Errorf("nothing tests %s", r.name)
			continue
		}
		f := rests()
		set(&f)
		if want := r.why(&f); f.Why() != want || want == "" {
			t.Errorf("%s: %q, want %q", r.name, f.Why(), want)
		}
	}
	if (Facts{}).Why() == "" {
		t.Error("nothing is known, and it may be parked")
	}
}

// TestNothingHelps: no further fact makes parked what another fact keeps, but that a person asks.
func TestNothingHelps(t *testing.T) {
	for name, set := range hinders {
		for range 200 {
			f := rests()
			for other, more := range hinders {
				if other != name && rand.IntN(3) == 0 {
					more(&f)
				}
			}
			set(&f)
			if f.Why() == "" {
				t.Fatalf("%s: %+v may be parked", name, f)
			}
		}
	}
}

func TestByHand(t *testing.T) {
	f := rests()
	f.ByHand, f.Watched, f.Typed = true, true, 10*time.Second
	if why := f.Why(); why != "" {
		t.Errorf("a person parks what it looks at: %s", why)
	}
	if f.Typed = time.Second; f.Why() == "" {
		t.Error("it is parked while somebody types")
	}
	f = rests()
	if f.Used, f.Conversation = false, false; f.Why() != "" {
		t.Errorf("one that was never used: %s", f.Why())
	}
	f.Settled = false
	if !f.OnlyUnsettled() {
		t.Error("it has only to come to rest")
	}
	if f.Background = 1; f.OnlyUnsettled() {
		t.Error("it works in the background")
	}
}

func TestDraft(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, tt := range []struct {
		name   string
		screen Screen
		draft  string
		why    string
	}{
		{"nothing", Screen{Reads: true, Readable: true, Cols: 80}, "", ""},
		{"typed, not drawn", Screen{Reads: true, Readable: true, Cols: 80, Typed: true, Ago: 3 * time.Second}, "", "does not show yet"},
		{"typed and erased", Screen{Reads: true, Readable: true, Cols: 80, Typed: true, Ago: time.Minute}, "", ""},
		{"a draft", Screen{Reads: true, Readable: true, Cols: 80, Input: "fix the tests"}, "fix the tests", ""},
		{"umlauts", Screen{Reads: true, Readable: true, Cols: 80, Input: "größer – „so“"}, "größer – „so“", ""},
		{"two lines", Screen{Reads: true, Readable: true, Cols: 80, Input: "first\nsecond"}, "first\nsecond", ""},
		{"wrapped", Screen{Reads: true, Readable: true, Cols: 80, Input: strings.TrimSpace(long[:75]) + "\nword"}, "", "wrapped"},
		{"full", Screen{Reads: true, Readable: true, Cols: 80, Input: strings.Repeat("x", 78)}, "", "fills"},
		{"a paste", Screen{Reads: true, Readable: true, Cols: 80, Input: "see [Pasted text #1 +29 lines]"}, "", "paste"},
		{"a picture", Screen{Reads: true, Readable: true, Cols: 80, Input: "[Image #1]"}, "", "paste"},
		{"a shell command", Screen{Reads: true, Readable: true, Cols: 80, Input: "!ls"}, "", "shell"},
		{"emoji", Screen{Reads: true, Readable: true, Cols: 80, Input: "ok 👍"}, "", "signs"},
		{"a panel", Screen{Reads: true, Cols: 80}, "", "input line"},
		{"a stash", Screen{Reads: true, Readable: true, Stashed: true, Cols: 80}, "", "stashed"},
		{"a queue", Screen{Reads: true, Readable: true, Queued: 1, Cols: 80}, "", "queue"},
		{"unreadable, typed", Screen{Typed: true}, "", "cannot read"},
		{"unreadable, nothing typed", Screen{}, "", ""},
	} {
		got := tt.screen.Read()
		if got.Draft != tt.draft || (got.Why == "") != (tt.why == "") || !strings.Contains(got.Why, tt.why) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// FuzzDraft: a draft is either kept as the screen shows it, or not at all.
func FuzzDraft(f *testing.F) {
	f.Add("fix it\nplease", 80)
	f.Fuzz(func(t *testing.T, input string, cols int) {
		got := (Screen{Reads: true, Readable: true, Input: input, Cols: cols}).Read()
		if got.Draft != "" && (got.Draft != input || got.Why != "") {
			t.Errorf("%q: %+v", input, got)
		}
		if input != "" && got.Draft == "" && got.Why == "" {
			t.Errorf("%q is forgotten", input)
		}
	})
}
