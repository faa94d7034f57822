package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// do makes a call and returns the answer with its body.
func (p *place) do(method, path, kind, body string) (*http.Response, []byte) {
	p.t.Helper()
	req, err := http.NewRequest(method, "http://ccdir"+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp, data
}

// TestRefusals: what is wrong with a call is said as code and message, with the
// status of the code.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	const js = "application/json"
	for _, c := range []struct {
		method, path, kind, body string
		code                     api.Code
		says                     string
	}{
		{"GET", "/v1/nothing", "", "", api.CodeNotFound, "no GET"},
		{"GET", "/", "", "", api.CodeNotFound, "no GET"},
		{"GET", "/v1/sessions/", "", "", api.CodeNotFound, "no GET"},
		{"GET", "/v1//sessions", "", "", api.CodeNotFound, "no GET"},
		{"POST", "/v1/sessions/../sessions", js, "{}", api.CodeNotFound, "no POST"},
		{"PATCH", "/v1/sessions", "", "", api.CodeMethod, "GET, HEAD, POST"},
		{"GET", "/v1/sessions/x/input", "", "", api.CodeMethod, "it has POST"},
		{"POST", "/v1/sessions", "application/x-www-form-urlencoded", "cwd=/", api.CodeMediaType, "Content-Type: application/json"},
		{"POST", "/v1/sessions", "text/plain", "{}", api.CodeMediaType, "JSON"},
		{"POST", "/v1/sessions", js, "{\"cwd\": \"/\",\n  \"cols\": x}", api.CodeInvalid, "line 2, byte 11"},
		{"POST", "/v1/sessions", js, `{"cols": "wide"}`, api.CodeInvalid, `the field "cols" is a string`},
		{"POST", "/v1/sessions", js, `{"cwd": "/", "colls": 80}`, api.CodeInvalid, `the field "colls"`},
		{"POST", "/v1/tasks", js, `[{"prompt": "a", "cwd": "/", "colour": {"a": 1}}]`, api.CodeInvalid, `the field "colour"`},
		{"POST", "/v1/sessions", js, `[]`, api.CodeInvalid, "it is an array and not object"},
		{"POST", "/v1/sessions", js, `{} {}`, api.CodeInvalid, "line 1, byte 4"},
		{"POST", "/v1/sessions", js + "; charset=utf-8", `{}`, api.CodeInvalid, "not absolute"},
		{"POST", "/v1/sessions", js, `{"cwd": "/", "request": "a b"}`, api.CodeInvalid, "printable"},
		{"POST", "/v1/shutdown", js, `"` + strings.Repeat("x", 1<<20) + `"`, api.CodeTooLarge, "1048576"},
		{"GET", "/v1/sessions?limit=0", "", "", api.CodeInvalid, "limit must be a number, 1 or more"},
		{"GET", "/v1/sessions?after=nobody", "", "", api.CodeInvalid, "nobody"},
		{"GET", "/v1/sessions?state=happy", "", "", api.CodeInvalid, "starting, idle"},
		{"GET", "/v1/tasks?state=happy", "", "", api.CodeInvalid, "queued"},
		{"GET", "/v1/events?since=1&before=9", "", "", api.CodeInvalid, "one of"},
		{"GET", "/v1/events?wait=2h", "", "", api.CodeInvalid, "1h0m0s"},
		{"GET", "/v1/events/stream?limit=3", "", "", api.CodeInvalid, "stream"},
		{"GET", "/v1/history?before=now", "", "", api.CodeInvalid, "2006-01-02"},
		{"POST", "/v1/sessions/x/reply", js, `{"behavior":"allow"}`, api.CodeNotFound, "no session"},
	} {
		resp, data := p.do(c.method, c.path, c.kind, c.body)
		var e api.Error
		if err := json.Unmarshal(data, &e); err != nil {
			t.Errorf("%s %s: %s %s", c.method, c.path, resp.Status, data)
			continue
		}
		if e.Code != c.code || resp.StatusCode != c.code.Status() || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s %s: %s %s, want %s and %q", c.method, c.path, resp.Status, data, c.code, c.says)
		}
		if allow := resp.Header.Get("Allow"); (allow != "") != (c.code == api.CodeMethod) {
			t.Errorf("%s %s: Allow %q", c.method, c.path, allow)
		}
	}
	if resp, _ := p.do("OPTIONS", "/v1/tasks", "", ""); resp.StatusCode != http.StatusNoContent || resp.Header.Get("Allow") != "DELETE, GET, HEAD, POST" {
		t.Errorf("OPTIONS: %s, Allow %q", resp.Status, resp.Header.Get("Allow"))
	}
}

