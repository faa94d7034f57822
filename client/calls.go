package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// Health returns the identity of the running daemon. It starts none and accepts every
// version.
func (c *Client) Health(ctx context.Context) (api.Server, error) {
	var out api.Server
	err := c.callOnce(ctx, http.MethodGet, "/v1/health", nil, nil, &out)
	for end := time.Now().Add(wakeTime); errors.Is(err, ErrNotRunning) && time.Now().Before(end) && c.wake(); {
		if again := (&backoff{}).wait(ctx); again != nil {
			return out, again
		}
		err = c.callOnce(ctx, http.MethodGet, "/v1/health", nil, nil, &out)
	}
	switch {
	case err == nil:
		c.meet(out)
	case api.CodeOf(err) == api.CodeTimeout:
		err = c.hung()
	}
	return out, err
}

// Shutdown asks the daemon to stop, and does not wait for its end as Stop does.
func (c *Client) Shutdown(ctx context.Context, stop api.Stop) error {
	return c.callOnce(ctx, http.MethodPost, "/v1/shutdown", nil, stop, nil)
}

// Sessions lists every session, ended ones included.
func (c *Client) Sessions(ctx context.Context) ([]api.Session, error) {
	var out []api.Session
	err := c.call(ctx, http.MethodGet, "/v1/sessions", nil, nil, &out)
	return out, err
}

// CreateSession starts a session and returns once its process runs. Calls with the same
// Request, if it is not "", start one session.
func (c *Client) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	var out api.Session
	key := n.Request
	n.Request = "" // the key covers it, and also that the calls are equal
	err := c.keyed(ctx, key, http.MethodPost, "/v1/sessions", nil, n, &out)
	return out, err
}

// session returns the path of a session's resource. ref is an id, a unique prefix of one,
// or a name.
func session(ref, rest string) (string, error) {
	// An empty element, "." and ".." would select another route.
	if ref == "" || ref == "." || ref == ".." {
		return "", api.Errorf(api.CodeNotFound, "no session %q: `ccdir ls` lists them", ref)
	}
	return "/v1/sessions/" + url.PathEscape(ref) + rest, nil
}

// on calls a session's resource.
func (c *Client) on(ctx context.Context, method, ref, rest string, query url.Values, in, out any) error {
	path, err := session(ref, rest)
	if err != nil {
		return err
	}
	return c.call(ctx, method, path, query, in, out)
}

// Session returns one session. Here and below ref is an id, a unique prefix of
// one, or a name.
func (c *Client) Session(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.on(ctx, http.MethodGet, ref, "", nil, nil, &out)
	return out, err
}

// RemoveSession removes an ended session and its files; what it said and showed stays in the
// history.
func (c *Client) RemoveSession(ctx context.Context, ref string) error {
	return c.onKeyed(ctx, http.MethodDelete, ref, "", nil, nil, nil)
}

// PurgeSession removes an ended session, which may be one of the past, with all that is kept
// of it.
func (c *Client) PurgeSession(ctx context.Context, ref string) error {
	return c.onKeyed(ctx, http.MethodDelete, ref, "", url.Values{"purge": {"1"}}, nil, nil)
}

// Explain returns the evidence behind the session's state.
func (c *Client) Explain(ctx context.Context, ref string) (api.Explanation, error) {
	var out api.Explanation
	err := c.on(ctx, http.MethodGet, ref, "/explain", nil, nil, &out)
	return out, err
}

// Process returns the number and memory of the session's processes.
func (c *Client) Process(ctx context.Context, ref string) (api.ProcessUse, error) {
	var use api.ProcessUse
	err := c.on(ctx, http.MethodGet, ref, "/process", nil, nil, &use)
	return use, err
}

// HostAddress returns the address of the session's host.
func (c *Client) HostAddress(ctx context.Context, ref string) (api.HostAddress, error) {
	var out api.HostAddress
	err := c.on(ctx, http.MethodGet, ref, "/host", nil, nil, &out)
	return out, err
}

// SendPrompt delivers a prompt and returns when it was acknowledged or queued. Retries have
// the same id, so nothing is typed twice.
func (c *Client) SendPrompt(ctx context.Context, ref string, p api.SendPrompt) (out api.SendResult, err error) {
	path, err := session(ref, "/input")
	if err != nil {
		return out, err
	}
	if p.ID == "" {
		p.ID = rand.Text()
	}
	err = c.retry(ctx, "", http.MethodPost, path, nil, p, &out)
	return out, err
}

// Input writes keys, a paste or bytes.
func (c *Client) Input(ctx context.Context, ref string, in api.RawInput) error {
	return c.onKeyed(ctx, http.MethodPost, ref, "/input/raw", nil, in, nil)
}

// Resize sets the session's size until an attached terminal takes it over.
func (c *Client) Resize(ctx context.Context, ref string, cols, rows int) error {
	path, err := session(ref, "/resize")
	if err != nil {
		return err
	}
	return c.retry(ctx, "", http.MethodPost, path, nil, api.Resize{Cols: cols, Rows: rows}, nil)
}

// KillSession ends the session's process, and returns when it has ended or kill_grace is
// over.
func (c *Client) KillSession(ctx context.Context, ref string, k api.Kill) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/kill", nil, k, &out)
	return out, err
}

// RestartSession starts the session's command again (agents: the same conversation).
func (c *Client) RestartSession(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/restart", nil, nil, &out)
	return out, err
}

// ResetSession starts an agent's session again with a new conversation.
func (c *Client) ResetSession(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/reset", nil, nil, &out)
	return out, err
}

