package opencode

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/contain"
)

const (
	// firstEvent bounds the wait for the first event: a connection of the first seconds of a start
	// may never get an answer.
	firstEvent = 3 * time.Second
	// silence bounds the wait for the next one; a heartbeat comes every 10 s.
	silence = 45 * time.Second
	// maxEvent bounds an event, in bytes.
	maxEvent = 32 << 20
)

// line follows a server. Next is called by one goroutine.
type line struct {
	client *client
	body   io.ReadCloser
	events *bufio.Reader
	ready  []agents.Report
	// watch ends the connection when no event comes.
	watch *time.Timer

	// shows are the goroutines that have the terminal show a new conversation; closed ends them.
	shows  contain.Group
	closed chan struct{}

	unguarded string // why no policy holds; set by Connect

	mu      sync.Mutex // guards what follows
	tracker tracker
	asked   map[string]bool // open requests; true: a question
}

// Connect implements agents.Connected. The first reports are what stands already: the state,
// and the requests that are open.
func (Adapter) Connect(ctx context.Context, c agents.Control) (agents.Line, error) {
	client, err := newClient(c)
	if err != nil {
		return nil, err
	}
	l := &line{client: client, asked: map[string]bool{}, closed: make(chan struct{}), tracker: tracker{session: c.Conversation, keeps: c.Conversations}}
	if err := l.open(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	if l.tracker.agents, l.unguarded, err = client.agents(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	l.unguarded = cmp.Or(l.unguarded, unguarded(l.tracker.agents))
	if err := l.standing(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	if c.Conversation == "" && sessionID().MatchString(c.Fork) {
		if err := l.begin(ctx, "/session/"+c.Fork+"/fork"); err != nil {
			_ = l.Close()
			return nil, err
		}
	}
	return l, nil
}

// begin makes a conversation and has the terminal show it.
func (l *line) begin(ctx context.Context, path string) error {
	var made struct {
		ID string `json:"id"`
	}
	if err := l.client.call(ctx, http.MethodPost, path, map[string]any{}, &made); err != nil {
		return err
	}
	if !sessionID().MatchString(made.ID) {
		return fmt.Errorf("opencode names a conversation %q", agents.Visible(made.ID, 64))
	}
	l.mu.Lock()
	l.tracker.session = made.ID
	l.mu.Unlock()
	l.show(made.ID)
	return nil
}

// open begins the stream and waits for its first event.
func (l *line) open(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	l.watch = time.AfterFunc(firstEvent, cancel)
	resp, err := l.client.request(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		cancel()
		return err
	}
	l.body, l.events = resp.Body, bufio.NewReaderSize(resp.Body, 64<<10)
	if resp.StatusCode != http.StatusOK {
		return &statusError{"GET /event", resp.StatusCode}
	}
	_, err = l.event()
	return err
}

// standing reports what the server's state is.
func (l *line) standing(ctx context.Context) error {
	var status map[string]struct {
		Type string `json:"type"`
	}
	var permissions, questions []json.RawMessage
	for path, out := range map[string]any{"/session/status": &status, "/permission": &permissions, "/question": &questions} {
		if err := l.client.call(ctx, http.MethodGet, path, nil, out); err != nil {
			return err
		}
	}
	session, busy := "", "idle"
	for id, s := range status {
		if s.Type != "idle" {
			session, busy = id, "busy"
		}
	}
	l.take(event{Type: "session.status", Props: object("sessionID", session, "status", map[string]string{"type": busy})})
	for kind, list := range map[string][]json.RawMessage{"permission.asked": permissions, "question.asked": questions} {
		for _, q := range list {
			l.take(event{Type: kind, Props: q})
		}
	}
	return nil
}

// object is a JSON object of pairs.
func object(pairs ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	data, _ := json.Marshal(m) // texts and maps
	return data
}

// take passes an event to the tracker and keeps its reports.
func (l *line) take(e event) {
	data, _ := json.Marshal(e) // it was JSON
	l.read(data)
}

func (l *line) read(data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.tracker.read(data, time.Now().UTC()) {
		if r.Opens != "" {
			l.asked[r.Opens] = r.Hook.Tool == api.ToolAsk
		}
		delete(l.asked, r.Closes)
		l.ready = append(l.ready, r)
	}
}

// Next implements agents.Line.
func (l *line) Next(ctx context.Context) (agents.Report, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.body.Close() })
	defer stop()
	for len(l.ready) == 0 {
		data, err := l.event()
		if err != nil {
			return agents.Report{}, errors.Join(ctx.Err(), err)
		}
		l.read(data)
	}
	r := l.ready[0]
	l.ready = l.ready[1:]
	return r, nil
}

// event reads the next event: the data of its lines.
func (l *line) event() ([]byte, error) {
	var data []byte
	for {
		text, err := readLine(l.events, maxEvent-len(data))
		if err != nil {
			return nil, err
		}
		switch rest, is := bytes.CutPrefix(text, []byte("data:")); {
		case is:
			data = append(data, bytes.TrimSpace(rest)...)
		case len(text) == 0 && len(data) > 0:
			l.watch.Reset(silence)
			return data, nil
		}
	}
}

// readLine reads one line of at most limit bytes, without its end.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var out []byte
	for {
		piece, err := r.ReadSlice('\n')
		if len(out)+len(piece) > limit {
			return nil, errors.New("an event of opencode is too long")
		}
		out = append(out, piece...)
		if err == nil {
			return bytes.TrimRight(out, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// Answer implements agents.Line.
func (l *line) Answer(ctx context.Context, key string, d api.Decision) error {
	if d.Outcome != api.OutcomeAnswered || d.Answer == nil {
		return nil
	}
	l.mu.Lock()
	question := l.asked[key] || d.Request.Tool == api.ToolAsk
	l.mu.Unlock()
	path, body := "/permission/"+url.PathEscape(key)+"/reply", map[string]any{"reply": "once"}
	allowed := d.Answer.Behavior == api.AnswerAllow
	switch {
	case question && allowed:
		list := answers(d.Request, d.Answer.Text)
		if list == nil {
			return nil // the dialog decides
		}
		path, body = "/question/"+url.PathEscape(key)+"/reply", map[string]any{"answers": list}
	case question:
		path, body = "/question/"+url.PathEscape(key)+"/reject", map[string]any{}
	case !allowed:
		message := d.Answer.Message
		if message == "" {
			message = "The user denied this." // with a message the turn goes on
		}
		body = map[string]any{"reply": "reject", "message": message}
	}
	err := l.client.call(ctx, http.MethodPost, path, body, nil)
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusNotFound {
		return nil // another answer was first
	}
	return err
}

// sessionID matches the server's ids of conversations, which become parts of paths.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ses_[0-9A-Za-z]{1,64}$`) })

// Prompt implements agents.Line. It leaves a draft in the terminal alone. The first prompt makes a
// conversation and has the terminal show it.
func (l *line) Prompt(ctx context.Context, _, text string) (handled bool, err error) {
	if command(text) {
		return false, nil
	}
	l.mu.Lock()
	session := l.tracker.session
	l.mu.Unlock()
	if !sessionID().MatchString(session) {
		if err := l.begin(ctx, "/session"); err != nil {
			return false, err
		}
		l.mu.Lock()
		session = l.tracker.session
		l.mu.Unlock()
	}
	parts := []any{map[string]any{"type": "text", "text": text}}
	err = l.client.call(ctx, http.MethodPost, "/session/"+session+"/prompt_async", map[string]any{"parts": parts}, nil)
	return err == nil, err
}

// showAgain are the pauses before the terminal is told again which conversation to show: one that
// is still starting does not hear it.
var showAgain = []time.Duration{0, time.Second, 3 * time.Second, 6 * time.Second}

// show has the terminal show a conversation.
func (l *line) show(session string) {
	l.shows.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for _, pause := range showAgain {
			select {
			case <-time.After(pause):
			case <-l.closed:
				return
			}
			// It may be gone by now: then nothing is shown.
			_ = l.client.call(ctx, http.MethodPost, "/tui/select-session", map[string]any{"sessionID": session}, nil)
		}
	})
}

// Close implements agents.Line.
func (l *line) Close() error {
	close(l.closed)
	defer l.shows.Wait()
	if l.watch != nil {
		l.watch.Stop()
	}
	if l.body != nil {
		_ = l.body.Close()
	}
	l.client.close()
	return nil
}