// TestCreateOnce: calls with the same request make one session, at the same time
// and from a later daemon.
func TestCreateOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	n := api.NewSession{CWD: p.paths.Home, Argv: sh("sleep 60"), Env: []string{"PATH=" + os.Getenv("PATH")}, Request: "one:1"}
	var wg sync.WaitGroup
	ids := make([]string, 4)
	created := make([]bool, len(ids))
	body := toJSON(t, n)
	for i := range ids {
		wg.Go(func() {
			resp, data := p.do("POST", "/v1/sessions", "application/json", body)
			var s api.Session
			if err := json.Unmarshal(data, &s); err != nil || resp.Header.Get("Location") != "/v1/sessions/"+s.ID {
				t.Errorf("%s %s", resp.Status, data)
			}
			ids[i], created[i] = s.ID, resp.StatusCode == http.StatusCreated
		})
	}
	wg.Wait()
	if slices.Sort(ids); ids[0] != ids[3] || len(slices.DeleteFunc(created, func(c bool) bool { return !c })) != 1 {
		t.Fatalf("sessions %v, %d created", ids, len(created))
	}
	p.stopDaemon()
	p.run()
	var again api.Session
	if p.call("POST", "/v1/sessions", n, &again); again.ID != ids[0] {
		t.Errorf("another daemon made %s beside %s", again.ID, ids[0])
	}
	n.Request = "one:2"
	if p.call("POST", "/v1/sessions", n, &again); again.ID == ids[0] {
		t.Error("another request got the same session")
	}
}

// TestCreateWithoutEnvironment: who tells none, as a call of curl, gets the daemon's.
func TestCreateWithoutEnvironment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	resp, data := p.do("POST", "/v1/sessions", "application/json", `{"name": "bare", "cwd": "/", "argv": ["sh", "-c", "echo path=$PATH; read x"]}`)
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", resp.Status, data)
	}
	until(t, "the program", func() bool { return strings.Contains(p.screen("bare"), "path=/") })
}

// TestPages: lists go on where the Link header says.
func TestPages(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	for range 3 {
		p.create(api.NewSession{Argv: sh("sleep 60")})
	}
	p.call("POST", "/v1/tasks", []api.NewTask{{Prompt: "a", CWD: "/", Labels: []string{"x"}}, {Prompt: "b", CWD: "/"}, {Prompt: "c", CWD: "/", Labels: []string{"x"}}}, nil)
	whole := func(path string) (elements, pages int) {
		t.Helper()
		for path != "" {
			resp, data := p.do("GET", path, "", "")
			conform(t, "GET", path, resp.StatusCode, data)
			var list []json.RawMessage
			if err := json.Unmarshal(data, &list); err != nil || len(list) > 2 {
				t.Fatalf("%s: %s %.300s", path, resp.Status, data)
			}
			elements, pages = elements+len(list), pages+1
			link, _, _ := strings.Cut(strings.TrimPrefix(resp.Header.Get("Link"), "<"), ">")
			path = link
			if pages > 100 {
				t.Fatal("it does not end")
			}
		}
		return elements, pages
	}
	for path, want := range map[string]int{"/v1/sessions?limit=2": 3, "/v1/sessions?limit=2&state=lost,exited": 0, "/v1/tasks?limit=2": 3, "/v1/tasks?limit=2&label=x": 2} {
		if got, _ := whole(path); got != want {
			t.Errorf("%s: %d elements, want %d", path, got, want)
		}
	}
	all := len(p.events())
	for _, path := range []string{"/v1/events?limit=2&since=0", "/v1/events?limit=2"} {
		if got, pages := whole(path); got < all || pages < all/2 {
			t.Errorf("%s: %d events on %d pages of %d", path, got, pages, all)
		}
	}
}

