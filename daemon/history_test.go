package daemon

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/wire"
)

func TestHistoryAndSearch(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	p.addTasks(api.NewTask{Prompt: "say the heron is grey"}, api.NewTask{Prompt: "say nothing"})
	p.create(api.NewSession{Name: "quick", Argv: sh("printf '\\033[31mscarlet\\033[m ibis\\n'")})
	p.wait("quick", api.StateExited)
	for _, id := range []string{"t1", "t2"} {
		p.wait(p.waitTask(id, api.TaskDone).Session, api.StateExited)
	}
	var list []api.HistoryEntry
	until(t, "everything to be archived", func() bool {
		p.call("GET", "/v1/history", nil, &list)
		return len(list) == 5
	})
	for i := 1; i < len(list); i++ {
		if list[i].Ended.After(list[i-1].Ended) {
			t.Errorf("not newest first: %+v", list)
		}
	}
	var tr api.Transcript
	if p.call("GET", "/v1/history/quick", nil, &tr); !strings.Contains(tr.ANSI, "mscarlet\x1b[0m") || tr.ExitCode == nil {
		t.Errorf("%+v", tr)
	}
	if p.call("GET", "/v1/history/t1", nil, &tr); !strings.Contains(tr.ANSI, "heron") {
		t.Errorf("%+v", tr)
	}
	p.wantCode(api.CodeNotFound, "GET", "/v1/history/nothing", nil)
	kinds := func(words string) (found string) {
		var hits []api.SearchHit
		p.call("GET", "/v1/search?q="+url.QueryEscape(words), nil, &hits)
		for _, h := range hits {
			if !strings.Contains(found, h.Kind) {
				found += h.Kind + " "
			}
			if strings.ContainsRune(h.Line, 0x1b) {
				t.Errorf("%q", h.Line)
			}
		}
		return found
	}
	for words, want := range map[string]string{"heron grey": "task session event", "scarlet ib": "session", "heron ibis": "", "HERON": "task session event"} {
		found := kinds(words)
		if strings.Contains(found, "turn") { // read by now: then screens and events do not say it again
			want = "task"
		}
		for kind := range strings.FieldsSeq(want) {
			if !strings.Contains(found, kind) {
				t.Errorf("%q: found in %q, wanted %q", words, found, want)
			}
		}
		if want == "" && found != "" {
			t.Errorf("%q: found in %q", words, found)
		}
	}
	p.wantCode(api.CodeInvalid, "GET", "/v1/search?q=%22", nil)
	// Found again after the session was removed.
	p.call("DELETE", "/v1/sessions/quick", nil, nil)
	places := func(words string) (hits []api.SearchHit) {
		p.call("GET", "/v1/search?q="+words, nil, &hits)
		return slices.DeleteFunc(hits, func(h api.SearchHit) bool { return h.Kind == api.HitLeftOut })
	}
	if hits := places("scarlet"); len(hits) != 1 || hits[0].Kind != "session" || hits[0].Name != "quick" {
		t.Errorf("the transcript went with its session, or its name: %+v", hits)
	}
	// Events come last, each message once.
	messages, event := map[string]bool{}, false
	hits := places("heron")
	for _, h := range hits {
		if key := h.Session + h.Line; h.Kind == "event" && messages[key] || event && h.Kind != "event" {
			t.Errorf("%+v", hits)
		} else if h.Kind == "event" {
			messages[key], event = true, true
		}
	}
}

// TestHistoryOfRestarted: an entry begins when its process did, not when the session was made.
func TestHistoryOfRestarted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	p.create(api.NewSession{Name: "again", Argv: sh("exit 3")})
	list := make([]api.HistoryEntry, 0, 2)
	for n := 1; n <= 2; n++ {
		p.wait("again", api.StateExited)
		until(t, "the end to be archived", func() bool {
			p.call("GET", "/v1/history", nil, &list)
			return len(list) == n
		})
		if n == 1 {
			p.call("POST", "/v1/sessions/again/restart", nil, nil)
		}
	}
	if second, first := list[0], list[1]; second.Started.Before(first.Ended) || first.Started.After(first.Ended) || second.Started.After(second.Ended) {
		t.Errorf("%v to %v, then %v to %v", first.Started, first.Ended, second.Started, second.Ended)
	}
}

func TestStaleSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("stale_timeout = \"3s\"\n")
	p.run()
	quiet := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	busy := p.create(api.NewSession{Argv: sh("while :; do echo .; sleep 0.2; done")})
	watched := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	var a api.HostAddress
	p.call("GET", "/v1/sessions/"+watched.ID+"/host", nil, &a)
	conn, _, err := wire.Dial(t.Context(), a.Socket, wire.Hello{Ticket: a.Ticket, Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p.wait(quiet.ID, api.StateExited)
	if types := p.eventTypes(quiet.ID); !strings.Contains(types, api.EventSessionStale) {
		t.Error(types)
	}
	for _, s := range []api.Session{busy, watched} {
		if now := p.get(s.ID); now.State.Ended() {
			t.Errorf("%v was ended: %+v", s.Argv, now)
		}
	}
}

// TestTasksAfterReboot kills everything at once: what was queued begins, an
// interactive task goes on in its conversation, a print task runs again if it
// may.
func TestTasksAfterReboot(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.spawn()
	p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(3)})
	p.addTasks(api.NewTask{Prompt: "spin"}, api.NewTask{Prompt: "think 3s\nsay again", Kind: api.TaskPrint, Idempotent: true},
		api.NewTask{Prompt: "spin", Kind: api.TaskPrint}, api.NewTask{Prompt: "say later"})
	conversation := ""
	for _, id := range []string{"t1", "t2", "t3"} {
		task := p.waitTask(id, api.TaskRunning)
		if id == "t1" {
			conversation = p.get(task.Session).Conversation
		}
	}
	var pids []int
	for _, id := range []string{"t1", "t2", "t3"} {
		s := p.get(p.task(id).Session)
		pids = append(pids, s.HostPID, s.PID)
	}
	p.kill9()
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.spawn()
	if task := p.waitTask("t3", api.TaskFailed); !strings.Contains(task.Reason, "idempotent") {
		t.Errorf("%+v", task)
	}
	p.waitTask("t2", api.TaskDone)
	p.waitTask("t4", api.TaskDone)
	task := p.waitTask("t1", api.TaskDone) // "Continue where you left off."
	if task.Attempt != 2 || task.Result.Conversation != conversation || !strings.Contains(task.Result.Message, "Continue") {
		t.Errorf("%+v, wanted conversation %s", task, conversation)
	}
}

// TestTasksDatabaseDamaged: it is moved aside, the queue begins anew, and no id
// is given twice.
func TestTasksDatabaseDamaged(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	p.addTasks(api.NewTask{Prompt: "say one"})
	p.waitTask("t1", api.TaskDone)
	p.stopDaemon()
	file, err := os.OpenFile(p.paths.Database(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(strings.Repeat("damage ", 100)), 0); err != nil {
		t.Fatal(err)
	}
	file.Close()
	p.run()
	if types := p.eventTypes(""); !strings.Contains(types, api.EventStoreMoved) {
		t.Error(types)
	}
	list := p.addTasks(api.NewTask{Prompt: "say two"})
	if list[0].ID != "t2" {
		t.Errorf("the task is called %s again", list[0].ID)
	}
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	if task := p.waitTask("t2", api.TaskDone); task.Result.Message != "two" {
		t.Errorf("%+v", task)
	}
	if moved, _ := os.ReadDir(p.paths.State); !strings.Contains(toJSON(t, names(moved)), "damaged") {
		t.Error("the damaged database is gone")
	}
}

func names(list []os.DirEntry) (out []string) {
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// TestTasksDiskFull runs a daemon whose files cannot grow: what cannot be saved is
// refused, and nothing that was accepted is lost.
func TestTasksDiskFull(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.env = []string{"CCDIR_TEST_FSIZE=1500000"}
	p.spawn()
	accepted := map[string]bool{}
	var refused error
	for i := 0; i < 2000 && refused == nil; i++ {
		var list []api.Task
		refused = p.try("POST", "/v1/tasks", p.fillTasks([]api.NewTask{{Prompt: strings.Repeat("x", 10_000)}}), &list)
		for _, task := range list {
			accepted[task.ID] = true
		}
	}
	if refused == nil || !strings.Contains(refused.Error(), "not") || api.CodeOf(refused) != api.CodeInternal {
		t.Fatalf("after %d tasks: %v", len(accepted), refused)
	}
	check := func() {
		t.Helper()
		var list []api.Task
		p.call("GET", "/v1/tasks", nil, &list)
		if len(list) != len(accepted) {
			t.Errorf("%d tasks are there, %d were accepted", len(list), len(accepted))
		}
		for _, task := range list {
			if !accepted[task.ID] {
				t.Errorf("%s was refused", task.ID)
			}
		}
	}
	check()
	p.kill9()
	p.env = nil
	p.spawn()
	check()
	if list := p.addTasks(api.NewTask{Prompt: "say room again"}); accepted[list[0].ID] {
		t.Errorf("%s is given twice", list[0].ID)
	}
}

// TestTaskSessionsCleared: ended sessions of tasks do not pile up, and what they
// wrote can still be read.
func TestTaskSessionsCleared(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(6)})
	p.addTasks(api.NewTask{Prompt: "say the first of them"})
	p.waitTask("t1", api.TaskDone)
	const taskRows = 20 // those of history
	list := make([]api.NewTask, taskRows+1)
	for i := range list {
		list[i] = api.NewTask{Prompt: "say hello", Kind: api.TaskPrint}
	}
	for _, task := range p.addTasks(list...) {
		p.waitTask(task.ID, api.TaskDone)
	}
	var sessions []api.Session
	until(t, "the oldest rows to go", func() bool {
		p.call("GET", "/v1/sessions", nil, &sessions)
		return len(sessions) == taskRows
	})
	var logs api.TaskLogs
	if p.call("GET", "/v1/tasks/t1/logs", nil, &logs); !strings.Contains(logs.Screen, "the first of them") || strings.ContainsRune(logs.Screen, 0x1b) {
		t.Errorf("%+v", logs)
	}
	if p.call("GET", "/v1/tasks/t2/logs", nil, &logs); !strings.Contains(logs.Stdout, "hello") {
		t.Errorf("%+v", logs)
	}
	// A one-shot run is not started again by hand.
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+p.task("t22").Session+"/restart", nil)
}

