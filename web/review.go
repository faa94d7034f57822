package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
)

// reviewLine is a line of a difference with its number on the side on which comments count it.
type reviewLine struct {
	api.ReviewLine
	N    int
	Side api.DiffSide
	// Link asks for the form of a comment on it; "" for devices that may not comment.
	Link string
	// Said are comments that end at this line; Here: the form of a comment stands below it.
	Said []api.ReviewComment
	Here bool
}

// reviewFile is a file of a difference.
type reviewFile struct {
	api.ReviewFile
	Hunks [][]reviewLine
	Link  string
	// Said are comments on the whole file; Here: a comment on it is being written.
	Said []api.ReviewComment
	Here bool
}

// spot is what a comment is about; path "" and on: the whole difference.
type spot struct {
	On   bool
	Path string
	Line int
	Side api.DiffSide
}

// reviewPage is what a session changed, and what was said of that.
type reviewPage struct {
	ID, Name string
	Scope    api.DiffScope
	Turn     int
	Scopes   []api.DiffScope
	Diff     api.ReviewDiff
	Files    []reviewFile
	Place    spot
	// Comments are all of the session's, newest round first; Drafts counts those that were not sent.
	Comments []api.ReviewComment
	Drafts   int
	May      bool
	OnPlan   bool // the plan that waits is shown
	Whole    string
	// Request names what a form of the page makes: sent twice, it is made once.
	Request, Token string
}

// Query is the part of an address that selects the difference.
func (p reviewPage) Query() string {
	q := url.Values{"scope": {string(p.Scope)}}
	if p.Turn > 0 {
		q.Set("turn", strconv.Itoa(p.Turn))
	}
	return q.Encode()
}

// link asks for the form of a comment.
func (p reviewPage) link(path string, side api.DiffSide, line int) string {
	if !p.May {
		return ""
	}
	q := url.Values{"scope": {string(p.Scope)}, "on": {"1"}, "path": {path}, "side": {string(side)}, "line": {strconv.Itoa(line)}}
	if p.Turn > 0 {
		q.Set("turn", strconv.Itoa(p.Turn))
	}
	return sessionPath(p.ID) + "/changes?" + q.Encode() + "#write"
}

// question is the difference that an address asks for.
func (p *reviewPage) question(c call) (api.DiffQuestion, error) {
	q := c.URL.Query()
	if p.Scope = api.DiffScope(q.Get("scope")); p.Scope == "" {
		p.Scope = api.DiffTurn
	}
	turn, err := numberField(c.URL, "turn")
	if err != nil {
		return api.DiffQuestion{}, err
	}
	line, err := numberField(c.URL, "line")
	p.Turn = int(turn)
	p.Place = spot{On: q.Get("on") != "" && p.May, Path: q.Get("path"), Line: int(line), Side: api.DiffSide(q.Get("side"))}
	return api.DiffQuestion{Scope: p.Scope, Turn: p.Turn}, err
}

// changes is what a session changed, by a scope, with the comments on it.
func (s *server) changes(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	p := reviewPage{ID: v.ID, Name: short(v.Name, maxHeadline), Scopes: api.DiffScopes(), May: c.device.Rights.Has(api.WebType), Request: rand.Text(), Token: c.device.Token}
	ask, err := p.question(c)
	if err != nil {
		return err
	}
	if p.Diff, err = s.Reviews.Diff(c.Context(), v.ID, ask); err != nil {
		return err
	}
	if p.Comments, err = s.Reviews.Comments(c.Context(), v.ID); err != nil {
		return err
	}
	p.plan(v.ID, s.Approvals.Requests())
	p.Whole = p.link("", api.SideNew, 0)
	for _, f := range p.Diff.Files {
		p.Files = append(p.Files, p.file(f))
	}
	for _, m := range p.Comments {
		if m.State == api.CommentDraft {
			p.Drafts++
		}
	}
	slices.Reverse(p.Comments)
	s.render(w, c, http.StatusOK, page{Title: "Changes of " + p.Name, Nav: "sessions", Body: "changes", Data: p})
	return nil
}

// plan keeps the comments on plans apart from the others, but for drafts on a plan that was answered: they go with those. A plan that
// waits is a scope.
func (p *reviewPage) plan(session string, requests []api.Request) {
	waits := ""
	for _, q := range requests {
		if q.Session == session && q.Kind == api.RequestPlan {
			waits = q.ID
			p.Scopes = append(p.Scopes, api.DiffPlan)
		}
	}
	p.OnPlan = p.Scope == api.DiffPlan
	p.Comments = slices.DeleteFunc(p.Comments, func(m api.ReviewComment) bool {
		switch on := m.Scope == api.DiffPlan; {
		case p.OnPlan:
			return !on || m.Head != waits
		case on:
			return m.State != api.CommentDraft || m.Head == waits
		}
		return false
	})
}