// TestLongPolls: a call waits for what is not there yet, and no longer.
func TestLongPolls(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	seq := len(p.events())
	var events []api.Event
	began := time.Now()
	p.call("GET", "/v1/events?wait=50ms", nil, &events)
	if len(events) != 0 || time.Since(began) < 50*time.Millisecond {
		t.Errorf("%d events after %s", len(events), time.Since(began))
	}
	got := make(chan []api.Event, 1)
	go func() {
		var events []api.Event
		p.call("GET", "/v1/events?wait=60s&type=session.created", nil, &events)
		got <- events
	}()
	// The poll may begin after the first event: then it waits for the next one.
	var made []string
	for events = nil; events == nil; {
		made = append(made, p.create(api.NewSession{Argv: sh("sleep 60")}).ID)
		select {
		case events = <-got:
		case <-time.After(time.Second):
		}
	}
	if len(events) == 0 || !slices.Contains(made, events[0].Session) || events[0].Seq <= int64(seq) {
		t.Errorf("got %+v for %v", events, made)
	}
	var requests []api.Request
	if p.call("GET", "/v1/approvals?wait=20ms", nil, &requests); requests == nil || len(requests) > 0 {
		t.Errorf("got %v", requests)
	}
}

// TestLines: screen and history as cells, while the process runs and after its
// end.
func TestLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh(`for i in $(seq 0 49); do echo line $i; done; printf 'a \033[1;31mred\033[m b'; read x`), Cols: 40, Rows: 10})
	until(t, "the output", func() bool { return strings.HasSuffix(strings.TrimSpace(p.screen(s.ID)), "b") })
	check := func() {
		t.Helper()
		var out api.Screen
		p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=json", nil, &out)
		if out.Cols != 40 || out.Rows != 10 || len(out.Lines) != 10 || out.Total != 41 || out.Lines[0].Line != 41 || out.Lines[0].Text != "line 41" {
			t.Fatalf("the screen is %s", toJSON(t, out))
		}
		if cursor := toJSON(t, out.Cursor); cursor != `{"x":7,"y":9,"visible":true,"shape":0}` {
			t.Errorf("the cursor is %s", cursor)
		}
		if last := toJSON(t, out.Lines[9]); last != `{"line":50,"text":"a red b","runs":[{"x":2,"n":3,"fg":"1","flags":["bold"]}]}` {
			t.Errorf("the last line is %s", last)
		}
		for query, want := range map[string]string{"lines=3": "48 50", "lines=12": "39 50", "from=5&lines=3": "5 7", "from=39&lines=4": "39 42", "from=45": "45 50", "lines=1000": "0 50", "from=0&lines=1000": "0 50"} {
			p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=json&"+query, nil, &out)
			if len(out.Lines) == 0 {
				t.Errorf("%s gives nothing", query)
				continue
			}
			if got := toJSON(t, out.Lines[0].Line) + " " + toJSON(t, out.Lines[len(out.Lines)-1].Line); got != want {
				t.Errorf("%s gives lines %s, want %s", query, got, want)
			}
		}
	}
	check()
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Data: []byte("\r")}, nil)
	p.wait(s.ID, api.StateExited)
	var out api.Screen
	p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=json&lines=1000", nil, &out)
	if len(out.Lines) < 51 || out.Cursor != nil || out.Lines[5].Text != "line 5" || out.Cols != 40 {
		t.Errorf("after the end: %s", toJSON(t, out))
	}
}

