package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
)

// The fakes are a ccdir with two sessions, s1 (the caller) and s2.
type (
	fakeSessions struct {
		sent, progress, stopped string
		spawned                 api.NewSession
	}
	fakeTasks    struct{ added api.NewTask }
	fakeMessages struct {
		to, text string
		acked    []int64
	}
	fakeAsker struct {
		asked Question
		reply Reply
	}
	fakePast struct{ q PastQuery }
)

func (f *fakeSessions) List() []api.Session {
	return []api.Session{{ID: "s1", Name: "one", Role: "dev", State: api.StateWorking}, {ID: "s2", Name: "two", Role: "dev", State: api.StateWorking}}
}

func (f *fakeSessions) Get(_ context.Context, ref string) (api.Session, error) {
	for _, s := range f.List() {
		if s.ID == ref || s.Name == ref {
			return s, nil
		}
	}
	return api.Session{}, api.Errorf(api.CodeNotFound, "no session %q", ref)
}

func (f *fakeSessions) Output(context.Context, string, bool) (string, error) {
	return "a\nb\nc\n\n", nil
}

func (f *fakeSessions) Spawn(_ context.Context, _ Caller, n api.NewSession) (api.Session, error) {
	f.spawned = n
	return api.Session{ID: "s3", Name: n.Name}, nil
}

func (f *fakeSessions) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	f.sent = ref + ": " + p.Text
	if p.Text == "never" {
		<-ctx.Done()
		return api.SendResult{}, ctx.Err()
	}
	return api.SendResult{Status: "delivered"}, nil
}

func (f *fakeSessions) Wait(ctx context.Context, ref string, ok func(api.Session) bool) (api.Session, error) {
	if s, _ := f.Get(ctx, ref); ok(s) {
		return s, nil
	}
	<-ctx.Done()
	return api.Session{}, ctx.Err()
}

func (f *fakeSessions) Stop(ctx context.Context, ref string, _ bool) (api.Session, error) {
	f.stopped = ref
	return f.Get(ctx, ref)
}

func (f *fakeSessions) Progress(_ context.Context, id, text string) error {
	f.progress = id + ": " + text
	return nil
}

func (f *fakeTasks) Add(_ context.Context, _ Caller, n api.NewTask) (api.Task, error) {
	f.added = n
	return api.Task{ID: "t1", NewTask: n, State: api.TaskQueued}, nil
}

func (f *fakeTasks) List(context.Context) ([]api.Task, error) {
	return []api.Task{{ID: "t1", State: api.TaskQueued}, {ID: "t2", State: api.TaskDone}}, nil
}

func (f *fakeTasks) Get(_ context.Context, ref string) (api.Task, error) {
	return api.Task{ID: ref, State: api.TaskDone, Result: api.TaskResult{Message: "all green"}}, nil
}

func (f *fakeMessages) Send(_ context.Context, _ Caller, to, text string, _ int64) (api.Message, error) {
	f.to, f.text = to, text
	return api.Message{ID: 7, To: to}, nil
}

func (f *fakeMessages) Inbox(context.Context, string, bool, int) ([]api.Message, error) {
	return nil, nil
}

func (f *fakeMessages) Ack(_ context.Context, _ string, ids []int64) (int, error) {
	f.acked = ids
	return len(ids), nil
}

func (f *fakeAsker) Ask(_ context.Context, _ Caller, q Question) (Reply, error) {
	f.asked = q
	return f.reply, nil
}

func (f *fakePast) Search(_ context.Context, q PastQuery) ([]PastResult, error) {
	f.q = q
	return nil, nil
}

type fakes struct {
	sessions fakeSessions
	tasks    fakeTasks
	messages fakeMessages
	asker    fakeAsker
	past     fakePast
	docs     fakeDocs
	forge    fakeForge
	reviews  fakeReviews
}

// fakeReviews have two rounds of comments.
type fakeReviews struct {
	replied string
	added   api.NewComment
	author  string
	turn    api.ReviewDiff
	root    string
}

func (f *fakeReviews) Turn(context.Context, string, api.DiffQuestion) (api.ReviewDiff, string, error) {
	return f.turn, f.root, nil
}

func (f *fakeReviews) CommentsFor(_ context.Context, session string) ([]api.ReviewComment, error) {
	return []api.ReviewComment{{ID: "c1", Session: session, Round: 1}, {ID: "c2", Session: session, Round: 2, Path: "a.go", Line: 3, End: 3, Quote: []string{"x := 1"}, Text: "why?", Question: true}}, nil
}

