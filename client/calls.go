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

// Health asks the daemon that runs who it is. It starts none and accepts every
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

// Shutdown asks the daemon to stop. It answers before it is gone: see Stop.
func (c *Client) Shutdown(ctx context.Context, stop api.Stop) error {
	return c.callOnce(ctx, http.MethodPost, "/v1/shutdown", nil, stop, nil)
}

// Sessions lists every session, ended ones included.
func (c *Client) Sessions(ctx context.Context) ([]api.Session, error) {
	var out []api.Session
	err := c.call(ctx, http.MethodGet, "/v1/sessions", nil, nil, &out)
	return out, err
}

// CreateSession starts a session and returns once it exists. Calls with the same
// Request start one, unless it is "".
func (c *Client) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	var out api.Session
	key := n.Request
	n.Request = "" // the key says more: that the calls are the same
	err := c.act(ctx, key, http.MethodPost, "/v1/sessions", nil, n, &out)
	return out, err
}

// session is the path of a session's resource. ref is an id, a unique prefix
// of one, or a name.
func session(ref, rest string) (string, error) {
	// An empty element, "." and ".." would be cleaned away into another route.
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

// RemoveSession forgets an ended session and its files.
func (c *Client) RemoveSession(ctx context.Context, ref string) error {
	return c.onAct(ctx, http.MethodDelete, ref, "", nil, nil, nil)
}

// Explain tells which evidence gave the session's state.
func (c *Client) Explain(ctx context.Context, ref string) (api.Explanation, error) {
	var out api.Explanation
	err := c.on(ctx, http.MethodGet, ref, "/explain", nil, nil, &out)
	return out, err
}

// Process tells what the session's processes use.
func (c *Client) Process(ctx context.Context, ref string) (api.ProcessUse, error) {
	var use api.ProcessUse
	err := c.on(ctx, http.MethodGet, ref, "/process", nil, nil, &use)
	return use, err
}

// HostAddress tells where the session's host listens.
func (c *Client) HostAddress(ctx context.Context, ref string) (api.HostAddress, error) {
	var out api.HostAddress
	err := c.on(ctx, http.MethodGet, ref, "/host", nil, nil, &out)
	return out, err
}

// SendPrompt delivers a prompt and returns when it was acknowledged or queued. It is
// repeated under its id, which types nothing twice.
func (c *Client) SendPrompt(ctx context.Context, ref string, p api.SendPrompt) (out api.SendResult, err error) {
	path, err := session(ref, "/input")
	if err != nil {
		return out, err
	}
	if p.ID == "" {
		p.ID = rand.Text()
	}
	err = c.repeat(ctx, "", http.MethodPost, path, nil, p, &out)
	return out, err
}

// Input writes keys, a paste or bytes.
func (c *Client) Input(ctx context.Context, ref string, in api.RawInput) error {
	return c.onAct(ctx, http.MethodPost, ref, "/input/raw", nil, in, nil)
}

// Resize pins the session's size until its next owner.
func (c *Client) Resize(ctx context.Context, ref string, cols, rows int) error {
	path, err := session(ref, "/resize")
	if err != nil {
		return err
	}
	return c.repeat(ctx, "", http.MethodPost, path, nil, api.Resize{Cols: cols, Rows: rows}, nil)
}

// KillSession begins to end the session's process; Wait for api.StateExited.
func (c *Client) KillSession(ctx context.Context, ref string, k api.Kill) (api.Session, error) {
	var out api.Session
	err := c.onAct(ctx, http.MethodPost, ref, "/kill", nil, k, &out)
	return out, err
}

// RestartSession starts the session's command again (agents: the same conversation).
func (c *Client) RestartSession(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.onAct(ctx, http.MethodPost, ref, "/restart", nil, nil, &out)
	return out, err
}

// RenameSession gives the session another name.
func (c *Client) RenameSession(ctx context.Context, ref, name string) (api.Session, error) {
	var out api.Session
	err := c.onAct(ctx, http.MethodPost, ref, "/rename", nil, api.Rename{Name: name}, &out)
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

// Snooze puts off that the session waits for a person; 0 takes it back.
func (c *Client) Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error) {
	var out api.Session
	if d <= 0 {
		err := c.onAct(ctx, http.MethodDelete, ref, "/snooze", nil, nil, &out)
		return out, err
	}
	seconds := int((d + time.Second - 1) / time.Second)
	err := c.onAct(ctx, http.MethodPost, ref, "/snooze", nil, api.Snooze{Seconds: seconds}, &out)
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

// Agents lists what a session can be started as.
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

// Config is the daemon's configuration as JSON, secrets left out.
func (c *Client) Config(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.call(ctx, http.MethodGet, "/v1/config", nil, nil, &out)
	return out, err
}

// EventFilter chooses events of the log. The zero value chooses the newest of all.
type EventFilter struct {
	// Since chooses the first events after that number, those after -1 from the beginning
	// of the log; 0 chooses the newest ones.
	Since int64
	// Before leaves out events from that number on; with Since 0 alone. 0: none.
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

// PageEvents calls each for all events that f chooses, oldest first, however many there
// are: up to f.Limit, or to the end of the log if that is 0.
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
