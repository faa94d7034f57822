package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/queue"
	"ccdir/daemon/store"
	"ccdir/internal/text/textsafe"
	"ccdir/mcpserver"
	"ccdir/wire"
)

// toolSessions joins the tools with the registry.
type toolSessions struct{ t *tools }

func (c toolSessions) List() []api.Session { return c.t.d.events.Sessions() }

func (c toolSessions) Get(ctx context.Context, ref string) (api.Session, error) {
	return c.t.d.registry.Get(ctx, ref)
}

func (c toolSessions) Output(ctx context.Context, ref string, history bool) (string, error) {
	out, err := c.t.d.registry.Buffer(ctx, ref, wire.OutputParams{Format: wire.FormatText, Scrollback: history})
	return out.Text, err
}

// Spawn starts an agent as a dev, with the environment of the session that asks.
// Only configured agents can be started: no command comes from the model.
func (c toolSessions) Spawn(ctx context.Context, caller mcpserver.Caller, n api.NewSession) (api.Session, error) {
	c.t.spawning.Lock()
	defer c.t.spawning.Unlock()
	limit, running := c.t.d.config.Load().MCP.SpawnLimit, 0
	for _, s := range c.List() {
		if s.Parent == caller.Session && !s.State.Ended() {
			running++
		}
	}
	if caller.Session == "" || running >= limit {
		return api.Session{}, api.Errorf(api.CodeLimit, "%d sessions that you started run already: stop one, or have mcp.spawn_limit raised in config.toml", running)
	}
	n.Argv, n.Role, n.Parent, n.Env = nil, api.RoleDev, caller.Session, caller.Env
	// The session is begun or not; a call that is cancelled doesn't leave it
	// between the two.
	return c.t.d.registry.Create(context.WithoutCancel(ctx), n)
}

func (c toolSessions) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	return c.t.d.registry.Send(ctx, ref, p)
}

func (c toolSessions) Wait(ctx context.Context, ref string, ok func(api.Session) bool) (api.Session, error) {
	return c.t.d.events.Wait(ctx, ref, ok)
}

func (c toolSessions) Stop(ctx context.Context, ref string, force bool) (api.Session, error) {
	return c.t.d.registry.Kill(ctx, ref, api.Kill{Force: force})
}

func (c toolSessions) Progress(ctx context.Context, session, text string) error {
	return c.t.d.registry.Progress(ctx, session, text)
}

// toolMessages joins the tools with the mailboxes.
type toolMessages struct{ t *tools }

func (c toolMessages) Send(ctx context.Context, from mcpserver.Caller, to, text string, reply int64) (api.Message, error) {
	return c.t.box.Send(ctx, api.Session{ID: from.Session, Name: from.Name}, to, text, reply)
}

func (c toolMessages) Inbox(ctx context.Context, session string, all bool, limit int) ([]api.Message, error) {
	return c.t.box.Inbox(ctx, session, all, limit)
}

func (c toolMessages) Ack(ctx context.Context, session string, ids []int64) (int, error) {
	return c.t.box.Ack(ctx, session, ids)
}

// personMessages is the API's view: what is sent comes from the person.
type personMessages struct{ toolMessages }

func (c personMessages) Send(ctx context.Context, n api.NewMessage) (api.Message, error) {
	return c.t.box.SendOnce(ctx, api.Session{}, n)
}

// maxMessageShown bounds a message in the event log, in bytes.
const maxMessageShown = 2 << 10

// tellMessage makes an event of a message.
func (d *daemon) tellMessage(m api.Message) {
	d.leads.take(m)
	e := &api.Event{At: m.At, Session: m.From, Type: api.EventMessage, Source: "mcp",
		Message: fmt.Sprintf("%s to %s: %s", textsafe.Line(m.FromName), textsafe.Line(m.ToName), line(m.Text))}
	if m.From == api.Person {
		e.Session, e.Source = "", "cli"
	}
	if s, ok := d.events.Session(e.Session); ok {
		e.StateFrom, e.StateTo = s.State, s.State
	}
	if len(m.Text) > maxMessageShown {
		m.Text = strings.ToValidUTF8(m.Text[:maxMessageShown], "") + "…"
	}
	e.Data, _ = json.Marshal(m) // cannot fail
	key := ""
	if m.Request != "" { // its call may be repeated, and this with it
		key = "message:" + strconv.FormatInt(m.ID, 10)
		if known, err := d.events.KnownKey(context.Background(), e.Session, key); err == nil && known {
			return
		}
	}
	told := d.events.Append(api.WatchMessage{Event: e}, nil, key)
	if m.Request != "" {
		<-told // once its answer is kept, nobody comes back to it
	}
}

