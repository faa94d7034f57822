package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/tune/timer"
)

const (
	// heartbeat is the interval of comments in a silent stream, by which a reader tells it
	// from a dead one.
	heartbeat = 20 * time.Second
	// writeTimeout ends a stream whose reader does not read.
	writeTimeout = 15 * time.Second
	// idBufferLen is enough for "id: " and a number.
	idBufferLen = 32
)

// sse writes server-sent events (WHATWG HTML, section 9.2), or the events of a call on the
// control socket.
type sse struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf bytes.Buffer
	// alarms bound a write. A write deadline would remain after it and wake up the daemon.
	alarms *timer.Clock
	// direct takes the events of a control socket; nil elsewhere.
	direct *answerWriter
}

// newSSE starts a stream.
func (s *server) newSSE(w http.ResponseWriter) (*sse, error) {
	if a, ok := w.(*answerWriter); ok {
		a.WriteHeader(http.StatusOK)
		return &sse{direct: a}, nil
	}
	out := &sse{w: w, rc: http.NewResponseController(w), alarms: s.Alarms}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return out, out.flush()
}

// add puts one event into the buffer; id 0 is none.
func (s *sse) add(id int64, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.addJSON(id, data)
}

// addJSON is add for encoded JSON.
func (s *sse) addJSON(id int64, data []byte) error {
	if s.direct != nil {
		return s.direct.event(data)
	}
	if id > 0 {
		s.buf.WriteString("id: ")
		s.buf.Write(strconv.AppendInt(make([]byte, 0, idBufferLen), id, 10))
		s.buf.WriteByte('\n')
	}
	s.buf.WriteString("data: ")
	s.buf.Write(data) // json.Marshal writes no line ends
	s.buf.WriteString("\n\n")
	return nil
}

// flush writes the buffer, within writeTimeout.
func (s *sse) flush() error {
	if s.direct != nil {
		return nil
	}
	late := s.alarms.AfterFunc(writeTimeout, func() { _ = s.rc.SetWriteDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	if _, err := s.w.Write(s.buf.Bytes()); err != nil {
		return err
	}
	s.buf.Reset()
	return s.rc.Flush()
}

func (s *sse) beat() error {
	if s.direct != nil {
		return nil // a WebSocket has pings
	}
	s.buf.WriteString(": \n\n")
	return s.flush()
}

// withHosts returns the snapshot with the addresses of running hosts.
func (s *server) withHosts(ctx context.Context, snap *api.Snapshot) *api.Snapshot {
	full := *snap
	full.Hosts = make(map[string]api.HostAddress, len(snap.Sessions))
	for _, v := range snap.Sessions {
		if v.State.Ended() || v.External {
			continue
		}
		if a, err := s.Sessions.HostAddress(ctx, v.ID); err == nil {
			full.Hosts[v.ID] = a
		}
	}
	return &full
}

// watch streams api.WatchMessage, the snapshot first; with hosts=1 it has the
// addresses of the hosts.
func (s *server) watch(w http.ResponseWriter, r *http.Request) error {
	next, stop := s.Log.Watch()
	defer stop()
	viewer := s.viewer(r)
	// A ticket is the right to type.
	hosts := r.URL.Query().Get("hosts") == "1" && !access.Remote(r.Context()) && viewer.person
	out, err := s.newSSE(w)
	if err != nil {
		return nil // the client is gone
	}
	for {
		ctx, cancel := context.WithCancel(r.Context())
		beat := s.Alarms.AfterFunc(heartbeat, cancel)
		messages, err := next(ctx)
		silent := ctx.Err() != nil && r.Context().Err() == nil
		beat.Stop()
		cancel()
		switch {
		case err != nil && silent:
			err = out.beat()
		case err == nil:
			if snap := messages[0].Snapshot; snap != nil { // it is always the first
				if hosts {
					snap = s.withHosts(r.Context(), snap)
				}
				messages, err = messages[1:], out.add(snap.Seq, &api.WatchMessage{Snapshot: viewer.snapshot(snap)})
			}
			if err == nil {
				err = viewer.messages(messages, out.addJSON)
			}
			if err == nil {
				err = out.flush()
			}
		}
		if err != nil {
			return nil // the client has left or the daemon stops
		}
	}
}
