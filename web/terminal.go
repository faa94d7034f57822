package web

import (
	"context"
	"net/http"
	"strings"

	"ccdir/api"
	"ccdir/internal/contain"
)

// maxTerminals bounds the grid of terminals: each is a connection of the browser and of its host.
const maxTerminals = 24

// terminalKey is a key below a terminal, for screens without one.
type terminalKey struct{ Key, Label, Name string }

// terminalKeys are in the order of their use.
var terminalKeys = []terminalKey{
	{"Escape", "Esc", "Esc, Escape"}, {"Tab", "Tab", "Tab"}, {"BTab", "⇧Tab", "Shift and Tab"}, {"C-c", "^C", "Control and C"},
	{"Left", "←", "Left"}, {"Up", "↑", "Up"}, {"Down", "↓", "Down"}, {"Right", "→", "Right"}, {"Enter", "⏎", "Enter"},
}

// terminalsPage is what pages with terminals show: One is the session of a page with one.
type terminalsPage struct {
	One  string
	List []card
	Keys []terminalKey
}

// terminal is the page of a session's terminal.
func (s *server) terminal(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	_ = s.Sessions.Seen(c.Context(), v.ID) // else it stays news
	data := terminalsPage{One: v.ID, List: []card{cardOf(v, nil, s.Now())}, Keys: terminalKeys}
	s.render(w, c, http.StatusOK, page{Title: "Terminal of " + data.List[0].Name, Nav: "sessions", Body: "terminal", Data: data})
	return nil
}

// terminals is the grid of all terminals, those that ask first.
func (s *server) terminals(w http.ResponseWriter, c call) error {
	data := terminalsPage{}
	ended := map[string]bool{}
	for _, v := range s.Log.Sessions() {
		ended[v.ID] = v.State.Ended() || v.External
	}
	for _, one := range s.cards(s.Now()) {
		if !ended[one.ID] && len(data.List) < maxTerminals {
			data.List = append(data.List, one)
		}
	}
	s.render(w, c, http.StatusOK, page{Title: "Terminals", Nav: "terminals", Body: "terminal", Data: data})
	return nil
}

// attach serves the WebSocket of a terminal, which is the API's. It looks only, unless type is asked
// for: then the device must be permitted to, and proves itself by subprotocols, since browsers send no other
// headers with a WebSocket and addresses are kept in logs.
func (s *server) attach(w http.ResponseWriter, c call) error {
	if c.Header.Get("Origin") == "" {
		return api.Errorf(api.CodeForbidden, "a terminal must be opened by the page itself: its Origin is missing")
	}
	types := c.URL.Query().Get("type") != ""
	if types {
		if !c.device.Rights.Has(api.WebType) {
			return api.Errorf(api.CodeForbidden, "this device may not type: pair it again (`ccdir web pair --rights type`)")
		}
		if !c.device.Proves(offered(c.Request, "token."), offered(c.Request, "secret.")) {
			return api.Errorf(api.CodeForbidden, "this terminal is not of a page of this device: open the page again")
		}
		if err := s.person(c.Request, false); err != nil {
			return err
		}
	}
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	contain.Go(s.Logger, func() {
		select {
		case <-c.device.Revoked:
			cancel()
		case <-ctx.Done():
		}
	})
	return s.Terminal(w, c.WithContext(ctx), v.ID, c.client(), !types)
}

// offered is what follows a prefix in the subprotocols that a call offers.
func offered(r *http.Request, prefix string) string {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			if text, ok := strings.CutPrefix(strings.TrimSpace(p), prefix); ok {
				return text
			}
		}
	}
	return ""
}
