package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ccdir/api"
)

// hit is a place that a search found, with the page where it is.
type hit struct {
	api.SearchHit
	Link, What string
}

func hitOf(h api.SearchHit) hit {
	v := hit{SearchHit: h, What: h.Kind}
	switch {
	case h.Kind == api.HitTurn:
		v.What = "turn " + strconv.Itoa(h.Turn) + ", " + string(h.Part)
		v.Link = turnPath(h.Session, h.Conversation, h.Turn)
	case h.Kind == "task":
		v.Link = taskPath(h.ID)
	case h.Kind == "event":
		if n, err := strconv.ParseInt(h.ID, 10, 64); err == nil && n > 0 {
			v.Link = "/events?before=" + strconv.FormatInt(n+1, 10)
		}
	case h.Kind == api.HitPane:
		v.Link = sessionPath(h.ID)
	case h.Kind == "session":
		v.Link = "/conversations/" + url.PathEscape(h.ID)
	}
	return v
}

// turnPath is the address of a turn of a conversation.
func turnPath(session, conversation string, turn int) string {
	return "/conversations/" + url.PathEscape(session) + "?turn=" + strconv.Itoa(turn) + "#" + url.PathEscape(turnKey(conversation, turn))
}

// turnKey is the key of a turn's block.
func turnKey(conversation string, turn int) string {
	return "t-" + conversation + "-" + strconv.Itoa(turn)
}

// maxHits bounds what a search shows.
const maxHits = 500

func (s *server) search(w http.ResponseWriter, c call) error {
	words := strings.TrimSpace(c.URL.Query().Get("q"))
	d := map[string]any{"Query": words}
	if words != "" {
		hits, err := s.Past.Search(c.Context(), words, maxHits)
		if err != nil {
			return err
		}
		list := make([]hit, 0, len(hits))
		for _, h := range hits {
			list = append(list, hitOf(h))
		}
		d["Part"], d["Asked"] = portionOf(c.URL, list), true
	}
	s.render(w, c, http.StatusOK, page{Title: "Search", Nav: "search", Body: "search", Data: d})
	return nil
}

// conversation is a part of what was said in a session, which may be one of the past: ten turns
// around one.
func (s *server) conversation(w http.ResponseWriter, c call) error {
	ref := c.PathValue("id")
	n, err := numberField(c.URL, "turn")
	if err != nil {
		return err
	}
	first := max(1, int(min(n, 1<<30))-2)
	var blocks []block
	more := false
	err = s.Conversations.Turns(c.Context(), ref, 0, func(t api.Turn) error {
		switch {
		case t.Turn < first:
			return nil
		case t.Turn >= first+turnsShown:
			more = true
			return nil
		}
		key := turnKey(t.Conversation, t.Turn)
		b, err := blockOf(key, "turn", saidOf(t, key))
		blocks = append(blocks, b)
		return err
	})
	if err != nil {
		return err
	}
	d := map[string]any{"ID": ref, "Blocks": blocks, "Here": s.sessionOf(c.Context(), ref).ID != "", "Newer": "", "Older": ""}
	if first > 1 {
		d["Older"] = with(c.URL, "turn", strconv.Itoa(max(1, first-turnsShown)+2))
	}
	if more {
		d["Newer"] = with(c.URL, "turn", strconv.Itoa(first+turnsShown+2))
	}
	s.render(w, c, http.StatusOK, page{Title: "Conversation", Nav: "search", Body: "conversation", Data: d})
	return nil
}
