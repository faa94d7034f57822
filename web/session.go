package web

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

const (
	// turnsShown is how many turns a session's page has, newest last.
	turnsShown = 10
	// maxShown bounds a text or a result on a page, in bytes.
	maxShown = 32 << 10
	// maxPrompt bounds a prompt of the page, in bytes.
	maxPrompt = 256 << 10
)

// said is a turn as the page shows it.
type said struct {
	api.Turn
	Items []saidItem
	Words string
}

// saidItem is one thing in a turn: a text, or a tool call.
type saidItem struct {
	Kind api.ItemKind
	Text string
	Cut  int
	Tool *saidTool
}

// saidTool is a tool call.
type saidTool struct {
	api.TurnTool
	ID, Input, Result string
	Lines             []string
	Turns             []said
}

// saidOf is a turn as the page shows it; id makes the ids of what can be opened unique.
func saidOf(t api.Turn, id string) said {
	v := said{Turn: t, Words: map[api.TurnState]string{api.TurnRunning: "works", api.TurnFailed: "failed", api.TurnInterrupted: "interrupted"}[t.State]}
	shown := false
	for n, item := range t.Items {
		i := saidItem{Kind: item.Kind, Cut: item.Cut}
		i.Text, i.Cut = bounded(item.Text, item.Cut)
		if item.Kind == api.ItemTool && item.Tool >= 0 && item.Tool < len(t.Tools) {
			i.Tool = toolOf(t.Tools[item.Tool], id+"-"+strconv.Itoa(n))
		}
		shown = shown || item.Kind == api.ItemText
		v.Items = append(v.Items, i)
	}
	if !shown && t.Answer != "" {
		text, cut := bounded(t.Answer, 0)
		v.Items = append(v.Items, saidItem{Kind: api.ItemText, Text: text, Cut: cut})
	}
	return v
}

func toolOf(t api.TurnTool, id string) *saidTool {
	v := &saidTool{TurnTool: t, ID: id}
	v.Input, _ = bounded(string(t.Input), 0)
	v.Result, v.Cut = bounded(t.Result, t.Cut)
	for _, h := range t.Diff {
		v.Lines = append(v.Lines, h.Lines...)
	}
	if t.Agent != nil {
		for n, turn := range t.Agent.Turns {
			v.Turns = append(v.Turns, saidOf(turn, id+"-"+strconv.Itoa(n)))
		}
	}
	return v
}

// bounded is a text of at most maxShown bytes; cut counts what is left out of it.
func bounded(text string, cut int) (string, int) {
	if len(text) <= maxShown {
		return text, cut
	}
	short := textsafe.Cut(text[:maxShown], maxShown)
	return short, cut + len(text) - len(short)
}

// sessionHead is what stands above a conversation.
type sessionHead struct {
	card
	Ended   bool
	Changed string
	Waiting []api.PendingPrompt
}

// sessionBlocks are a session's head, its conversation, and its open requests.
func (s *server) sessionBlocks(ctx context.Context, c call, ref string) ([]block, error) {
	v, err := s.Sessions.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	head := sessionHead{card: cardOf(v, asksOf(s.Approvals.Requests()), s.Now()), Ended: v.State.Ended(), Changed: v.LastTurn.Line()}
	if head.Waiting, err = s.Pending.List(ctx, v.ID); err != nil {
		return nil, err
	}
	top, err := blockOf("head", "sessionhead", head)
	if err != nil {
		return nil, err
	}
	list := []block{top}
	turns := 0
	err = s.Conversations.Turns(ctx, v.ID, turnsShown, func(t api.Turn) error {
		turns++
		key := "t-" + t.Conversation + "-" + strconv.Itoa(t.Turn)
		b, err := blockOf(key, "turn", saidOf(t, key))
		list = append(list, b)
		return err
	})
	why := ""
	switch code := api.CodeOf(err); {
	case err == nil:
	case code == api.CodeNotFound, code == api.CodeConflict: // a shell, or nothing was said yet
		why = err.Error()
	default:
		return nil, err
	}
	if turns == 0 {
		b, err := blockOf("none", "nothingsaid", why)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	for _, q := range s.Approvals.Requests() {
		if q.Session != v.ID {
			continue
		}
		b, err := blockOf("r-"+q.ID, "asked", s.withForm(c, askedOf(q, v)))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// sessionPage is what a session's page shows.
type sessionPage struct {
	ID, Name string
	Blocks   []block
	Ended    bool
	// Prompt names the next prompt: sent twice, it is typed once.
	Prompt string
}

func (s *server) session(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	blocks, err := s.sessionBlocks(c.Context(), c, v.ID)
	if err != nil {
		return err
	}
	_ = s.Sessions.Seen(c.Context(), v.ID) // else it stays news
	name := short(v.Name, maxHeadline)
	s.render(w, c, http.StatusOK, page{Title: name, Nav: "sessions", Body: "session", Live: liveAddress(c, "session"),
		Data: sessionPage{ID: v.ID, Name: name, Blocks: blocks, Ended: v.State.Ended(), Prompt: rand.Text()}})
	return nil
}

// prompt gives a session a prompt, now or when its agent is idle. The page names it, so that one that is
// sent twice is typed once.
func (s *server) prompt(w http.ResponseWriter, c call) error {
	text := strings.TrimSpace(strings.ReplaceAll(c.PostForm.Get("text"), "\r\n", "\n"))
	id := c.PostForm.Get("id")
	switch {
	case text == "":
		return api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(text) > maxPrompt:
		return api.Errorf(api.CodeTooLarge, "the prompt has more than %d KiB: put the text into a file, and name that", maxPrompt>>10)
	case len(id) > 64:
		return api.Errorf(api.CodeInvalid, "the prompt's id is too long: open the page again")
	}
	ref, where := c.PathValue("id"), "/sessions/"+c.PathValue("id")
	if id != "" {
		id = "page-" + c.device.ID + "-" + id
	}
	if c.PostForm.Get("when") == "later" {
		if _, err := s.Pending.Add(c.Context(), ref, api.NewPending{Text: text, Request: id}); err != nil {
			return err
		}
		return s.done(w, c, "Kept: it goes out when the agent is idle", where)
	}
	r, err := s.Sessions.Send(c.Context(), ref, api.SendPrompt{Text: text, ID: id})
	if err != nil {
		return err
	}
	said := "The agent has it"
	if r.Status == "queued" {
		said = "The agent is busy, and has it in its own queue"
	}
	return s.done(w, c, said, where)
}

// end ends a session, restart starts one again.
func (s *server) end(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Kill(c.Context(), c.PathValue("id"), api.Kill{})
	if err != nil {
		return err
	}
	return s.done(w, c, "Ended: "+short(v.Name, maxHeadline), "/sessions/"+v.ID)
}

func (s *server) restart(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Restart(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	return s.done(w, c, "Started again: "+short(v.Name, maxHeadline), "/sessions/"+v.ID)
}

// changes is what a session changed, by a scope.
func (s *server) changes(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	scope := api.DiffScope(c.URL.Query().Get("scope"))
	if scope == "" {
		scope = api.DiffTurn
	}
	d, err := s.Reviews.Diff(c.Context(), v.ID, api.DiffQuestion{Scope: scope})
	if err != nil {
		return err
	}
	name := short(v.Name, maxHeadline)
	s.render(w, c, http.StatusOK, page{Title: "Changes of " + name, Nav: "sessions", Body: "changes",
		Data: map[string]any{"ID": v.ID, "Name": name, "Scope": scope, "Scopes": api.DiffScopes(), "Diff": d}})
	return nil
}