func (f *fakeReviews) Reply(_ context.Context, session, id, text string) (api.ReviewComment, error) {
	f.replied = session + " " + id + " " + text
	return api.ReviewComment{ID: id, State: api.CommentAnswered, Reply: text}, nil
}

func (f *fakeReviews) Comment(_ context.Context, author, _ string, n api.NewComment, _ func(string) bool) (api.ReviewComment, error) {
	f.author, f.added = author, n
	return api.ReviewComment{ID: "c9", State: api.CommentDraft}, nil
}

// fakeForge has one issue and one pull request.
type fakeForge struct{}

func (fakeForge) Issue(_ context.Context, _ string, _ []string, n int) (ForgeIssue, error) {
	return ForgeIssue{Title: fmt.Sprint("issue ", n)}, nil
}

func (fakeForge) PullRequest(_ context.Context, _ string, _ []string, branch string) (api.PullRequest, bool, error) {
	return api.PullRequest{Number: 7, Title: branch, State: "open", Checks: api.ChecksFailing, Failing: []api.Check{{Name: "ci"}}}, branch != "other", nil
}

// fakeDocs has one piece.
type fakeDocs struct{}

func (fakeDocs) Lookup(_ context.Context, q api.DocsQuestion, _ func(string) bool) (api.DocsAnswer, error) {
	return api.DocsAnswer{Hits: []api.DocsHit{{ID: "go:std@go1.26#1", Symbol: q.Query, Package: q.Dir}}, Notes: []string{}}, nil
}

func (fakeDocs) Read(_ context.Context, _, id string, _ func(string) bool) (api.DocsHit, error) {
	return api.DocsHit{ID: id}, nil
}

func (f *fakes) control() Control {
	return Control{&f.sessions, &f.tasks, &f.messages, &f.asker, &f.past, &f.docs, &f.forge, &f.reviews}
}

func text(r callResult) string {
	if r.IsError {
		return "error: " + r.Content[0].Text
	}
	return string(r.StructuredContent)
}

func TestCoordination(t *testing.T) {
	f := &fakes{asker: fakeAsker{reply: Reply{Text: "red", Answered: true}}}
	dir := t.TempDir()
	c := dial(t, Options{Control: f.control()}, Caller{Session: "s1", Role: "lead", Dir: dir})
	c.initialize()
	for _, step := range []struct{ tool, args, want string }{
		{"sessions_list", `{}`, `"id":"s1"`},
		{"session_output", `{"session":"two","lines":2}`, `"text":"b\nc","truncated":true`},
		{"session_output", `{"session":"three"}`, `error: no session "three"`},
		{"session_wait", `{"session":"two","states":["working"]}`, `"reached":true`},
		{"session_wait", `{"session":"two","timeout_seconds":1}`, `two is still working after 1s`},
		{"session_wait", `{"session":"one"}`, `error: a session can't wait for itself`},
		{"session_wait", `{"session":"two","states":["asleep"]}`, `error: no state is called "asleep"`},
		{"session_spawn", `{"name":"new","prompt":"go"}`, `"id":"s3"`},
		{"session_spawn", `{"dir":"/"}`, `error: / lies outside the allowed directories`},
		{"session_send", `{"session":"two","text":"never","wait":true,"timeout_seconds":1}`, `error: two did not take the prompt within 1s`},
		{"session_send", `{"session":"two","text":"x","timeout_seconds":3601}`, `error: timeout_seconds must be`},
		{"session_send", `{"session":"two","text":"hello"}`, `"status":"delivered"`},
		{"session_send", `{"session":"s1","text":"hello"}`, `error: this is your own session`},
		{"session_stop", `{"session":"two"}`, `"id":"s2"`},
		{"report_progress", `{"text":"reading"}`, `"ok":true`},
		{"task_add", `{"prompt":"do it","after":["t0"]}`, `"id":"t1"`},
		{"task_list", `{"states":["done"]}`, `{"tasks":[{"id":"t2"`},
		{"task_list", `{"states":["eaten"]}`, `error: no state of a task`},
		{"task_result", `{"task":"t9"}`, `"message":"all green"`},
		{"message_send", `{"to":"two","text":"hi"}`, `{"id":7,"to":"two","sent":[{"id":7,"to":"two"}]}`},
		{"message_send", `{"to":"@dev","text":"hi"}`, `"sent":[{"id":7,"to":"s2"}`},
		{"message_send", `{"to":"@nobody","text":"hi"}`, `error: no other session of the role`},
		{"session_spawn", `{"name":"w","prompts":["a","b"],"role":"dev"}`, `"name":"w-2"`},
		{"session_spawn", `{"prompt":"a","prompts":["b"]}`, `error: prompt and prompts exclude`},
		{"message_send", `{"to":"two","text":" "}`, `error: text must be`},
		{"message_inbox", `{}`, `{"messages":[]}`},
		{"message_ack", `{"ids":[7]}`, `{"acked":1}`},
		{"ask_person", `{"question":"colour?","choices":["red","blue"]}`, `{"answer":"red","by":"person"}`},
		{"ask_person", `{"question":"colour?","choices":["red"],"default":"green"}`, `error: default must be one of choices`},
		{"review_comments", `{}`, `{"comments":[{"id":"c2","session":"s1","path":"a.go","line":3,"end":3,"side":"","lines":["x := 1"],"text":"why?","question":true,`},
		{"review_comments", `{"all":true}`, `{"comments":[{"id":"c1"`},
		{"review_reply", `{"id":"c2","text":"for y"}`, `"state":"answered","round":0,"reply":"for y"`},
		{"review_add", `{"session":"one","path":"a.go","text":"mine"}`, `error: that is your own work`},
		{"review_add", `{"session":"two","path":"a.go","text":"seen","scope":"seen"}`, `error: scope is turn`},
		{"review_add", `{"session":"two","path":"a.go","line":3,"text":"twice"}`, `"id":"c9"`},
		{"past_results", `{"text":"undefined","failed":true}`, `{"results":[]}`},
	} {
		if got := text(c.call(step.tool, json.RawMessage(step.args))); !strings.Contains(got, step.want) {
			t.Errorf("%s %s: %s, want %s", step.tool, step.args, got, step.want)
		}
	}
	if f.sessions.spawned.CWD != dir || f.sessions.sent != "s2: hello" || f.sessions.stopped != "s2" || f.sessions.progress != "s1: reading" ||
		f.tasks.added.CWD != dir || f.asker.asked.Call != "toolu_1" || f.past.q.Dir != dir || !f.past.q.Failed || f.reviews.replied != "s1 c2 for y" || f.reviews.author != "s1" || f.reviews.added.Line != 3 {
		t.Errorf("got %+v", f)
	}
	f.asker.reply = Reply{}
	if got := text(c.call("ask_person", json.RawMessage(`{"question":"q","default":"d"}`))); got != `{"answer":"d","by":"default"}` {
		t.Error(got)
	}
}