// file is a file with the comments on it where they belong.
func (p reviewPage) file(f api.ReviewFile) reviewFile {
	out := reviewFile{ReviewFile: f, Link: p.link(f.Path, api.SideNew, 0), Said: p.said(f.Path, "", 0), Here: p.Place.On && p.Place.Path == f.Path && p.Place.Line == 0}
	for _, h := range f.Hunks {
		before, after := h.OldStart, h.NewStart
		lines := make([]reviewLine, 0, len(h.Lines))
		for _, l := range h.Lines {
			line := reviewLine{ReviewLine: l, N: after, Side: api.SideNew}
			if l.Kind == api.LineRemoved {
				line.N, line.Side = before, api.SideOld
			}
			if l.Kind != api.LineAdded {
				before++
			}
			if l.Kind != api.LineRemoved {
				after++
			}
			line.Link = p.link(f.Path, line.Side, line.N)
			line.Said = p.said(f.Path, line.Side, line.N)
			line.Here = p.Place == spot{On: true, Path: f.Path, Line: line.N, Side: line.Side}
			lines = append(lines, line)
		}
		out.Hunks = append(out.Hunks, lines)
	}
	return out
}

// said are the comments that end at a line of a file; line 0: those on the whole file.
func (p reviewPage) said(path string, side api.DiffSide, line int) (list []api.ReviewComment) {
	for _, m := range p.Comments {
		if m.Path == path && (line == 0 && m.Line == 0 || line > 0 && m.Side == side && m.End == line) && !m.Stale {
			list = append(list, m)
		}
	}
	return list
}

// changesPath is where the forms of a session's changes lead back to.
func changesPath(c call) string {
	p := reviewPage{Scope: api.DiffScope(c.PostForm.Get("scope"))}
	p.Turn, _ = strconv.Atoi(c.PostForm.Get("turn")) // another word is no turn
	return sessionPath(c.PathValue("id")) + "/changes?" + p.Query()
}

// addComment keeps a comment as a draft.
func (s *server) addComment(w http.ResponseWriter, c call) error {
	f := c.PostForm
	text, err := promptOf(f)
	if err != nil {
		return err
	}
	n := api.NewComment{Path: f.Get("path"), Side: api.DiffSide(f.Get("side")), Text: text, Question: f.Get("question") != "", Scope: api.DiffScope(f.Get("scope"))}
	for field, at := range map[string]*int{"line": &n.Line, "end": &n.End, "turn": &n.Turn} {
		if v := strings.TrimSpace(f.Get(field)); v != "" {
			if *at, err = strconv.Atoi(v); err != nil {
				return api.Errorf(api.CodeInvalid, "%s is a number, found %.20q", field, v)
			}
		}
	}
	request, err := s.requestOf(c)
	if err != nil {
		return err
	}
	if _, err := s.Reviews.AddComment(c.Context(), c.PathValue("id"), n, request); err != nil {
		return err
	}
	return s.done(w, c, "Kept as a draft: send all of them when you are through", changesPath(c))
}

func (s *server) dropComment(w http.ResponseWriter, c call) error {
	if err := s.Reviews.DropComment(c.Context(), c.PathValue("id"), c.PathValue("comment")); err != nil {
		return err
	}
	return s.done(w, c, "The draft is gone", changesPath(c))
}

// sendComments sends all drafts as one prompt.
func (s *server) sendComments(w http.ResponseWriter, c call) error {
	words, err := promptOf(c.PostForm)
	if err != nil {
		return err
	}
	in := api.SendComments{Words: words, Reviewer: c.PostForm.Get("to") == "reviewer"}
	if in.Request, err = s.requestOf(c); err != nil {
		return err
	}
	if c.PostForm.Get("scope") == string(api.DiffPlan) {
		in.Scope = api.DiffPlan
		sent, err := s.Reviews.SendPlan(c.Context(), c.PathValue("id"), in, func(request, message string) error {
			_, err := s.Approvals.Answer(request, api.ByPerson, api.Answer{Behavior: api.AnswerDeny, Message: message, Client: c.client()})
			return err
		})
		if err != nil {
			return err
		}
		return s.done(w, c, "The plan is refused with "+strconv.Itoa(len(sent.Comments))+" comments", sessionPath(c.PathValue("id")))
	}
	sent, err := s.Reviews.SendComments(c.Context(), c.PathValue("id"), in)
	if err != nil {
		return err
	}
	return s.done(w, c, "Sent: "+strconv.Itoa(len(sent.Comments))+" comments, round "+strconv.Itoa(sent.Round), changesPath(c))
}

// looked notes that a person has seen the changes: the scope "seen" begins there.
func (s *server) looked(w http.ResponseWriter, c call) error {
	if err := s.Reviews.Looked(c.Context(), c.PathValue("id"), c.PostForm.Get("head")); err != nil {
		return err
	}
	return s.done(w, c, "Noted: \"seen\" shows what is new from here on", changesPath(c))
}
