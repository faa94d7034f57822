package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/dialogs/daemonpage"
	"ccdir/tui/dialogs/event"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/known"
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

// configFake is a daemon that also knows processes and the configuration.
type configFake struct {
	*fakeClient
	use    api.ProcessUse
	config string
}

func (c configFake) Process(context.Context, string) (api.ProcessUse, error) { return c.use, nil }

func (c configFake) Config(context.Context) (json.RawMessage, error) {
	return json.RawMessage(c.config), c.note("config")
}

// detailed is a grid whose focused session has everything that details show.
func detailed(cols, rows int) *model {
	m := fourPanes(cols, rows)
	v := *m.Session("bbbb2222")
	v.Argv, v.PID, v.HostPID, v.HostVersion = []string{"claude", "--settings", "/s/settings.json"}, 4242, 4240, "0.0.9"
	v.Conversation, v.Task, v.Prompt = "6f1c-77", "t17", "build it\nand test it"
	v.QueuedPrompts, v.Queued, v.Role = []string{"then lint", "/compact"}, 2, "dev"
	v.Cols, v.Rows, v.CWD = 100, 30, "/home/me/shop"
	m.Upsert(v)
	c := configFake{fakeClient: newFakeClient(), use: api.ProcessUse{PID: 4242, HostPID: 4240, Processes: 3, Memory: 412 << 20, AgentVersion: "2.1.329"}}
	c.explanation = api.Explanation{State: api.StatePermission, Since: epoch, Rule: "hook-permission", Reason: "a dialog is open"}
	m.opts.Client = c
	perform(m, caused(m, func() { m.openOver(nil, explain.New(v)) }))
	return m
}

// daemonShown is a grid that shows the daemon's page.
func daemonShown(cols, rows int) *model {
	m := fourPanes(cols, rows)
	m.Server = api.Server{
		PID: 99, Version: "0.0.9", Socket: "/tmp/ccdir-1000/ccdir.sock", Started: epoch.Add(-2 * time.Hour),
		StateDir: "/home/me/.local/state/ccdir", ConfigFile: "/home/me/.config/ccdir/config.toml", PolicyFile: "/home/me/.config/ccdir/policy.toml",
	}
	m.Work.Queue = &api.Queue{Mode: api.QueueAuto, Limit: 4, Counts: map[api.TaskState]int{api.TaskQueued: 2, api.TaskTimedOut: 1}}
	v := *m.Session("aaaa1111")
	v.HostPID, v.HostVersion = 7, "0.0.9"
	m.Upsert(v)
	m.opts.Client = configFake{fakeClient: newFakeClient(), config: `{"config":{"max_sessions":10,"agents":{"claude":{"command":["claude"],"env":{"TOKEN":"(hidden)"}}}},"path":"/p"}`}
	perform(m, caused(m, func() { m.openOver(nil, daemonpage.New()) }))
	return m
}

func eventDetailed(cols, rows int) *model {
	m := fourPanes(cols, rows)
	e := m.Events[3]
	e.Message, e.Data = "Bash: rm -rf build/", json.RawMessage(`{"tool":"Bash","held":true}`)
	m.openOver(nil, event.New(e, "web"))
	return m
}

// TestGoldenDetails: details, the daemon's page and an event in both palettes and without
// colours.
func TestGoldenDetails(t *testing.T) {
	for _, view := range []struct {
		name       string
		cols, rows int
		make       func(cols, rows int) *model
	}{{"details", 60, 24, detailed}, {"daemon-page", 60, 30, daemonShown}, {"event-detail", 50, 16, eventDetailed}} {
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
				c.compose(sc)
				golden(t, view.name+"-"+look.name, styledDump(c.s))
			})
		}
	}
}

// TestDaemonPageFollows: what the watch stream tells is on the page at once,
// and a change of the configuration asks for it again.
func TestDaemonPageFollows(t *testing.T) {
	m := daemonShown(80, 60)
	has := func(want ...string) {
		t.Helper()
		text := m.picture().Dump()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
	}
	has("health        answers", "up for        2h", "1             working", "other hosts   api (0.0.9)", `agents.claude.env.TOKEN = "(hidden)"`, "2 queued, 1 timed out")
	v := *m.Session("aaaa1111")
	v.State = api.StatePermission
	m.take(news{News: known.News{Sessions: map[string]api.Session{v.ID: v}, Queue: &api.Queue{Mode: api.QueuePaused, Limit: 1}}})
	has("2             waiting for permission", "paused, at most 1 at once")
	m.take(news{News: known.News{Link: &known.Link{Lost: fmt.Errorf("gone")}}})
	has("does not answer")
	m.take(news{News: known.News{Link: &known.Link{}, Events: []api.Event{{Seq: 77, Type: api.EventConfigError}}}})
	perform(m, caused(m, m.settle))
	if got := calledFor(m.opts.Client.(configFake).fakeClient, "config"); len(got) != 2 {
		t.Errorf("the configuration was asked for %d times, want 2: at first and after an event about it", len(got))
	}
	press(m, "O")
	if m.overlay != nil {
		t.Error("its own key does not close it")
	}
}
