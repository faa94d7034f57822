package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
)

const (
	// heartbeat is the interval of comments in a silent stream.
	heartbeat = 20 * time.Second
	// writeTimeout ends a stream whose reader does not read.
	writeTimeout = 15 * time.Second
	// liveStep is the least time between two messages of a stream: what changes in between is in the
	// next one.
	liveStep = 250 * time.Millisecond
)

// view makes the blocks of a page anew.
type view struct {
	blocks func(ctx context.Context) ([]block, error)
	// session: only what happens to that session changes the page; "": anything may.
	session string
}

// liveAddress is the address of the stream of a page: its view, with the page's own query.
func liveAddress(c call, name string) string {
	q := url.Values{}
	for key, values := range c.URL.Query() {
		q[key] = values
	}
	q.Set("view", name)
	if id := c.PathValue("id"); id != "" {
		q.Set("ref", id)
	}
	return "/live?" + q.Encode()
}

// seenOf is the number of the last event that a page knows of, which it has had from an earlier stream or
// from the page itself; 0: it knows none.
func seenOf(c call) (int64, error) {
	if n, err := strconv.ParseInt(c.Header.Get("Last-Event-ID"), 10, 64); err == nil && n > 0 {
		return n, nil
	}
	return numberField(c.URL, "seen")
}

// viewOf is the view that a stream is asked for, by a page that knows of the events up to seen.
func (s *server) viewOf(c call, seen int64) (view, error) {
	q := c.URL.Query()
	ref := q.Get("ref")
	switch q.Get("view") {
	case "overview":
		f := filterOf(c.Request)
		return view{blocks: func(context.Context) ([]block, error) { return s.overviewBlocks(c, f) }}, nil
	case "session":
		v, err := s.Sessions.Get(c.Context(), ref)
		if err != nil {
			return view{}, err
		}
		ref = v.ID // the page may be called by its name
		return view{blocks: func(ctx context.Context) ([]block, error) { return s.sessionBlocks(ctx, c, ref) }, session: ref}, nil
	case "queue":
		return view{blocks: func(ctx context.Context) ([]block, error) { return s.queueBlocks(ctx, c) }}, nil
	case "events":
		rows := &eventRows{}
		if !strings.Contains(q.Get("session"), "/") { // a node's events have its own numbers
			rows.seen = seen
		}
		return view{blocks: func(ctx context.Context) ([]block, error) { return s.eventBlocks(ctx, c, rows) }}, nil
	case "approvals":
		return view{blocks: func(ctx context.Context) ([]block, error) { return s.approvalBlocks(ctx, c, "") }}, nil
	case "approval":
		return view{blocks: func(ctx context.Context) ([]block, error) { return s.approvalBlocks(ctx, c, ref) }}, nil
	}
	return view{}, api.Errorf(api.CodeNotFound, "no page has the live view %.40q", q.Get("view"))
}

// liveMessage is one message of a stream.
type liveMessage struct {
	// Order are the keys of all blocks, Blocks those that changed.
	Order  []string             `json:"order"`
	Blocks map[string]liveBlock `json:"blocks"`
	// Asks counts the open requests.
	Asks int `json:"asks"`
	// Notes are requests that ended, in words.
	Notes []string `json:"notes,omitempty"`
}

type liveBlock struct {
	V    string `json:"v"`
	HTML string `json:"html"`
}

// live streams the blocks of a page as they change, as server-sent events whose ids are numbers of the
// event log. The first message has all of them. A page that says by such a number what it has seen is told
// too what was answered since, and, if it shows events, gets all since.
func (s *server) live(w http.ResponseWriter, c call) error {
	seen, err := seenOf(c)
	if err != nil {
		return err
	}
	v, err := s.viewOf(c, seen)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	next, stop := s.Log.Watch()
	defer stop()
	s.Looking.Add(1) // a page that is not visible has no stream
	defer s.Looking.Add(-1)
	contain.Go(s.Logger, func() {
		select {
		case <-c.device.Revoked:
			cancel()
		case <-ctx.Done():
		}
	})
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	out := liveStream{w: w, rc: http.NewResponseController(w), sent: map[string]string{}}
	missed, err := s.missed(ctx, v, seen)
	if err != nil {
		return err
	}
	at := int64(0) // the number of the last event that the page will know of
	for {
		messages, silent, err := s.await(ctx, next)
		switch {
		case err != nil:
			return nil // the browser has left, the device was revoked, or the daemon stops
		case silent:
			s.Nodes.Look()
			err = out.write([]byte(": \n\n"))
		case !v.concerns(messages):
			continue
		default:
			at = max(at, numberOf(messages))
			var blocks []block
			if blocks, err = v.blocks(ctx); err == nil {
				err = out.send(at, blocks, len(s.Approvals.Requests()), append(missed, notesOf(messages)...))
				missed = nil
			}
		}
		if err != nil {
			return nil
		}
		select {
		case <-time.After(liveStep):
		case <-ctx.Done():
			return nil
		}
	}
}

