package link

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// EnvAsk is set for ssh's askpass: the link's socket.
const EnvAsk = "CCDIR_ASKPASS"

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 8 << 10

// asked is a question under way.
type asked struct {
	Question
	answer chan Answer // one slot
}

// asked passes a question of ssh to the clients that answer, and the first answer back.
func (k *link) asked(conn net.Conn, text string) {
	k.mu.Lock()
	if k.answerer == 0 {
		k.mu.Unlock()
		_ = writeLine(conn, Answer{})
		return
	}
	k.asks++
	q := &asked{Question{k.asks, text[:min(len(text), 1000)]}, make(chan Answer, 1)}
	k.question = q
	k.changeLocked(func(s *Status) { s.Question = &q.Question })
	k.mu.Unlock()
	ctx, stop := hangUp(conn)
	defer stop()
	a := Answer{}
	select {
	case a = <-q.answer:
	case <-ctx.Done():
	case <-k.ctx.Done():
	}
	k.mu.Lock()
	if k.question == q {
		k.question = nil
		k.changeLocked(func(s *Status) { s.Question = nil })
	}
	k.mu.Unlock()
	_ = writeLine(conn, a)
}

// answers serves a client that takes questions: it gets each status, with the question, and
// sends answers. With Request.Ready it is served until a try has ended.
func (k *link) answers(conn net.Conn, r Request) {
	changed, leave := k.watcher()
	defer leave()
	k.mu.Lock()
	target := k.tries + 1
	if r.Answer {
		k.answerer++
	}
	if k.begun > k.tries && (r.Install != nil || r.Answer && !k.asking) {
		target++ // the try under way does not ask, nor install
	}
	if k.install = r.Install; r.Install != nil && r.Install.Always && k.mux != nil {
		k.mux = nil // another ssh installs
		k.status.State, k.status.Trying = StateOffline, true
		k.kill()
		target++
	}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		if r.Answer {
			k.answerer--
		}
		if k.answerer == 0 && k.question != nil {
			reply(k.question, Answer{})
		}
		k.mu.Unlock()
	}()
	wake(k.again)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			var a Answer
			if readLine(conn, maxAnswer, &a) != nil {
				return
			}
			k.mu.Lock()
			if q := k.question; q != nil && q.ID == a.ID {
				reply(q, a)
			}
			k.mu.Unlock()
		}
	}()
	for {
		k.mu.Lock()
		s, online, tries := k.status, k.mux != nil, k.tries
		k.mu.Unlock()
		if writeLine(conn, s) != nil || r.Ready && (online || tries >= target && !s.Trying) {
			return
		}
		select {
		case <-changed:
		case <-gone:
			return
		case <-k.ctx.Done():
			return
		}
	}
}

// reply gives the first answer to a question.
func reply(q *asked, a Answer) {
	select {
	case q.answer <- a:
	default:
	}
}

// Askpass is the program that ssh runs for a question: it prints the answer. It returns the exit
// code.
func Askpass(args []string, out io.Writer, socket string) int {
	conn, err := net.DialTimeout("unix", socket, 5*time.Second)
	if err != nil {
		return 1
	}
	defer conn.Close()
	if writeLine(conn, Request{Ask: strings.Join(args, " ")}) != nil {
		return 1
	}
	var a Answer
	if readLine(conn, maxAnswer, &a) != nil || !a.OK {
		return 1
	}
	fmt.Fprintln(out, a.Text)
	return 0
}

// AsAskpass reports whether this process was run by ssh as its askpass, and with which socket.
func AsAskpass(args []string) (socket string, ok bool) {
	socket = os.Getenv(EnvAsk)
	return socket, socket != "" && len(args) == 1
}

// Ask connects, lets answer answer ssh's questions, and returns the status after that try.
// progress is called with each status before. Both may be nil: without answer ssh does not ask;
// answer's ok false gives no answer.
func Ask(ctx context.Context, socket string, r Request, answer func(q string) (text string, ok bool), progress func(Status)) (s Status, err error) {
	r.Ready, r.Answer = true, answer != nil
	conn, err := dialLink(ctx, socket, r)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	for last := 0; ; {
		var next Status
		if err := readLine(conn, maxStatus, &next); err != nil {
			if ctx.Err() != nil {
				return s, ctx.Err()
			}
			if err == io.EOF && s.Node != "" {
				return s, nil
			}
			return s, err
		}
		s = next
		if progress != nil {
			progress(s)
		}
		if q := s.Question; q != nil && q.ID != last && answer != nil {
			last = q.ID
			text, ok := answer(q.Text)
			if err := writeLine(conn, Answer{ID: q.ID, Text: text, OK: ok}); err != nil {
				return s, err
			}
		}
	}
}
