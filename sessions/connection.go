package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions/adopt"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/process"
	"ccdir/wire"
)

// Pauses between attempts to reach a host that runs and does not answer. They double from
// the first, which nobody notices, to the last, which costs nothing.
const (
	redialFirst = 5 * time.Millisecond
	redialMax   = time.Second
	// redialRefused is the pause after a host has refused the daemon: it will refuse again.
	redialRefused = 10 * time.Second
)

// connectHost starts to keep a connection to the host; in the actor.
func (s *session) connectHost(hf wire.HostFile) {
	s.disconnectHost()
	s.host, s.cur.Launch = hf, launchOf(hf)
	s.noteHost(hf.PID, hf.Start)
	s.setRunning(true)
	ctx, cancel := context.WithCancel(s.ctx)
	s.hosted = cancel
	since := s.evidenceSeq
	rules := s.screenRules()
	s.r.wg.Keep(ctx, func(ctx context.Context) { s.keepLink(ctx, hf, since, rules) })
}

// disconnectHost ends the connection to the host; in the actor. It does not wait: keepLink may be
// about to post to this actor.
func (s *session) disconnectHost() {
	if s.hosted != nil {
		s.hosted()
		s.hosted, s.link = nil, nil
	}
}

// keepLink keeps a connection to the host until the process has ended, the host is gone, or
// ctx ends. It runs in a goroutine of its own.
func (s *session) keepLink(ctx context.Context, hf wire.HostFile, since uint64, rules []agents.ScreenRule) {
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	s.r.wg.Keep(watching, func(ctx context.Context) { s.watchStatus(ctx, hf) })
	s.r.wg.Keep(watching, s.followAgent)
	s.r.wg.Keep(watching, s.watchFolder)
	pause := redialFirst
	for ctx.Err() == nil {
		exited, connected, err := s.attach(ctx, hf, &since, rules)
		if exited || ctx.Err() != nil {
			return
		}
		if final, ferr := adopt.ReadFinal(s.dir); ferr == nil {
			s.tell(ctx, func() { s.finish(final) })
			return
		}
		if !proc.Alive(hf.PID, hf.Start) {
			// The host may have written its exit record between the two checks.
			if final, ferr := adopt.ReadFinal(s.dir); ferr == nil {
				s.tell(ctx, func() { s.finish(final) })
			} else {
				s.tell(ctx, func() { s.hostDied(hf) })
			}
			return
		}
		if connected {
			pause = redialFirst
		}
		var refused *wire.Error
		if errors.As(err, &refused) {
			s.r.log.Error("a host refused the daemon", "session", s.id, "error", refused.Message)
			pause = redialRefused
		}
		if errors.Is(err, fs.ErrNotExist) {
			// USR1 makes the host create its socket again.
			_ = proc.Signal(hf.PID, hf.Start, process.USR1)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, redialMax)
	}
}

// attach connects once and reads until the connection ends. since is the number of the last
// evidence read.
func (s *session) attach(ctx context.Context, hf wire.HostFile, since *uint64, rules []agents.ScreenRule) (exited, connected bool, err error) {
	last := *since
	conn, welcome, err := wire.Dial(ctx, hf.Socket, wire.Hello{Ticket: hf.Spec.Ticket,
		Client: "ccdir " + api.Version + " (daemon)", Evidence: &last})
	if err != nil {
		return false, false, err
	}
	l := hostlink.New(conn)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	s.tell(ctx, func() { s.connected(l, welcome) })
	linked, unlink := context.WithCancel(ctx)
	defer unlink()
	s.r.wg.Go(func() { s.followScreen(linked, l, rules) })
	err = l.Read(func(m wire.Message) {
		switch m := m.(type) {
		case *wire.Evidence:
			*since = m.Seq
			s.tell(ctx, func() { s.fromHost(*m) })
		case *wire.EvidenceLost:
			*since = max(*since, m.To)
			s.tell(ctx, func() { s.evidenceLost(*m) })
		case *wire.Status:
			s.tell(ctx, func() { s.hostStatus(*m) })
		case *wire.Screen:
			s.lookAt(ctx, rules, *m)
		case *wire.Exit:
			exited = true
			s.tell(ctx, func() { s.exited(m.ExitRecord) })
		}
	})
	s.post(func() {
		if s.link == l {
			s.link = nil
		}
	})
	return exited, true, err
}

// tell runs fn in the actor unless ctx has ended: messages of an old host must not change
// the state of a restarted session.
func (s *session) tell(ctx context.Context, fn func()) {
	s.post(func() {
		if ctx.Err() == nil {
			fn()
		}
	})
}

// connected takes over a new connection.
func (s *session) connected(l *hostlink.Link, w wire.Welcome) {
	s.link = l
	before := s.cur
	s.cur.PID, s.cur.HostPID, s.cur.HostVersion = w.PID, w.HostPID, w.Version
	s.takeStatus(w.Status)
	if !sameSession(before, s.cur) {
		s.publish(change{}, true)
	}
}

// hostStatus applies a status message.
func (s *session) hostStatus(st wire.Status) {
	before := s.cur
	s.takeStatus(st)
	if !sameSession(before, s.cur) {
		s.show()
	}
}

func (s *session) takeStatus(st wire.Status) {
	if st.Cols > 0 && st.Rows > 0 {
		s.cur.Cols, s.cur.Rows = st.Cols, st.Rows
	}
	s.cur.Title = agents.Cut(st.Title, 1024)
}

// evidenceLost weighs the latest program status instead of the dropped evidence.
func (s *session) evidenceLost(m wire.EvidenceLost) {
	s.r.log.Warn("a host dropped evidence before it was read", "session", s.id, "from", s.evidenceSeq, "to", m.To)
	s.evidenceSeq = max(s.evidenceSeq, m.To)
	for _, h := range m.PSP {
		s.weigh(pspEvidence(h), change{})
	}
}

// finish records the end of a process from the exit record of its host.
func (s *session) finish(final wire.Final) <-chan error {
	for _, h := range final.Evidence {
		if h.Name != wire.EvidenceExit {
			s.fromHost(h)
		}
	}
	if final.Cols > 0 && final.Rows > 0 {
		s.cur.Cols, s.cur.Rows = final.Cols, final.Rows
	}
	s.cur.Title = agents.Cut(final.Title, 1024)
	return s.exited(final.ExitRecord)
}

// remakeTime bounds the wait for a host to create its vanished socket again.
const remakeTime = time.Second

// remakeSockets asks all hosts whose sockets vanished (/tmp was cleaned up) to create them
// again. It does not wait for them. The daemon's own connections live on.
func (r *Registry) remakeSockets() {
	for _, s := range r.all() {
		if !s.seen().running || s.outside {
			continue
		}
		var hf wire.HostFile
		if s.do(r.ctx, func() { hf = s.host }) == nil && vanished(hf.Socket) {
			_ = proc.Signal(hf.PID, hf.Start, process.USR1)
		}
	}
}

func vanished(socket string) bool {
	_, err := os.Lstat(socket)
	return errors.Is(err, fs.ErrNotExist)
}

// dialable waits until the host's socket exists again if it vanished; then other hosts'
// sockets have probably vanished too. If the host is too late, the client's dial fails.
func (r *Registry) dialable(ctx context.Context, socket string) {
	if vanished(socket) {
		r.remakeSockets()
		process.Poll(ctx, remakeTime, func() bool { return !vanished(socket) })
	}
}
