package client

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

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
	return c.RestartSessionWith(ctx, ref, api.Restart{})
}

// RestartSessionWith is RestartSession with a change.
func (c *Client) RestartSessionWith(ctx context.Context, ref string, how api.Restart) (api.Session, error) {
	var out api.Session
	var in any
	if how != (api.Restart{}) {
		in = how
	}
	err := c.onKeyed(ctx, http.MethodPost, ref, "/restart", nil, in, &out)
	return out, err
}

// ParkSession ends the process of an idle agent, and returns when it has ended.
func (c *Client) ParkSession(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/park", nil, nil, &out)
	return out, err
}

// WakeSession starts the process of a parked session again; one that runs is left as it is.
func (c *Client) WakeSession(ctx context.Context, ref string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/wake", nil, nil, &out)
	return out, err
}

// Parking tells whether a session may be parked.
func (c *Client) Parking(ctx context.Context, ref string) (api.Parking, error) {
	var out api.Parking
	err := c.on(ctx, http.MethodGet, ref, "/parking", nil, nil, &out)
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

// ResumeSession says whether a session goes on after usage limits.
func (c *Client) ResumeSession(ctx context.Context, ref string, how api.Resume) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/resume", nil, how, &out)
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

// MarkSession changes what a person has noted of a session.
func (c *Client) MarkSession(ctx context.Context, ref string, m api.SetMarks) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/marks", nil, m, &out)
	return out, err
}

// Focus gives the session the keyboard in every attached grid.
func (c *Client) Focus(ctx context.Context, ref string) error {
	return c.onKeyed(ctx, http.MethodPost, ref, "/focus", nil, nil, nil)
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

// Screen returns the last lines of a session's history and screen as cells; lines 0: the
// screen.
func (c *Client) Screen(ctx context.Context, ref string, lines int) (api.Screen, error) {
	q := url.Values{"format": {"json"}}
	if lines > 0 {
		q.Set("lines", strconv.Itoa(lines))
	}
	var out api.Screen
	err := c.on(ctx, http.MethodGet, ref, "/buffer", q, nil, &out)
	return out, err
}

// SendLater keeps a prompt until the session can take it. It is on disk when SendLater
// returns. Calls with the same key, unless that is "", keep one.
func (c *Client) SendLater(ctx context.Context, ref, text, key string) (out api.PendingPrompt, err error) {
	path, err := session(ref, "/pending")
	if err != nil {
		return out, err
	}
	err = c.keyed(ctx, key, http.MethodPost, path, nil, api.NewPending{Text: text}, &out)
	return out, err
}

// Pending lists the prompts that wait for their sessions, and the newest that were delivered
// or failed, oldest first; ref "": of every session.
func (c *Client) Pending(ctx context.Context, ref string) (out []api.PendingPrompt, err error) {
	q := url.Values{}
	if ref != "" {
		q.Set("session", ref)
	}
	err = c.call(ctx, http.MethodGet, "/v1/pending", q, nil, &out)
	return out, err
}

// EditPending gives a pending prompt another text.
func (c *Client) EditPending(ctx context.Context, id, text string) (out api.PendingPrompt, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/pending/"+url.PathEscape(id)+"/edit", nil, api.NewPending{Text: text}, &out)
	return out, err
}

// CancelPending takes a pending prompt back, or one that is not pending out of the list.
func (c *Client) CancelPending(ctx context.Context, id string) error {
	return c.keyed(ctx, "", http.MethodDelete, "/v1/pending/"+url.PathEscape(id), nil, nil, nil)
}