// await returns the next messages; silent: there were none for a heartbeat.
func (s *server) await(ctx context.Context, next func(context.Context) ([]api.WatchMessage, error)) (messages []api.WatchMessage, silent bool, err error) {
	wait, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	messages, err = next(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return nil, true, nil
	}
	return messages, false, err
}

// concerns reports whether messages may change the view.
func (v view) concerns(messages []api.WatchMessage) bool {
	for _, m := range messages {
		switch {
		case v.session == "", m.Snapshot != nil, m.Removed == v.session,
			m.Session != nil && m.Session.ID == v.session, m.Event != nil && m.Event.Session == v.session,
			m.Request != nil && m.Request.Session == v.session, m.RequestEnded != nil && m.RequestEnded.Request.Session == v.session:
			return true
		}
	}
	return false
}

// numberOf is that of the last event of this machine's log in messages; 0 for none.
func numberOf(messages []api.WatchMessage) (n int64) {
	for _, m := range messages {
		if m.Snapshot != nil {
			n = max(n, m.Snapshot.Seq)
		}
		if m.Event != nil && m.Event.Node == "" {
			n = max(n, m.Event.Seq)
		}
	}
	return n
}

// maxMissed bounds how many answers a page that comes back is told of one by one.
const maxMissed = 5

// missed says which requests ended after the event seen, for a page that was away; 0: it was not.
func (s *server) missed(ctx context.Context, v view, seen int64) (notes []string, err error) {
	if seen == 0 || strings.Contains(v.session, "/") { // a node's events have its own numbers
		return nil, nil
	}
	// The answers are read before the log is watched any further: none is between.
	list, err := s.Log.Events(ctx, api.EventFilter{Since: seen, Type: api.EventPermissionEnded, Session: v.session})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if n := len(list) - maxMissed; n > 0 {
		notes = append(notes, fmt.Sprintf("%d requests ended before these", n))
		list = list[n:]
	}
	names := s.names()
	for _, e := range list {
		notes = append(notes, short(cmp.Or(names[e.Session], e.Session)+": "+e.Message, maxHeadline))
	}
	return notes, nil
}

// notesOf says which requests ended, and how.
func notesOf(messages []api.WatchMessage) (notes []string) {
	for _, m := range messages {
		d := m.RequestEnded
		if d == nil {
			continue
		}
		word := "closed without an answer here"
		if d.Answer != nil {
			word = map[api.AnswerBehavior]string{api.AnswerAllow: "allowed", api.AnswerDeny: "denied"}[d.Answer.Behavior] + " by " + d.By
			if d.Answer.Client != "" {
				word += ", " + d.Answer.Client
			}
		}
		notes = append(notes, short(d.Request.SessionName+": "+d.Request.Tool+" was "+word, maxHeadline))
	}
	return notes
}

// liveStream writes messages to one browser.
type liveStream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
	// sent has the contents that the browser has, by key.
	sent map[string]string
}

func (l *liveStream) send(seq int64, blocks []block, asks int, notes []string) error {
	m := liveMessage{Order: make([]string, 0, len(blocks)), Blocks: map[string]liveBlock{}, Asks: asks, Notes: notes}
	now := make(map[string]string, len(blocks))
	for _, b := range blocks {
		m.Order = append(m.Order, b.Key)
		if now[b.Key] = b.V; l.sent[b.Key] != b.V {
			m.Blocks[b.Key] = liveBlock{b.V, string(b.HTML)}
		}
	}
	l.sent = now
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if seq > 0 {
		out.WriteString("id: " + strconv.FormatInt(seq, 10) + "\n")
	}
	out.WriteString("data: ")
	out.Write(data) // json.Marshal writes no line ends
	out.WriteString("\n\n")
	return l.write(out.Bytes())
}

func (l *liveStream) write(data []byte) error {
	_ = l.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := l.w.Write(data); err != nil {
		return err
	}
	if err := l.rc.Flush(); err != nil {
		return err
	}
	_ = l.rc.SetWriteDeadline(time.Time{}) // or the timer would wake the daemon
	return nil
}