// ForkSession starts a second session that goes on from the conversation of another one.
func (c *Client) ForkSession(ctx context.Context, ref string, f api.Fork) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/fork", nil, f, &out)
	return out, err
}

// SetModel gives an agent's session another model.
func (c *Client) SetModel(ctx context.Context, ref, model string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/model", nil, api.SetModel{Model: model}, &out)
	return out, err
}

// RenameSession gives the session another name.
func (c *Client) RenameSession(ctx context.Context, ref, name string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/rename", nil, api.Rename{Name: name}, &out)
	return out, err
}

// Focus gives the session the keyboard in every attached grid.
func (c *Client) Focus(ctx context.Context, ref string) error {
	return c.on(ctx, http.MethodPost, ref, "/focus", nil, nil, nil)
}

// Seen clears the session's unread mark.
func (c *Client) Seen(ctx context.Context, ref string) error {
	return c.on(ctx, http.MethodPost, ref, "/seen", nil, nil, nil)
}

// Snooze hides for d that the session waits for a person; 0 ends that.
func (c *Client) Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error) {
	var out api.Session
	if d <= 0 {
		err := c.onKeyed(ctx, http.MethodDelete, ref, "/snooze", nil, nil, &out)
		return out, err
	}
	seconds := int((d + time.Second - 1) / time.Second)
	err := c.onKeyed(ctx, http.MethodPost, ref, "/snooze", nil, api.Snooze{Seconds: seconds}, &out)
	return out, err
}

// Output returns the session's screen ("text", "ansi") or raw ring ("raw");
// also of ended sessions.
func (c *Client) Output(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error) {
	q := url.Values{"format": {p.Format}}
	if p.Scrollback {
		q.Set("scrollback", "1")
	}
	if p.From > 0 {
		q.Set("from", strconv.FormatUint(p.From, 10))
	}
	var out wire.OutputResult
	err := c.on(ctx, http.MethodGet, ref, "/buffer", q, nil, &out)
	return out, err
}

// Agents lists the agents that can be started.
func (c *Client) Agents(ctx context.Context) ([]api.AgentInfo, error) {
	var out []api.AgentInfo
	err := c.call(ctx, http.MethodGet, "/v1/agents", nil, nil, &out)
	return out, err
}

// Directories lists configured repositories and directories used lately.
func (c *Client) Directories(ctx context.Context) ([]api.Directory, error) {
	var out []api.Directory
	err := c.call(ctx, http.MethodGet, "/v1/directories", nil, nil, &out)
	return out, err
}

// Config returns the daemon's configuration as JSON, without secrets.
func (c *Client) Config(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.call(ctx, http.MethodGet, "/v1/config", nil, nil, &out)
	return out, err
}

// EventFilter selects events of the log. The zero value selects the newest ones.
type EventFilter struct {
	// Since selects the first events after that number; -1: from the beginning of the
	// log; 0: the newest events.
	Since int64
	// Before leaves out events from that number on, with Since 0 only; 0: none.
	Before int64
	// Session is an id, a unique prefix or a name; "" is every session.
	Session string
	// Type is one kind of event; "" is every kind.
	Type string
	// Limit bounds one answer; 0 is the daemon's default. Above the daemon's own bound
	// (10,000) it has no effect: see PageEvents.
	Limit int
}

func (f EventFilter) query() url.Values {
	q := url.Values{}
	if f.Since != 0 {
		q.Set("since", strconv.FormatInt(max(f.Since, 0), 10))
	}
	if f.Before > 0 {
		q.Set("before", strconv.FormatInt(f.Before, 10))
	}
	if f.Session != "" {
		q.Set("session", f.Session)
	}
	if f.Type != "" {
		q.Set("type", f.Type)
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	return q
}

// Events returns events in the order of their numbers, oldest first.
func (c *Client) Events(ctx context.Context, f EventFilter) ([]api.Event, error) {
	var out []api.Event
	err := c.call(ctx, http.MethodGet, "/v1/events", f.query(), nil, &out)
	return out, err
}

// eventPage is how many events PageEvents asks for at once.
const eventPage = 1000

// PageEvents calls each for all events that f selects, oldest first, up to f.Limit (0: to
// the end of the log). It asks for them page by page, so their number is not bounded.
func (c *Client) PageEvents(ctx context.Context, f EventFilter, each func(api.Event) error) error {
	if f.Since == 0 && f.Limit > 0 {
		list, err := c.newestEvents(ctx, f)
		return errors.Join(err, eachEvent(list, each))
	}
	if f.Since == 0 {
		f.Since = -1
	}
	for left, all := f.Limit, f.Limit == 0; all || left > 0; {
		f.Limit = eventPage
		if !all {
			f.Limit = min(left, eventPage)
		}
		list, err := c.Events(ctx, f)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := eachEvent(list, each); err != nil {
			return err
		}
		left, f.Since = left-len(list), list[len(list)-1].Seq
	}
	return nil
}

func eachEvent(list []api.Event, each func(api.Event) error) error {
	for _, e := range list {
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

// newestEvents returns the newest f.Limit events, oldest first.
func (c *Client) newestEvents(ctx context.Context, f EventFilter) ([]api.Event, error) {
	var pages [][]api.Event
	for left := f.Limit; left > 0; {
		f.Limit = min(left, eventPage)
		list, err := c.Events(ctx, f)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			break
		}
		pages = append(pages, list)
		left, f.Before = left-len(list), list[0].Seq
	}
	slices.Reverse(pages)
	return slices.Concat(pages...), nil
}