// TestRoles: what a role doesn't have is neither listed nor called.
func TestRoles(t *testing.T) {
	custom := func(role string) []string {
		return map[string][]string{"reviewer": {"read", api.GroupCoordination}, "guest": {"read", "message_send", api.GroupSessions}}[role]
	}
	for _, tt := range []struct {
		role      string
		roleTools func(string) []string
		has, not  []string
	}{
		{"", nil, []string{"compile", "bash"}, []string{"sessions_list", "message_send", "session_spawn", "ask_person", "past_results"}},
		{"guest", nil, []string{"read", "run"}, []string{"sessions_list", "task_add"}},
		{"guest", custom, []string{"read"}, []string{"write", "message_send", "session_stop"}},
		{"dev", nil, []string{"compile", "message_send", "task_add"}, []string{"session_spawn", "session_send", "session_stop"}},
		{"lead", custom, []string{"session_spawn", "compile"}, nil},
		{"reviewer", custom, []string{"read", "task_list"}, []string{"write", "bash", "session_spawn"}},
		{"reviewer", nil, []string{"read", "git_diff", "review_add", "review_comments"}, []string{"write", "edit", "bash", "run", "test", "format", "task_add", "session_send"}},
		{"stranger", custom, []string{"compile"}, []string{"session_spawn"}},
	} {
		f := &fakes{}
		c := dial(t, Options{Control: f.control(), RoleTools: tt.roleTools}, Caller{Session: "s1", Role: tt.role, Dir: t.TempDir()})
		c.initialize()
		list := string(c.request("tools/list", `{}`).Result)
		for _, name := range tt.has {
			if !strings.Contains(list, `"name":"`+name+`"`) {
				t.Errorf("%q lacks %s", tt.role, name)
			}
		}
		for _, name := range tt.not {
			if strings.Contains(list, `"name":"`+name+`"`) {
				t.Errorf("%q lists %s", tt.role, name)
			}
			if got := text(c.call(name, json.RawMessage(`{"session":"two","to":"two","text":"x"}`))); !strings.Contains(got, "not found") {
				t.Errorf("%q called %s: %s", tt.role, name, got)
			}
		}
	}
}
