package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The slow link: a fast program behind ssh on a slow line.
const (
	linkRate   = 250 << 10 // bytes a second
	linkBuffer = 2 << 20   // accepted before the writer blocks
	linkTick   = 4 * time.Millisecond
)

// question is the query by which a program learns how far the terminal has come, and
// answer the terminal's answer (DSR).
const (
	question = "\x1b[5n"
	answer   = "\x1b[0n"
)

// relay stands between a client and the terminal that shows the client's output.
type relay struct {
	term *outer

	mu     sync.Mutex
	room   *sync.Cond
	buf    []byte
	shown  int // bytes
	want   []byte
	seenAt chan time.Time
	tail   []byte
	err    error
	stop   chan struct{}
	wg     sync.WaitGroup
}

func startRelay(term *outer) *relay {
	r := &relay{term: term, stop: make(chan struct{}), seenAt: make(chan time.Time, 1)}
	r.room = sync.NewCond(&r.mu)
	_ = term.ptmx.SetReadDeadline(time.Time{})
	r.wg.Go(r.fill)
	r.wg.Go(r.pour)
	return r
}

// fill reads the client's output while the buffer has room.
func (r *relay) fill() {
	for {
		n, err := r.term.ptmx.Read(r.term.buf)
		r.mu.Lock()
		for len(r.buf) > linkBuffer && r.err == nil {
			r.room.Wait()
		}
		r.buf = append(r.buf, r.term.buf[:n]...)
		if err != nil && r.err == nil {
			r.err = err
		}
		over := r.err != nil
		r.mu.Unlock()
		if over {
			return
		}
	}
}

// pour passes on as much as the line carries.
func (r *relay) pour() {
	tick := time.NewTicker(linkTick)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-r.stop:
			return
		case now := <-tick.C:
			r.show(now, int(now.Sub(last).Seconds()*linkRate))
			last = now
		}
	}
}

func (r *relay) show(now time.Time, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = max(0, min(n, len(r.buf))) // a tick may have waited while the one before was handled
	text := append(r.tail, r.buf[:n]...)
	r.buf = append(r.buf[:0], r.buf[n:]...)
	r.shown += n
	r.room.Broadcast()
	for range bytes.Count(text, []byte(question)) {
		_, _ = r.term.ptmx.WriteString(answer)
	}
	text = bytes.ReplaceAll(text, []byte(question), nil)
	if len(r.want) > 0 && bytes.Contains(text, r.want) {
		r.want = nil
		r.seenAt <- now
	}
	r.tail = append(r.tail[:0], tail(text, len(question)-1)...)
}

// echo types text and returns when the terminal showed it.
func (r *relay) echo(text string, limit time.Duration) (time.Duration, error) {
	r.mu.Lock()
	r.want = []byte(text)
	r.mu.Unlock()
	start := time.Now()
	if _, err := r.term.ptmx.WriteString(text); err != nil {
		return 0, err
	}
	select {
	case at := <-r.seenAt:
		return at.Sub(start), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("no echo of %q within %v", text, limit)
	}
}

func (r *relay) close() {
	close(r.stop)
	r.mu.Lock()
	if r.err == nil {
		r.err = io.EOF
	}
	r.room.Broadcast()
	r.mu.Unlock()
	_ = r.term.ptmx.SetReadDeadline(time.Unix(1, 0))
	r.wg.Wait()
}

// benchLink types into a quiet pane beside one that floods, over a slow line.
func benchLink(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ccdir-bench-link-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var lines [][]string
	var base time.Duration
	for _, s := range []system{&tmux{}, &ccdir{}} {
		file := filepath.Join(dir, s.name())
		took, flood, err := linkRun(ctx, o, s, file)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		slices.Sort(took)
		p50, p95 := took[len(took)/2], took[len(took)*95/100]
		if base == 0 {
			base = p50
		}
		lines = append(lines, []string{s.name(), fmt.Sprintf("%.0f ms", p50.Seconds()*1e3), fmt.Sprintf("%.0f ms", p95.Seconds()*1e3), fmt.Sprintf("%.2f", ratio(p50, base)), fmt.Sprintf("%.1f MB/s", flood/(1<<20))})
	}
	table(fmt.Sprintf("key echo beside a flood over a line of %d KB/s that buffers %d MB", linkRate>>10, linkBuffer>>20), "system\tp50\tp95\tp50/tmux\tthe flood goes on at\t", lines)
	return nil
}

func linkRun(ctx context.Context, o options, s system, file string) ([]time.Duration, float64, error) {
	defer s.stop()
	term, err := s.start(ctx, o, [][]string{echoPane, self("forever", file)})
	if err != nil {
		return nil, 0, err
	}
	r := startRelay(term)
	defer r.close()
	fill, keys := 5*time.Second, 8*o.rounds
	if o.quick {
		fill, keys = 2*time.Second, 3
	}
	select { // let the buffers fill
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	case <-time.After(fill):
	}
	before, at := readCount(file), time.Now()
	var took []time.Duration
	for i := range keys {
		d, err := r.echo(string(echoKeys[i%len(echoKeys)]), 60*time.Second)
		if err != nil {
			return nil, 0, err
		}
		took = append(took, d)
		time.Sleep(100 * time.Millisecond)
	}
	return took, (readCount(file) - before) / time.Since(at).Seconds(), nil
}

// readCount reads the counter that loadForever writes to its file.
func readCount(file string) float64 {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	n, _ := strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
	return n
}
