package web

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

func (p *place) Looked(_ context.Context, ref, head string) error {
	p.note("looked " + ref + " " + head)
	return nil
}

func (p *place) Comments(context.Context, string) ([]api.ReviewComment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.comments), nil
}

func (p *place) AddComment(_ context.Context, ref string, n api.NewComment, request string) (api.ReviewComment, error) {
	p.note(fmt.Sprintf("comment %s %s:%d-%d %s %s %v %s %s", ref, n.Path, n.Line, n.End, n.Side, n.Text, n.Question, n.Scope, strings.TrimLeft(request[strings.LastIndexByte(request, '-')+1:], "-")))
	return api.ReviewComment{}, nil
}

func (p *place) DropComment(_ context.Context, ref, id string) error {
	p.note("drop " + ref + " " + id)
	return nil
}

func (p *place) SendComments(_ context.Context, ref string, in api.SendComments) (api.SentComments, error) {
	p.note(fmt.Sprintf("send %s %s %v %v", ref, in.Words, in.Reviewer, strings.HasSuffix(in.Request, "send-1")))
	return api.SentComments{Round: 2, Comments: make([]api.ReviewComment, 3)}, nil
}

func (p *place) SendPlan(_ context.Context, ref string, in api.SendComments, refuse func(request, message string) error) (api.SentComments, error) {
	p.note(fmt.Sprintf("plan %s %s %s", ref, in.Words, in.Scope))
	return api.SentComments{Round: 2, Comments: make([]api.ReviewComment, 2)}, refuse("q1", "1. the plan:3")
}

func (p *place) Attach(_ context.Context, session, name string, data []byte) (string, error) {
	p.note("attach " + session + " " + name + " " + string(data))
	return "/kept/" + name, nil
}

// TestReview: comments stand at their lines with what became of them; a line leads to the form of a
// comment, without script; drafts are sent together.
func TestReview(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle})
	p.comments = []api.ReviewComment{
		{ID: "c1", Path: "a<b>.go", Line: 3, End: 3, Side: api.SideNew, Text: "why <so>?", State: api.CommentAnswered, Round: 1, Reply: "because <of>"},
		{ID: "c2", Path: "a<b>.go", Text: "the whole file", State: api.CommentDraft},
		{ID: "c3", Path: "gone.go", Line: 9, End: 9, Side: api.SideOld, Text: "of before", State: api.CommentUntouched, Round: 1, Stale: true},
	}
	b := p.paired(api.WebType, true)
	_, body := b.get("/sessions/s1/changes?scope=session")
	if n := strings.Count(body, "why &lt;so&gt;?"); n != 2 {
		t.Errorf("the comment stands %d times, want at its line and in the list:\n%s", n, body)
	}
	link := `href="/sessions/s1/changes?line=3&amp;on=1&amp;path=a%3Cb%3E.go&amp;scope=session&amp;side=new#write"`
	for _, want := range []string{"because &lt;of&gt;", "<strong>answered</strong> · round 1", "<strong>untouched</strong>", "its lines were others", "Send 1 to one", link, `action="/sessions/s1/comments/c2/drop"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q:\n%s", want, body)
		}
	}
	page := "/sessions/s1/changes?line=3&on=1&path=a%3Cb%3E.go&scope=session&side=new"
	if _, body := b.get(page); strings.Count(body, `id="write"`) != 1 || !strings.Contains(body, `name="path" value="a&lt;b&gt;.go"`) || !strings.Contains(body, "Comment on line 3") {
		t.Errorf("the form:\n%s", body)
	}
	for path, fields := range map[string][]string{
		"/sessions/s1/comments":         {"path", "a<b>.go", "line", "3", "end", "4", "side", "new", "text", "do\r\nit", "question", "1", "scope", "session", "id", "7"},
		"/sessions/s1/comments/c2/drop": {"scope", "session"},
		"/sessions/s1/comments/send":    {"text", "please", "to", "reviewer", "id", "send-1"},
		"/sessions/s1/changes/seen":     {"head", "abc"},
	} {
		if status, body := b.send(page, path, fields...); status != http.StatusOK || !strings.Contains(body, `"next":"/sessions/s1/changes?scope=`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := b.send(page, "/sessions/s1/comments", "text", "x", "line", "y"); status != http.StatusBadRequest {
		t.Errorf("a line that is none: %d", status)
	}
	p.mu.Lock()
	asked := slices.Sorted(slices.Values(p.asked))
	p.mu.Unlock()
	if want := []string{"comment s1 a<b>.go:3-4 new do\nit true session 7", "drop s1 c2", "looked s1 abc", "send s1 please true true"}; !slices.Equal(asked, want) {
		t.Errorf("%q, want %q", asked, want)
	}
	seer := p.paired(api.WebApprove, false)
	if _, body := seer.get(page); strings.Contains(body, `id="write"`) || strings.Contains(body, "/drop") || strings.Contains(body, "on=1") {
		t.Errorf("a device that may not type can comment:\n%s", body)
	}
}

