package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/text/textsafe"
	"ccdir/mcpserver"
)

// toolMessages joins the tools with the mailboxes.
type toolMessages struct{ s *Server }

func (c toolMessages) Send(ctx context.Context, from mcpserver.Caller, to, text string, reply int64) (api.Message, error) {
	return c.s.box.Send(ctx, api.Session{ID: from.Session, Name: from.Name}, to, text, reply)
}

func (c toolMessages) Inbox(ctx context.Context, session string, all bool, limit int) ([]api.Message, error) {
	return c.s.box.Inbox(ctx, session, all, limit)
}

func (c toolMessages) Ack(ctx context.Context, session string, ids []int64) (int, error) {
	return c.s.box.Ack(ctx, session, ids)
}

// PersonMessages is the API's view of the mailboxes: messages come from the person.
type PersonMessages struct{ toolMessages }

// PersonMessages returns the API's view of the mailboxes.
func (s *Server) PersonMessages() PersonMessages { return PersonMessages{toolMessages{s}} }

// Send sends a message of the person.
func (c PersonMessages) Send(ctx context.Context, n api.NewMessage) (api.Message, error) {
	return c.s.box.SendOnce(ctx, api.Session{}, n)
}

// maxMessageShown bounds a message in the event log, in bytes.
const maxMessageShown = 2 << 10

// announce appends the event of a message.
func (s *Server) announce(m api.Message) {
	s.o.Told(m)
	e := &api.Event{At: m.At, Session: m.From, Type: api.EventMessage, Source: "mcp",
		Message: fmt.Sprintf("%s to %s: %s", textsafe.Line(m.FromName), textsafe.Line(m.ToName), line(m.Text))}
	if m.From == api.Person {
		e.Session, e.Source = "", "cli"
	}
	if v, ok := s.o.Journal.Session(e.Session); ok {
		e.StateFrom, e.StateTo = v.State, v.State
	}
	if len(m.Text) > maxMessageShown {
		m.Text = strings.ToValidUTF8(m.Text[:maxMessageShown], "") + "…"
	}
	e.Data, _ = json.Marshal(m) // cannot fail
	key := ""
	if m.Request != "" { // a retry of its call comes here again
		key = "message:" + strconv.FormatInt(m.ID, 10)
		if known, err := s.o.Journal.KnownKey(context.Background(), e.Session, key); err == nil && known {
			return
		}
	}
	told := s.o.Journal.Append(api.WatchMessage{Event: e}, nil, key)
	if m.Request != "" {
		<-told // once the answer is stored, no retry comes here
	}
}

// nudge types a prompt into a session, if its agent has tools.
func (s *Server) nudge(ctx context.Context, to api.Session, text string) error {
	cfg := s.o.Config()
	kind := cfg.Agents[to.Agent].Kind
	if cfg.MCP.Nudge != config.NudgePrompt && cfg.MCP.Nudge != config.NudgeBoth || kind != agents.KindClaude && kind != agents.KindCodex && kind != agents.KindDemo {
		return nil
	}
	_, err := s.o.Sessions.Send(ctx, to.ID, api.SendPrompt{Text: text})
	return err
}

// AtStop returns the text with which an agent continues at the end of its turn: messages
// that it has not seen; "": it stops. again: it has already continued once.
func (s *Server) AtStop(ctx context.Context, session string, again bool) string {
	cfg := s.o.Config().MCP
	if cfg.Enabled && (cfg.Nudge == config.NudgeStop || cfg.Nudge == config.NudgeBoth) {
		return s.box.AtStop(ctx, session, again)
	}
	return ""
}
