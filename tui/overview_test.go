package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// styledDump is a picture with a letter for the style of each cell, and what the
// letters mean.
func styledDump(s *paint.Surface) string {
	letters := map[cells.Style]byte{{}: '.'}
	var legend, styles strings.Builder
	_, rows := s.Size()
	for y := range rows {
		var row strings.Builder
		for _, c := range s.Row(y) {
			st := s.Table().Style(c.Style)
			if _, ok := letters[st]; !ok {
				letters[st] = byte('a' + len(letters) - 1)
				fmt.Fprintf(&legend, "%c: %q\n", letters[st], st.AppendSGR(nil))
			}
			row.WriteByte(letters[st])
		}
		styles.WriteString(strings.TrimRight(row.String(), ".") + "\n")
	}
	return s.Dump() + "\n" + styles.String() + "\n" + legend.String()
}

// detailed is a grid whose focused session has everything that details show.
func detailed(cols, rows int) *model {
	m := fourPanes(cols, rows)
	v := *m.session("bbbb2222")
	v.Argv, v.PID, v.HostPID, v.HostVersion = []string{"claude", "--settings", "/s/settings.json"}, 4242, 4240, "0.0.9"
	v.Conversation, v.Task, v.Prompt = "6f1c-77", "t17", "build it\nand test it"
	v.QueuedPrompts, v.Queued, v.Role = []string{"then lint", "/compact"}, 2, "dev"
	v.Cols, v.Rows, v.CWD = 100, 30, "/home/me/shop"
	m.upsert(v)
	m.overlay = explain{
		id: v.ID, name: "web", home: "/home/me", v: v,
		use: &api.ProcessUse{PID: 4242, HostPID: 4240, Processes: 3, Memory: 412 << 20, AgentVersion: "2.1.329"},
		exp: &api.Explanation{State: api.StatePermission, Since: epoch, Rule: "hook-permission", Reason: "a dialog is open"},
	}
	return m
}

// overviewed is a grid that shows the overview.
func overviewed(cols, rows int) *model {
	m := fourPanes(cols, rows)
	m.Server = api.Server{
		PID: 99, Version: "0.0.9", Socket: "/tmp/ccdir-1000/ccdir.sock", Started: epoch.Add(-2 * time.Hour),
		StateDir: "/home/me/.local/state/ccdir", ConfigFile: "/home/me/.config/ccdir/config.toml", PolicyFile: "/home/me/.config/ccdir/policy.toml",
	}
	m.Work.Queue = &api.Queue{Mode: api.QueueAuto, Limit: 4, Counts: map[api.TaskState]int{api.TaskQueued: 2, api.TaskTimedOut: 1}}
	v := *m.session("aaaa1111")
	v.HostPID, v.HostVersion = 7, "0.0.9"
	m.upsert(v)
	list, err := settings(json.RawMessage(`{"config":{"max_sessions":10,"agents":{"claude":{"command":["claude"],"env":{"TOKEN":"(hidden)"}}}},"path":"/p"}`))
	if err != nil {
		panic(err)
	}
	m.overlay = overview{config: list}
	return m
}

func eventDetailed(cols, rows int) *model {
	m := fourPanes(cols, rows)
	e := m.Events[3]
	e.Message, e.Data = "Bash: rm -rf build/", json.RawMessage(`{"tool":"Bash","held":true}`)
	m.overlay = newEventDetail(e, "web")
	return m
}

// TestGoldenDetails: details, overview and an event in both palettes and without
// colours.
func TestGoldenDetails(t *testing.T) {
	for _, view := range []struct {
		name       string
		cols, rows int
		make       func(cols, rows int) *model
	}{{"details", 60, 24, detailed}, {"overview", 60, 30, overviewed}, {"event-detail", 50, 16, eventDetailed}} {
		for _, look := range []struct {
			name, theme string
			profile     colorprofile.Profile
		}{{"dark", "dark", colorprofile.TrueColor}, {"light", "light", colorprofile.TrueColor}, {"no-color", "dark", colorprofile.ASCII}} {
			t.Run(view.name+"-"+look.name, func(t *testing.T) {
				m := view.make(view.cols, view.rows)
				m.theme = theme.New(look.theme, nil)
				var sc *scene
				m.publish = func(s *scene) { sc = s }
				m.settle()
				c := newComposer(paint.Caps{Profile: look.profile})
				c.compose(sc, nil)
				golden(t, view.name+"-"+look.name, styledDump(c.s))
			})
		}
	}
}

// TestDetailsOfOverride: an override is named until it ends.
func TestDetailsOfOverride(t *testing.T) {
	v := named("aaaa1111", "api", api.StateIdle, 0)
	v.Override = &api.Override{Mode: api.OverrideReads, Until: epoch.Add(time.Hour)}
	for at, want := range map[time.Duration]bool{0: true, 2 * time.Hour: false} {
		got := false
		for _, l := range details(theme.New("", nil), epoch.Add(at), 60, "", v, nil) {
			got = got || strings.Contains(l, "allow reads until ")
		}
		if got != want {
			t.Errorf("after %v: %v", at, got)
		}
	}
}

// TestOverviewFollows: what the watch stream tells is in the overview at once,
// and a change of the configuration asks for it again.
func TestOverviewFollows(t *testing.T) {
	m := overviewed(80, 60)
	has := func(want ...string) {
		t.Helper()
		text := m.picture().Dump()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
	}
	has("health        answers", "up for        2h", "1             [~] working", "other hosts   api (0.0.9)", `agents.claude.env.TOKEN = "(hidden)"`, "2 queued, 1 timed out")
	v := *m.session("aaaa1111")
	v.State = api.StatePermission
	m.take(news{sessions: map[string]api.Session{v.ID: v}, queue: &api.Queue{Mode: api.QueuePaused, Limit: 1}})
	has("2             [!!] waiting for permission", "paused, at most 1 at once")
	m.take(news{link: &linkState{lost: fmt.Errorf("gone")}})
	has("does not answer")
	before := m.configMark()
	m.take(news{events: []api.Event{{Seq: 77, Type: api.EventConfigError}}})
	if after := m.configMark(); after != 77 || before == 77 {
		t.Errorf("the configuration is asked for after %d, then %d", before, after)
	}
	press(m, "o")
	if m.overlay != nil {
		t.Error("its own key does not close it")
	}
}

// TestSettings: the values by their names, and nothing without one.
func TestSettings(t *testing.T) {
	for raw, want := range map[string]string{
		`{"config":{"b":1,"a":{"x":"y","none":{}}},"file":"f","problems":[]}`: `[{a.none {}} {a.x "y"} {b 1}]`,
		`{"config":{"b":1},"file":"f","problems":["p"]}`:                      `[{b 1} {problems ["p"]}]`,
		`{"b":1}`: `[{b 1}]`,
		`{}`:      `[]`,
	} {
		got, err := settings(json.RawMessage(raw))
		if text := fmt.Sprint(got); err != nil || text != want {
			t.Errorf("%s: %s, %v; want %s", raw, text, err, want)
		}
	}
}