// TestReviewOfPlan: a plan that waits is a scope, with the comments on it, and they refuse it.
func TestReviewOfPlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StatePermission})
	p.ask("q1", api.ToolPlan, `{"plan":"x"}`)
	p.mu.Lock()
	p.requests[0].Kind = api.RequestPlan
	p.mu.Unlock()
	p.comments = []api.ReviewComment{
		{ID: "c1", Path: api.PlanPath, Line: 3, End: 3, Side: api.SideNew, Text: "tests first", State: api.CommentDraft, Scope: api.DiffPlan, Head: "q1"},
		{ID: "c2", Path: "a<b>.go", Text: "of the files", State: api.CommentDraft},
	}
	b := p.paired(api.WebType, true)
	_, body := b.get("/sessions/s1/changes?scope=plan")
	for want, is := range map[string]bool{"tests first": true, "of the files": false, "Refuse the plan with 1": true, "changes?scope=plan": true, "I have seen this": false, "new reviewer": false} {
		if strings.Contains(body, want) != is {
			t.Errorf("%q: %v:\n%s", want, !is, body)
		}
	}
	if _, body := b.get("/sessions/s1/changes?scope=session"); strings.Contains(body, "tests first") || !strings.Contains(body, "changes?scope=plan") {
		t.Errorf("the files:\n%s", body)
	}
	if status, body := b.send("/sessions/s1/changes?scope=plan", "/sessions/s1/comments/send", "scope", "plan", "text", "please", "id", "1"); status != http.StatusOK || !strings.Contains(body, "refused with 2 comments") {
		t.Errorf("%d %s", status, body)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.answers) != 1 || p.answers[0].Behavior != api.AnswerDeny || p.answers[0].Message != "1. the plan:3" || p.answers[0].Client == "" {
		t.Errorf("answered %+v", p.answers)
	}
}

// TestAttach: a file comes with a prompt, in a form without script too, and the prompt says where it is.
func TestAttach(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateIdle})
	p.turns = []api.Turn{{Turn: 1, Prompt: "earlier <one>"}, {Turn: 2, Prompt: "later one"}, {Turn: 3, Prompt: "earlier <one>"}}
	b := p.paired(api.WebType, false)
	_, body := b.get("/sessions/s1")
	if first, second := strings.Index(body, "<span>earlier &lt;one&gt;</span>"), strings.Index(body, "<span>later one</span>"); first < 0 || second < first || strings.Count(body, "<span>earlier") != 1 {
		t.Errorf("the earlier prompts:\n%s", body)
	}
	upload := func(b *browser, ref, name, content string) (int, string) {
		var out bytes.Buffer
		form := multipart.NewWriter(&out)
		for field, value := range map[string]string{"token": b.token("/"), "text": "look at this", "when": "now"} {
			if err := form.WriteField(field, value); err != nil {
				t.Fatal(err)
			}
		}
		if name != "" {
			file, err := form.CreateFormFile("file", name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		return b.raw("/sessions/"+ref+"/prompt", form.FormDataContentType(), out.String())
	}
	if status, body := upload(b, "s1", "shot.png", "PNG"); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	if status, body := upload(b, "s1", "", ""); status != http.StatusSeeOther {
		t.Errorf("without a file: %d %s", status, body)
	}
	if status, _ := upload(b, "gpu%2Fs1", "shot.png", "PNG"); status != http.StatusConflict {
		t.Errorf("for another machine: %d", status)
	}
	if status, _ := upload(b, "s1", "big", strings.Repeat("x", maxUpload)); status != http.StatusBadRequest {
		t.Errorf("too large: %d", status)
	}
	if status, _ := upload(p.paired(api.WebApprove, false), "s1", "shot.png", "PNG"); status != http.StatusForbidden {
		t.Errorf("by a device that may not type: %d", status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.asked, []string{"attach s1 shot.png PNG"}) || len(p.prompts) != 2 || p.prompts[0] != "s1: look at this\n\nAttached file: /kept/shot.png ()" || p.prompts[1] != "s1: look at this ()" {
		t.Errorf("%q, %q", p.asked, p.prompts)
	}
}