// TestRepos: work trees are found from the configuration, sessions and lately
// used directories, each once.
func TestRepos(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	repo := filepath.Join(p.paths.Home, "repo")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+p.paths.Home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(filepath.Join(repo, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "trunk")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "1\n")
	write(".gitattributes", "* filter=evil\n")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("worktree", "add", "-q", "-b", "side", filepath.Join(p.paths.Home, "side"))
	ran := filepath.Join(p.paths.Home, "ran")
	git("config", "filter.evil.clean", "touch "+ran+"; cat")
	git("config", "core.fsmonitor", "touch "+ran)
	write("a", "22\n")
	write("new", "")
	p.config("[[repos]]\nname = \"mine\"\npath = \"" + repo + "\"\n[[repos]]\nname = \"none\"\npath = \"" + p.paths.Config + "\"\n")
	p.run()
	s := p.create(api.NewSession{Argv: sh("sleep 60"), CWD: filepath.Join(repo, "sub")})
	p.create(api.NewSession{Argv: sh("sleep 60"), CWD: filepath.Join(p.paths.Home, "side")})
	var list []api.Repo
	p.call("GET", "/v1/repos?status=1", nil, &list)
	if len(list) != 3 {
		t.Fatalf("got %s", toJSON(t, list))
	}
	mine := list[0]
	if mine.Name != "mine" || mine.Path != repo || !mine.Configured || mine.Branch != "trunk" || len(mine.Commit) != 40 || !slices.Equal(mine.Sessions, []string{s.ID}) ||
		mine.Status == nil || mine.Status.NotCompared < 1 || *mine.Status != (api.RepoStatus{Untracked: 1, NotCompared: mine.Status.NotCompared}) {
		t.Errorf("got %s", toJSON(t, mine))
	}
	if list[1].Error == "" || list[1].Name != "none" {
		t.Errorf("got %s", toJSON(t, list[1]))
	}
	if side := list[2]; side.Name != "side" || side.Branch != "side" || !side.Linked || side.Commit != mine.Commit || side.Configured {
		t.Errorf("got %s", toJSON(t, side))
	}
	if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program of the repository's was run: %v", err)
	}
	if err := os.WriteFile(filepath.Join(repo, ".git", "MERGE_HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list = nil
	p.call("GET", "/v1/repos", nil, &list)
	if list[0].Operation != "merge" || list[0].Status != nil {
		t.Errorf("got %s", toJSON(t, list[0]))
	}
}

// TestReply: a reply answers the one thing that a session asks; of several it has
// to say which, and of none it is told so.
func TestReply(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("asks")
	path := "/v1/sessions/asks/reply"
	p.wantCode(api.CodeConflict, "POST", path, api.Reply{Behavior: api.AnswerAllow})
	one, first := p.ask(s, "r1", "make one")
	two, second := p.ask(s, "r2", "make two")
	p.wantCode(api.CodeAmbiguous, "POST", path, api.Reply{Behavior: api.AnswerAllow})
	p.wantCode(api.CodeNotFound, "POST", path, api.Reply{Request: "nothing", Behavior: api.AnswerAllow})
	p.wantCode(api.CodeInvalid, "POST", path, api.Reply{Request: one.ID, Behavior: "maybe"})
	p.wantCode(api.CodeInvalid, "POST", path, api.Reply{Request: one.ID, Text: "a permission has no text"})
	var d api.Decision
	p.call("POST", path, api.Reply{Request: one.ID, Behavior: api.AnswerDeny, Message: "not now"}, &d)
	if d.Request.ID != one.ID || d.By != api.ByPerson || d.Answer == nil || d.Answer.Client != "api" {
		t.Errorf("got %s", toJSON(t, d))
	}
	if r := <-first; r.err != nil || !strings.Contains(r.reply.Stdout, "not now") {
		t.Errorf("the first hook got %+v", r)
	}
	p.call("POST", path, api.Reply{Behavior: api.AnswerAllow}, &d) // the one that is left
	if r := <-second; d.Request.ID != two.ID || r.err != nil || !strings.Contains(r.reply.Stdout, "allow") {
		t.Errorf("the second hook got %+v", r)
	}
}
