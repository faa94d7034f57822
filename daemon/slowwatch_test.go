package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/daemon/httpapi"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
)

// served is the API over an event log and a real store, without sessions'
// processes.
type served struct {
	log  *journal.Log
	http *httptest.Server
}

// serveLog starts one with n sessions.
func serveLog(t testing.TB, n int) served {
	t.Helper()
	db, _, err := store.Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := journal.Options{Store: db}
	for i := range n {
		o.Sessions = append(o.Sessions, *changedSession(i, 0).Session)
	}
	s := served{}
	if s.log, err = journal.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	s.http = httptest.NewUnstartedServer(httpapi.New(httpapi.Deps{Log: logView{s.log}}))
	s.http.Listener.Close()
	socket := filepath.Join(shortDir(t), "s") // whose buffers are small everywhere
	if s.http.Listener, err = net.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	s.http.Start()
	s.http.Client().Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	t.Cleanup(func() {
		s.log.Close() // ends the streams
		s.http.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// changedSession is what a hook call of session i publishes; n tells values apart.
func changedSession(i, n int) api.WatchMessage {
	at := time.Unix(int64(n), 0).UTC()
	v := api.Session{ID: fmt.Sprintf("session%03d", i), Name: fmt.Sprint("claude-", i), Agent: "claude", State: api.StateWorking, Since: at, CWD: "/home/me/src/project",
		Cols: n, Rows: 30, Conversation: "7dd0dcb3-cda3-4864-8056-35cfdb122205", Prompt: strings.Repeat("fix the test ", 5), Created: time.Unix(1, 0).UTC(),
		Argv: []string{"claude", "--settings", "/home/me/.local/state/ccdir/sessions/abcdefgh/settings.json"}}
	e := api.Event{At: at, Session: v.ID, Type: claude.HookPreToolUse, Source: "hook", StateFrom: api.StateWorking, StateTo: api.StateWorking, Message: "Bash: go test ./...", Data: json.RawMessage(hookPayload)}
	return api.WatchMessage{Event: &e, Session: &v}
}

// shortDir is a directory whose name leaves room for a socket's.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// change appends what changedSession tells, with a record as sessions have it.
func (s served) change(i, n int) <-chan error {
	m := changedSession(i, n)
	record, _ := json.Marshal(map[string]any{"session": m.Session, "fold": strings.Repeat("x", 1500)})
	return s.log.Append(m, record, fmt.Sprint(i, "-", n))
}

// watch opens the stream of changes; each calls f with the data of every message
// until f returns false.
func (s served) watch(t testing.TB) (each func(f func(data []byte) bool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", "http://ccdir/v1/watch", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.http.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewReaderSize(resp.Body, 1<<20)
	return func(f func([]byte) bool) {
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Error("the stream ended:", err)
				return
			}
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && !f(data) {
				return
			}
		}
	}
}

// TestSlowStream: a watcher that takes nothing for a while holds nobody up, and
// then gets what the connection and its queue held, a snapshot in the place of
// the rest, and every event since: no gap that it would not notice, and the newest
// value of every session.
func TestSlowStream(t *testing.T) {
	const sessions, last = 8, 4000
	s := serveLog(t, sessions)
	each := s.watch(t)
	quick := s.watch(t)
	quick(func([]byte) bool { return false }) // its snapshot: it watches
	var newest <-chan error
	for n := range last {
		newest = s.change(n%sessions, n)
	}
	if err := <-newest; err != nil { // while nobody reads
		t.Fatal(err)
	}
	seq, snapshots, cols := int64(-1), 0, map[string]int{}
	each(func(data []byte) bool {
		var m api.WatchMessage
		if err := json.Unmarshal(data, &m); err != nil {
			t.Error(err)
			return false
		}
		if m.Snapshot != nil {
			if m.Snapshot.Seq < seq {
				t.Errorf("a snapshot at %d after event %d", m.Snapshot.Seq, seq)
			}
			seq, snapshots = m.Snapshot.Seq, snapshots+1
			for _, v := range m.Snapshot.Sessions {
				cols[v.ID] = v.Cols
			}
		}
		if m.Event != nil {
			if m.Event.Seq != seq+1 {
				t.Errorf("event %d after %d", m.Event.Seq, seq)
			}
			seq = m.Event.Seq
		}
		if m.Session != nil {
			cols[m.Session.ID] = m.Session.Cols
		}
		return seq < last
	})
	for i := range sessions {
		if id := changedSession(i, 0).Session.ID; cols[id] != last-sessions+i {
			t.Errorf("session %s is known at %d, not %d", id, cols[id], last-sessions+i)
		}
	}
	if snapshots < 2 {
		t.Errorf("%d snapshots: it was never too slow, so this proved nothing", snapshots)
	}
}
