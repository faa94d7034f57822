package web

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"slices"
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
	head := sessionHead{card: cardOf(v, asksOf(s.Approvals.Requests()), s.Now()), Ended: v.State.Ended(), Changed: changed(v.LastTurn)}
	if v.Away.IsZero() { // else it cannot be asked
		if head.Waiting, err = s.Pending.List(ctx, v.ID); err != nil {
			return nil, err
		}
	}
	top, err := blockOf("head", "sessionhead", head)
	if err != nil {
		return nil, err
	}
	list := []block{top}
	turns := 0
	err = s.Conversations.Turns(ctx, v.ID, turnsShown, func(t api.Turn) error {
		turns++
		key := turnKey(t.Conversation, t.Turn)
		b, err := blockOf(key, "turn", saidOf(t, key))
		list = append(list, b)
		return err
	})
	why := ""
	switch code := api.CodeOf(err); {
	case err == nil:
	case code == api.CodeNotFound, code == api.CodeConflict, code == api.CodeUnavailable: // a shell, nothing was said yet, or its machine is away
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
	// History are the last prompts of the conversation, newest first.
	History []string
	// Far: its files are on another machine.
	Far bool
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
		Data: sessionPage{ID: v.ID, Name: name, Blocks: blocks, Ended: v.State.Ended(), Prompt: rand.Text(), Far: v.Node != "",
			History: s.history(c.Context(), v.ID)}})
	return nil
}

// prompt gives a session a prompt, now or when its agent is idle. The page names it, so that one that is
// sent twice is typed once.
func (s *server) prompt(w http.ResponseWriter, c call) error {
	text, err := promptOf(c.PostForm)
	if err != nil {
		return err
	}
	if text, err = s.attached(c, text); err != nil {
		return err
	}
	if text == "" {
		return api.Errorf(api.CodeInvalid, "the prompt is empty")
	}
	id, err := s.requestOf(c)
	if err != nil {
		return err
	}
	ref := c.PathValue("id")
	where := sessionPath(ref)
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

// history are the last prompts that a session was given, newest first, each once.
func (s *server) history(ctx context.Context, ref string) (list []string) {
	_ = s.Conversations.Turns(ctx, ref, 2*turnsShown, func(t api.Turn) error { // the page has said why there are none
		if text, _ := bounded(t.Prompt, 0); text != "" {
			list = append(slices.DeleteFunc(list, func(old string) bool { return old == text }), text)
		}
		return nil
	})
	slices.Reverse(list)
	return list
}

// attached keeps the file of a prompt's form, and is the prompt with the place where it is.
func (s *server) attached(c call, text string) (string, error) {
	if c.MultipartForm == nil || len(c.MultipartForm.File["file"]) == 0 {
		return text, nil
	}
	head := c.MultipartForm.File["file"][0]
	if head.Filename == "" || head.Size == 0 {
		return text, nil
	}
	ref := c.PathValue("id")
	if strings.Contains(ref, "/") {
		return "", api.Errorf(api.CodeConflict, "a file cannot be attached to a session of another machine: put it there, and name it")
	}
	f, err := head.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return "", err
	}
	path, err := s.Files.Attach(c.Context(), ref, head.Filename, data)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(text + "\n\nAttached file: " + path), nil
}
