package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/attention"
	"ccdir/tui/known"
)

// glance is one look at the grid: what a person wants to know, and the words by which the picture
// says it, without a key. Each is of words that all stand in one line, or in a line and the next.
type glance struct {
	name       string
	cols, rows int
	model      func(cols, rows int) *model
	needsMe    []string // who, and what is asked
	done       []string // who is done and was not looked at; who failed
	did        []string // what it did, and why it failed
	branch     []string // where, and with which changes
	cost       []string // what it cost, or how much context is left
}

// TestLooks: eight looks of five questions each, at a day with 8 and with 14 sessions and at a
// finished night. The answer to each question is in the picture.
func TestLooks(t *testing.T) {
	asks := []string{"docs asks rm -rf build", "auth asks Which hash should I use?"}
	ended := []string{"api done", "crash failed", "build exit 1"}
	did := []string{"All 14 tests pass.", "API Error: overloaded"}
	money := []string{"$1.25"}
	night := []string{"8 done, 2 failed, 1 asks, ~$3.20"}
	for _, l := range []glance{
		{"8", 80, 24, priced, []string{"docs asks", "rm -rf build", "auth asks Which hash should I use?"}, []string{"crash failed", "✓api", "✗build"}, []string{"API Error: overloaded"}, []string{"main"}, money},
		{"8", 120, 36, priced, asks, ended, did, []string{"fix/x +40 −2", "main ↑2"}, money},
		{"8", 200, 60, priced, asks, ended, did, []string{"fix/x +40 −2", "main ↑2"}, money},
		{"14", 80, 24, crowd, []string{"docs asks", "rm -rf build", "fix asks edit login.go", "auth asks Which hash"}, []string{"2 failed", "1 done"}, []string{"edit login.go"}, []string{"fix/login"}, money},
		{"14", 120, 36, crowd, append(asks, "fix asks edit login.go"), ended, did, []string{"fix/x +40 −2", "fix/login ±2", "main ↑2"}, money},
		{"14", 200, 60, crowd, append(asks, "fix asks edit login.go"), ended, did, []string{"fix/x +40 −2", "fix/login ±2", "main ↑2"}, money},
		{"night", 120, 36, finishedNight, []string{"n11 asks Which name?"}, []string{"n3 failed", "n7 failed", "2 failed"}, []string{"API error 400", "timed out"}, []string{"night/n3"}, night},
		{"night", 200, 60, finishedNight, []string{"n11 asks Which name?"}, []string{"n3 failed", "n7 failed", "2 failed"}, []string{"API error 400", "timed out"}, []string{"night/n3"}, night},
	} {
		name := fmt.Sprintf("look-%s-%dx%d", l.name, l.cols, l.rows)
		t.Run(name, func(t *testing.T) {
			dump := l.model(l.cols, l.rows).picture().Dump()
			golden(t, name, dump)
			for question, answers := range map[string][]string{
				"who needs me": l.needsMe, "who is done": l.done, "what did it do": l.did, "on which branch, with which changes": l.branch, "what did it cost": l.cost,
			} {
				for _, words := range answers {
					if !told(dump, words) {
						t.Errorf("%s? %q cannot be read in\n%s", question, words, dump)
					}
				}
			}
		})
	}
}

// told reports whether words stand in one line of a picture, or in one and the next, in order and
// with what stands between them.
func told(dump, words string) bool {
	lines := strings.Split(dump, "\n")
	if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, words) }) {
		return true
	}
	name, rest, _ := strings.Cut(words, " ")
	for i, l := range lines {
		if i+1 < len(lines) {
			l += " " + lines[i+1]
		}
		_, behind, found := strings.Cut(l, name+" ")
		word, more, _ := strings.Cut(rest, " ")
		if _, behind, ok := strings.Cut(behind, word); found && ok && strings.Contains(behind, more) {
			return true
		}
	}
	return false
}

// priced is the day of which each agent has a cost, and the focused one little context left.
func priced(cols, rows int) *model { return withCosts(day(cols, rows)) }

// crowd is it with fourteen sessions.
func crowd(cols, rows int) *model {
	m := busy(cols, rows)
	for i, name := range []string{"lint", "deploy"} {
		v := named(fmt.Sprintf("crowd%03d", i), name, api.StateWorking, time.Duration(30+i))
		v.Prompt, v.Branch, v.Since = name+" it", "main", m.now().Add(-time.Minute)
		m.Upsert(v)
	}
	return withCosts(m)
}

func withCosts(m *model) *model {
	left := 30
	for _, v := range slices.Clone(m.Sessions) {
		if v.Plain == "" {
			v.CostUSD, v.ContextLeft = 1.25, &left
			m.Upsert(v)
		}
	}
	m.settle()
	return m
}

// finishedNight is the first look at the grid after a night in which the queue ran ten tasks and an
// eleventh asks.
func finishedNight(cols, rows int) *model {
	var all []api.Session
	var tasks []api.Task
	m := testModel(cols, rows)
	for i := 1; i <= 11; i++ {
		t := api.Task{NewTask: api.NewTask{Name: fmt.Sprintf("n%d", i), Prompt: "do it"}, ID: fmt.Sprintf("t%d", i), State: api.TaskDone, Unseen: true, Result: api.TaskResult{Message: "Done with it.", Cost: 0.32}, Since: m.now().Add(-time.Hour)}
		if reason := map[int]string{3: "API error 400: bad request", 7: "timed out"}[i]; reason != "" {
			t.State, t.Reason, t.Result.Message = api.TaskFailed, reason, ""
		}
		if i == 3 {
			v := named("nite0003", t.Name, api.StateExited, 3)
			v.Task, v.Branch, v.Unread, v.Since = t.ID, "night/n3", true, t.Since
			t.Session = v.ID
			all = append(all, v)
		}
		if i == 11 {
			t.State, t.Unseen, t.Result.Cost = api.TaskWaiting, false, 0.2
			v := named("nite0011", t.Name, api.StateInput, 11)
			v.Task, v.Branch, v.Asks, v.Since = t.ID, "night/n11", "Which name?", t.Since
			t.Session = v.ID
			all = append(all, v)
		}
		tasks = append(tasks, t)
	}
	m.Loaded, m.attention, m.opts.Client = false, attention.State{}, dearClient{newFakeClient(all...)}
	_, c := m.Update(newsMsg{news{News: known.News{Snapshot: &api.Snapshot{Sessions: all, Tasks: tasks, Queue: &api.Queue{Mode: api.QueueAuto, Limit: 4}, Grid: &api.Grid{Left: m.now().Add(-8 * time.Hour), Spent: new(0.55)}}}}})
	perform(m, c)
	m.sidebar = m.sidebar.Show(true, true)
	return m
}
