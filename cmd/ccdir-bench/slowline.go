package main

import (
	"net"
	"sync"
	"time"
)

// slowLine is a TCP relay to an address with a delay each way and a rate, which can be stalled
// and cut: kernels without netem exist.
type slowLine struct {
	l    net.Listener
	to   string
	wait time.Duration // each way
	rate int           // bytes a second each way, 0: no bound

	mu      sync.Mutex
	conns   map[net.Conn]bool
	stalled chan struct{} // closed when the line goes on
}

// newSlowLine listens on a free port of loopback.
func newSlowLine(to string, round time.Duration, rate int) (*slowLine, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &slowLine{l: l, to: to, wait: round / 2, rate: rate, conns: map[net.Conn]bool{}, stalled: make(chan struct{})}
	close(s.stalled)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s, nil
}

func (s *slowLine) port() int { return s.l.Addr().(*net.TCPAddr).Port }

func (s *slowLine) serve(a net.Conn) {
	b, err := net.Dial("tcp", s.to)
	if err != nil {
		a.Close()
		return
	}
	s.mu.Lock()
	s.conns[a], s.conns[b] = true, true
	s.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { s.pipe(a, b) })
	wg.Go(func() { s.pipe(b, a) })
	wg.Wait()
	s.mu.Lock()
	delete(s.conns, a)
	delete(s.conns, b)
	s.mu.Unlock()
}

// packet is some bytes and when they arrive.
type packet struct {
	data []byte
	at   time.Time
}

// pipe carries bytes one way. What is under way is bounded as by a router's buffer.
func (s *slowLine) pipe(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	way := make(chan packet, 256)
	go func() {
		defer close(way)
		free := time.Now() // when the line can take the next byte
		for {
			buf := make([]byte, 4<<10)
			n, err := from.Read(buf)
			if n > 0 {
				if now := time.Now(); free.Before(now) {
					free = now
				}
				if s.rate > 0 {
					free = free.Add(time.Duration(n) * time.Second / time.Duration(s.rate))
				}
				way <- packet{buf[:n], free.Add(s.wait)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range way {
		time.Sleep(time.Until(p.at))
		s.mu.Lock()
		stalled := s.stalled
		s.mu.Unlock()
		<-stalled
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	from.Close()
	for range way { // its reader ends
	}
}

// cut ends every connection.
func (s *slowLine) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

// stall holds what arrives until the returned function is called.
func (s *slowLine) stall() (goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalled = make(chan struct{})
	return sync.OnceFunc(func() { close(s.stalled) })
}

func (s *slowLine) close() {
	s.l.Close()
	s.cut()
}