// nudge types a prompt into a session of an agent that knows tools.
func (d *daemon) nudge(ctx context.Context, s api.Session, text string) error {
	cfg := d.config.Load()
	kind := cfg.Agents[s.Agent].Kind
	if cfg.MCP.Nudge != config.NudgePrompt && cfg.MCP.Nudge != config.NudgeBoth || kind != agents.KindClaude && kind != agents.KindDemo {
		return nil
	}
	_, err := d.registry.Send(ctx, s.ID, api.SendPrompt{Text: text})
	return err
}

// atStop is what an agent goes on with at the end of its turn: messages that it was
// not told of.
func (d *daemon) atStop(ctx context.Context, session string, again bool) string {
	cfg := d.config.Load().MCP
	if box := d.box.Load(); box != nil && cfg.Enabled && (cfg.Nudge == config.NudgeStop || cfg.Nudge == config.NudgeBoth) {
		return box.AtStop(ctx, session, again)
	}
	return ""
}

// toolAsker asks the person by an open request.
type toolAsker struct{ d *daemon }

func (c toolAsker) Ask(ctx context.Context, caller mcpserver.Caller, q mcpserver.Question) (mcpserver.Reply, error) {
	input, err := json.Marshal(map[string]any{"question": q.Text, "choices": q.Choices})
	if err != nil {
		return mcpserver.Reply{}, err
	}
	now := time.Now().UTC()
	call := ""
	if q.Call != "" {
		call = "mcp:" + q.Call
	}
	decision, err := c.d.requests.Hold(ctx, call, api.Request{Session: caller.Session, Tool: "ask_person", Input: input, Since: now,
		Deadline: now.Add(q.Timeout), Kind: api.RequestQuestion, Question: line(q.Text), ToolUseID: q.Call, CWD: caller.Dir,
		Choices: q.Choices, Multiple: q.Multiple, Origin: api.OriginMCP})
	if err != nil {
		return mcpserver.Reply{}, err
	}
	switch a := decision.Answer; {
	case decision.Outcome == api.OutcomeLimit:
		return mcpserver.Reply{}, api.Errorf(api.CodeLimit, "too many questions are open: wait for answers")
	case a == nil:
		return mcpserver.Reply{}, nil
	case a.Behavior == api.AnswerDeny:
		return mcpserver.Reply{Declined: true, Text: a.Message}, nil
	default:
		return mcpserver.Reply{Answered: true, Text: a.Text}, nil
	}
}

// toolPast searches the results that are kept.
type toolPast struct{ d *daemon }

// Bounds of what past_results returns.
const (
	pastOutput = 4 << 10 // bytes of output per result
	pastNext   = 5       // calls that followed
)

func (c toolPast) Search(ctx context.Context, q mcpserver.PastQuery) ([]mcpserver.PastResult, error) {
	rows, err := c.d.store.Results(ctx, store.ResultQuery{Words: q.Text, Dir: q.Dir, Session: q.Session, Tool: q.Tool, Failed: q.Failed, Limit: q.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]mcpserver.PastResult, 0, len(rows))
	for _, r := range rows {
		p := mcpserver.PastResult{ID: r.ID, At: r.At, Session: r.Session, Tool: r.Tool, Input: r.Input, Outcome: r.Outcome,
			Summary: r.Summary, Output: excerpt(r.Output, q.Text, pastOutput), Next: []mcpserver.PastStep{}}
		if r.Session != "" {
			next, err := c.d.store.ResultsAfter(ctx, r.Session, r.ID, pastNext)
			if err != nil {
				return nil, err
			}
			for _, n := range next {
				p.Next = append(p.Next, mcpserver.PastStep{At: n.At, Tool: n.Tool, Input: n.Input, Outcome: n.Outcome, Summary: n.Summary})
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// excerpt is at most n bytes of text, around the first of the words that is in
// it.
func excerpt(text, words string, n int) string {
	if len(text) <= n {
		return text
	}
	from, lower := 0, strings.ToLower(text)
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if i := strings.Index(lower, w); i >= 0 && len(lower) == len(text) {
			from = max(0, min(i-n/4, len(text)-n))
			break
		}
	}
	return strings.ToValidUTF8(text[from:from+n], "") + "…"
}

// toolTasks joins the tools with the queue.
type toolTasks struct{ t *queue.Queue }

// Add adds a task with the environment of the session that asks.
func (c toolTasks) Add(ctx context.Context, caller mcpserver.Caller, n api.NewTask) (api.Task, error) {
	n.Env = caller.Env
	list, err := c.t.Add(ctx, []api.NewTask{n})
	if err != nil {
		return api.Task{}, err
	}
	return list[0], nil
}

func (c toolTasks) List(ctx context.Context) ([]api.Task, error) { return c.t.Tasks(ctx) }

func (c toolTasks) Get(ctx context.Context, ref string) (api.Task, error) { return c.t.Task(ctx, ref) }
