package drill

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/wire"
)

// The sessions' size, wide enough that no line wraps, and their history in lines.
const (
	cols       = 80
	rows       = 24
	scrollback = 200_000
)

// printers are how many sessions print.
const printers = 3

// script prints numbered lines, one per $2, until the file $1 exists; then it prints
// their number and stays.
const script = `i=0
until [ -e "$1" ]; do
	n=0
	while [ $n -lt 25 ]; do
		i=$((i+1)); n=$((n+1))
		echo "line $i"
	done
	sleep $2
done
echo "end $i"
read stay`

// printer is a session that prints, and how far its output was checked.
type printer struct {
	session api.Session
	at      uint64 // position in the raw output
	rest    string // the beginning of a line
	next    int    // the next number expected
	end     int    // the number that it printed at the end, -1 before
}

func (r *run) stopFile() string { return filepath.Join(r.Home, "stop") }

func (r *run) startPrinter(ctx context.Context, i int) (*printer, error) {
	beat := []string{"0.02", "0.1", "0.2"}[i]
	s, err := r.session(ctx, api.NewSession{Name: fmt.Sprintf("lines-%d", i+1), Argv: []string{"/bin/sh", "-c", script, "sh", r.stopFile(), beat}})
	return &printer{session: s, next: 1, end: -1}, err
}

// follow checks the session's output since the last call. The ring must still hold all
// of it.
func (r *run) follow(ctx context.Context, p *printer) error {
	raw, err := r.client.Output(ctx, p.session.ID, wire.OutputParams{Format: "raw", From: p.at})
	switch {
	case err != nil:
		return fmt.Errorf("%s: its output can't be read: %w", p.session.Name, err)
	case raw.Start != p.at || raw.End != raw.Start+uint64(len(raw.Raw)):
		return fmt.Errorf("%s: the ring gives bytes %d to %d where those from %d on belong", p.session.Name, raw.Start, raw.End, p.at)
	}
	if err := p.take(string(raw.Raw)); err != nil {
		return fmt.Errorf("%s: raw output: %w", p.session.Name, err)
	}
	p.at = raw.End
	return nil
}

// take checks the next bytes of the output, all of which are predictable.
func (p *printer) take(text string) error {
	text = p.rest + text
	for {
		line, rest, whole := strings.Cut(text, "\r\n")
		if !whole {
			p.rest = text
			return nil
		}
		text = rest
		switch {
		case p.end < 0 && line == "line "+strconv.Itoa(p.next):
			p.next++
		case p.end < 0 && line == "end "+strconv.Itoa(p.next-1):
			p.end = p.next - 1
		default:
			return fmt.Errorf("%q where line %d belongs", line, p.next)
		}
	}
}

// checkLines ends the printing and looks for every line in ring and scrollback.
func (r *run) checkLines(ctx context.Context) error {
	if err := os.WriteFile(r.stopFile(), nil, 0o600); err != nil {
		return err
	}
	for _, p := range r.lines {
		err := until(ctx, p.session.Name+" does not say its end", func() (bool, error) { return p.end >= 0, r.follow(ctx, p) })
		if err != nil {
			return err
		}
		text, err := r.client.Output(ctx, p.session.ID, wire.OutputParams{Format: "text", Scrollback: true})
		if err != nil {
			return err
		}
		if err := numbered(text.Text, p.end, max(1, p.end-scrollback+1)); err != nil {
			return fmt.Errorf("%s: scrollback: %w", p.session.Name, err)
		}
		r.result.Sessions++
		r.result.Lines += p.end
		r.result.Bytes += p.at
	}
	return nil
}

// numbered checks that text has the lines from first (or an earlier one) to last, each
// once, in order.
func numbered(text string, last, first int) error {
	next := first
	began := false
	for line := range strings.Lines(text) {
		number, ok := strings.CutPrefix(strings.TrimSpace(line), "line ")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("broken line %q where line %d belongs", line, next)
		}
		if !began && n > 0 && n <= first {
			next = n
		}
		if n != next {
			return fmt.Errorf("line %d where line %d belongs", n, next)
		}
		began, next = true, n+1
	}
	if next != last+1 {
		return fmt.Errorf("lines until %d, but %d were printed", next-1, last)
	}
	return nil
}

// sameSessions checks that the sessions are the same processes in the same hosts.
func (r *run) sameSessions(ctx context.Context) error {
	list, err := r.client.Sessions(ctx)
	if err != nil {
		return err
	}
	now := map[string]api.Session{}
	for _, s := range list {
		now[s.ID] = s
	}
	want := []api.Session{r.marker}
	for _, p := range r.lines {
		want = append(want, p.session)
	}
	for _, was := range want {
		is, there := now[was.ID]
		if !there {
			return fmt.Errorf("session %s (%s) is gone", was.ID, was.Name)
		}
		if is.PID != was.PID || is.HostPID != was.HostPID || is.State.Ended() {
			return fmt.Errorf("session %s was pid %d in host %d and is pid %d in host %d, %s: %s", was.Name,
				was.PID, was.HostPID, is.PID, is.HostPID, is.State, is.Error)
		}
	}
	return nil
}
