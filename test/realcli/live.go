package realcli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/wire"
)

// Live is the CLI in a session of an installed ccdir. It records the states that were
// shown, and when, to compare them with the truth.
type Live struct {
	*Timeline
	t       testing.TB
	p       *Product
	id      string
	process *os.Process
	exited  chan struct{}

	mu   sync.Mutex
	told []moment
}

// OpenLive starts a session of the product's. It ends with the test.
func OpenLive(ctx context.Context, t testing.TB, p *Product, opt Options) *Live {
	t.Helper()
	cli := opt.CLI
	if cli == "" {
		cli = Claude(t)
	}
	extra := append([]string(nil), opt.ExtraEnv...)
	if opt.NoPSP {
		extra = append(extra, api.EnvNoStatus+"=1")
	}
	p = p.with(t)
	l := &Live{Timeline: NewTimeline(), t: t, p: p, exited: make(chan struct{})}
	s, err := p.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Argv: append([]string{cli}, opt.Args...), CWD: opt.Place.CWD,
		Env: opt.Place.Env, ExtraEnv: extra, Cols: termCols, Rows: termRows})
	if err != nil {
		t.Fatal(err)
	}
	l.id = s.ID
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	t.Cleanup(func() {
		if _, err := p.Client.KillSession(following, l.id, api.Kill{Force: true}); err != nil && api.CodeOf(err) != api.CodeNotRunning {
			t.Errorf("ending the session: %v", err)
		}
		stop()
		work.Wait()
	})
	work.Go(func() { l.watch(following) })
	work.Go(func() { l.hooks(following) })
	for l.process == nil { // the host tells it
		if s = p.Show(ctx, l.id); s.PID != 0 {
			l.process, _ = os.FindProcess(s.PID)
		}
	}
	work.Go(func() { l.evidence(following) })
	return l
}

// watch records the states that the daemon reports.
func (l *Live) watch(ctx context.Context) {
	look := func(s api.Session) {
		if s.ID != l.id {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if n := len(l.told); n > 0 && l.told[n-1].state == s.State {
			return
		}
		l.told = append(l.told, moment{time.Since(l.start).Milliseconds(), s.State, s.Question})
		if s.State.Ended() {
			close(l.exited)
		}
	}
	_ = l.p.Client.WatchOnce(ctx, func(m api.WatchMessage) {
		if m.Snapshot != nil {
			for _, s := range m.Snapshot.Sessions {
				look(s)
			}
		}
		if m.Session != nil {
			look(*m.Session)
		}
	})
}

// hooks records hook events.
func (l *Live) hooks(ctx context.Context) {
	_ = l.p.Client.Follow(ctx, client.EventFilter{Session: l.id}, func(e api.Event) error {
		if e.Source == "hook" {
			var data struct{ Source string }
			_ = json.Unmarshal(e.Data, &data)
			l.Add(Entry{Evidence: api.Evidence{Source: api.SourceHook, Name: e.Type, Fields: map[string]string{"source": data.Source}}})
		}
		return nil
	})
}

// evidence records the host's evidence.
func (l *Live) evidence(ctx context.Context) {
	first := uint64(0)
	conn, _, err := l.p.Client.Host(ctx, l.id, client.HostOptions{ReadOnly: true, Evidence: &first})
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	for {
		m, err := conn.Receive()
		if err != nil {
			return
		}
		e, ok := m.(*wire.Evidence)
		if !ok {
			continue
		}
		switch e.Name {
		case wire.EvidencePSP:
			l.Add(Entry{Evidence: api.Evidence{Source: api.SourcePSP, Name: "psp", Fields: e.Fields}})
		case wire.EvidenceTitle:
			l.Add(Entry{Evidence: api.Evidence{Source: api.SourceTitle, Name: "title", Fields: e.Fields}})
		}
	}
}

// Type sends the session a key of that name, or the bytes if the name is "text" or
// "paste".
func (l *Live) Type(name, keys string) {
	l.t.Helper()
	in := api.RawInput{Keys: []string{name}}
	if name == "text" || name == "paste" {
		in = api.RawInput{Data: []byte(keys)}
	}
	l.Add(Entry{Evidence: api.Evidence{Source: api.SourceKeys, Name: "key", Fields: map[string]string{"keys": name}}})
	if err := l.p.Client.Input(l.t.Context(), l.id, in); err != nil && api.CodeOf(err) != api.CodeNotRunning {
		l.t.Errorf("typing %s: %v", name, err)
	}
}

// Submit sends the CLI a prompt as a user does.
func (l *Live) Submit(ctx context.Context, text string) {
	l.t.Helper()
	l.Type("paste", "\x1b[200~"+text+"\x1b[201~")
	word, _, _ := strings.Cut(text, "\n")
	l.Screen(ctx, word)
	l.Type("Enter", "\r")
}

// Screen blocks until the session's screen contains want.
func (l *Live) Screen(ctx context.Context, want string) {
	l.t.Helper()
	l.p.Screen(ctx, l.id, want)
}

// Until blocks until an entry at or after from matches.
func (l *Live) Until(ctx context.Context, from int, what string, fits func(Entry) bool) int {
	l.t.Helper()
	_, at, err := l.Await(ctx, from, fits)
	if err != nil {
		l.t.Fatalf("never saw %s:\n%s\n%s", what, l.Text(), l.Log())
	}
	return at + 1
}

// Text is the session's screen.
func (l *Live) Text() string { return l.p.Text(context.WithoutCancel(l.t.Context()), l.id) }

// Resize changes the session's size.
func (l *Live) Resize(cols, rows int) {
	l.t.Helper()
	if err := l.p.Client.Resize(l.t.Context(), l.id, cols, rows); err != nil {
		l.t.Error(err)
	}
}

// Exited is closed when the session is reported as ended.
func (l *Live) Exited() <-chan struct{} { return l.exited }

// Process is the CLI's.
func (l *Live) Process() *os.Process { return l.process }

// States are those reported so far.
func (l *Live) States() []moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]moment(nil), l.told...)
}

// Log is the timeline with the states in between, and the session.
func (l *Live) Log() string {
	var b strings.Builder
	told := l.States()
	for _, e := range l.Entries() {
		for len(told) > 0 && told[0].ms <= e.MS {
			fmt.Fprintf(&b, "%6d          state: %s (%s)\n", told[0].ms, told[0].state, told[0].why)
			told = told[1:]
		}
		b.WriteString(e.String() + "\n")
	}
	for _, m := range told {
		fmt.Fprintf(&b, "%6d          state: %s (%s)\n", m.ms, m.state, m.why)
	}
	if x, err := l.p.Client.Explain(context.Background(), l.id); err == nil {
		data, _ := json.MarshalIndent(x, "", " ")
		b.Write(append(data, '\n'))
	}
	return b.String()
}