// TestTasksGivePanesBack: the session of a task that is done leaves the list by itself,
// what it showed can be read, and that of a failed task stays.
func TestTasksGivePanesBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(demoAgents)
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(2)})
	list := p.addTasks(api.NewTask{Prompt: "say a heron"}, api.NewTask{Prompt: "say an ibis", Kind: api.TaskPrint}, api.NewTask{Prompt: "crash 3"})
	done, printed := p.waitTask(list[0].ID, api.TaskDone), p.waitTask(list[1].ID, api.TaskDone)
	failed := p.waitTask(list[2].ID, api.TaskFailed)
	var sessions []api.Session
	until(t, "the panes of what is done to go", func() bool {
		p.call("GET", "/v1/sessions", nil, &sessions)
		return len(sessions) == 1
	})
	if sessions[0].ID != failed.Session || !sessions[0].Unread {
		t.Errorf("kept: %+v", sessions)
	}
	for _, task := range []api.Task{done, printed} {
		if now := p.task(task.ID); now.Session != task.Session || now.Result.ExitCode == nil || now.Result.Message == "" {
			t.Errorf("%+v", now)
		}
	}
	var logs api.TaskLogs
	if p.call("GET", "/v1/tasks/t1/logs", nil, &logs); !strings.Contains(logs.Screen, "a heron") {
		t.Errorf("%+v", logs)
	}
	if p.call("GET", "/v1/tasks/t2/logs", nil, &logs); !strings.Contains(logs.Stdout, "an ibis") {
		t.Errorf("%+v", logs)
	}
	var tr api.Transcript
	if p.call("GET", "/v1/history/t1", nil, &tr); !strings.Contains(tr.ANSI, "a heron") {
		t.Errorf("%+v", tr)
	}
}

// TestSearchRunning: a search finds words in screen and scrollback of running sessions,
// each line once, and names the sessions that could not be searched.
func TestSearchRunning(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Name: "long", Argv: sh("i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo line $i of the heron; done; echo same bittern; echo same bittern; exec sleep 1000")})
	other := p.create(api.NewSession{Name: "other", Argv: sh("echo ready; exec sleep 1000")})
	search := func(words string, missing int) (hits []api.SearchHit) {
		until(t, "all hosts but some to answer in time", func() bool {
			hits = nil
			p.call("GET", "/v1/search?q="+url.QueryEscape(words), nil, &hits)
			left := 0
			for _, h := range hits {
				if h.Kind == api.HitLeftOut {
					left++
				}
			}
			hits = slices.DeleteFunc(hits, func(h api.SearchHit) bool { return h.Kind == "event" }) // what was started has the words, too
			return left == missing
		})
		return hits
	}
	until(t, "the last line", func() bool { return len(search("same bittern", 0)) == 1 })
	if hits := search("line 7 HERON", 1); len(hits) == 0 || hits[0].Kind != api.HitPane || hits[0].ID != s.ID || hits[0].Line != "line 297 of the heron" {
		t.Errorf("in the scrollback: %+v", hits)
	}
	if hits := search("of the heron", 1); len(hits) != 11 || hits[10].Line != "290 more lines, which are older" || hits[0].Line != "line 300 of the heron" {
		t.Errorf("the newest ten: %+v", hits)
	}
	until(t, "the other one", func() bool { return len(search("ready", 0)) == 1 })
	pid := p.get("other").HostPID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	hits := search("bittern", 1)
	if len(hits) != 2 || hits[0].Kind != api.HitPane || hits[1].Kind != api.HitLeftOut || hits[1].ID != other.ID || !strings.Contains(hits[1].Line, "did not answer in time") {
		t.Errorf("with a host that does not answer: %+v", hits)
	}
}
