package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"ccdir/mcpserver/files"
)

// Caller is the client at the other end of a connection, as the daemon knows it.
type Caller struct {
	// Session is the id of the session, Name its name; "" for a guest.
	Session, Name string
	// Role decides which tools the caller has; "" is the role of guests.
	Role string
	// Dir is the absolute directory of the session: the default project.
	Dir string
	// Allowed are other absolute directories that tools may work in.
	Allowed []string
	// Env is the environment of commands, KEY=VALUE.
	Env []string
	// Walls are those around the session; zero for none.
	Walls Walls
}

// Walls are those around a caller. What a tool runs for it runs behind them, and files are not
// written for it at all, because that would be done outside of them.
type Walls struct {
	// Profile is the name of their profile, "" for no walls.
	Profile string
	// Behind is the command that, followed by another, runs that behind the walls; nil for no
	// walls. Hides: something within Caller.Dir is hidden from the caller.
	Behind []string
	Hides  bool
}

// mayWrite refuses files to callers behind walls.
func (w Walls) mayWrite() error {
	if w.Behind == nil {
		return nil
	}
	return errors.New("this session runs behind a sandbox, outside of which ccdir would write: use your own tools for files, or a command")
}

// mayRead refuses files to callers from whom some in their directory are hidden.
func (w Walls) mayRead() error {
	if !w.Hides {
		return nil
	}
	return errors.New("something in this directory is hidden by the session's sandbox, outside of which ccdir would read: use your own tools for files, or a command")
}

type callerKey struct{}

// peer is the state of a connection in the context of its calls.
type peer struct {
	caller Caller
	space  *files.Space
	slots  *slots
	// lossyTransport: the transport may drop a notification that is sent right before a result.
	lossyTransport bool
}

func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(callerKey{}).(*peer)
	return p
}

// slots bounds the calls of one session in flight, over all its connections.
type slots struct {
	session string
	users   int // guarded by Server.mu
	// ended: the session has ended, and its connections not yet; guarded by Server.mu.
	ended bool
	free  chan struct{}
	room  *budget // for messages in flight
}

// newPeer makes the peer of a caller; release drops its reference to the slots.
func (s *Server) newPeer(caller Caller) (p *peer, release func(), err error) {
	space, err := files.New(caller.Dir, caller.Allowed...)
	if err != nil {
		return nil, nil, fmt.Errorf("directory of the caller: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.slots[caller.Session]
	if sl == nil || caller.Session == "" {
		sl = &slots{session: caller.Session, free: make(chan struct{}, s.maxCalls()), room: s.guests}
		if caller.Session != "" {
			sl.room = &budget{most: s.guests.most}
			s.slots[caller.Session] = sl
		}
	}
	sl.users++
	return &peer{caller: caller, space: space, slots: sl}, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sl.users--; sl.users == 0 && s.slots[sl.session] == sl {
			delete(s.slots, sl.session)
		}
	}, nil
}

// defaultCalls bounds the calls of one session in flight.
const defaultCalls = 8

func (s *Server) maxCalls() int {
	if s.opts.MaxCalls != nil {
		if n := s.opts.MaxCalls(); n > 0 {
			return n
		}
	}
	return defaultCalls
}
