package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/attention"
	"ccdir/tui/known"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

// clocked is the real program with the model and a fake client, under a fake clock:
// waits, timers and calls are as in Run, the terminal is not.
type clocked struct {
	*model
	t    *testing.T
	c    *fakeClient
	p    *tea.Program
	stop context.CancelFunc
	done chan error

	mu     sync.Mutex // guards the rest
	scenes int
	last   *scene
	said   strings.Builder // to the terminal
}

// underClock runs f with the program, in a bubble.
func underClock(t *testing.T, change func(*clocked), f func(x *clocked)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		x := &clocked{t: t, stop: stop, done: make(chan error, 1)}
		young := slices.Clone(fourSessions)
		for i := range young {
			young[i].Since, young[i].Created = time.Now(), time.Now().Add(time.Duration(i))
		}
		x.model, x.c = clientModel(t, young...)
		x.now, x.wait, x.ctx = time.Now, func(c cmd) cmd { return c }, ctx
		x.publish = func(sc *scene) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.scenes, x.last = x.scenes+1, sc
		}
		x.emit = func(b []byte) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.said.Write(b)
		}
		if change != nil {
			change(x)
		}
		x.p = tea.NewProgram(x.model, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithEnvironment(nil),
			tea.WithColorProfile(colorprofile.NoTTY), tea.WithWindowSize(120, 40),
			tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFPS(1))
		x.begun = func() { stopTicker(x.p) }
		go func() {
			_, err := x.p.Run()
			x.done <- err
		}()
		synctest.Wait()
		f(x)
		stop()
		<-x.done
		time.Sleep(24 * time.Hour) // the last clock of the program runs out
	})
}

// pass lets time pass, and everything come to rest.
func (x *clocked) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (x *clocked) keys(names ...string) {
	for _, n := range names {
		x.p.Send(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: time.Now()}})
	}
	synctest.Wait()
}

// pictured is the scene, and how many there were.
func (x *clocked) pictured() (*scene, int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.last, x.scenes
}

func (x *clocked) told() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.said.String()
}

func (x *clocked) text() string {
	sc, _ := x.pictured()
	c := newComposer(x.caps)
	c.compose(sc)
	return c.s.Dump()
}

// sees checks what is on the screen and, after an empty string, what is not.
func (x *clocked) sees(parts ...string) {
	x.t.Helper()
	text, not := x.text(), false
	for _, p := range parts {
		if p == "" {
			not = true
		} else if strings.Contains(text, p) == not {
			x.t.Errorf("on the screen is %q: %v\n%s", p, !not, text)
		}
	}
}

// TestNoticesPass: a notice goes by itself, a retired bar closes, and a grid in which
// nothing happens makes no pictures but for ages.
func TestNoticesPass(t *testing.T) {
	underClock(t, nil, func(x *clocked) {
		x.keys("C-b", "Q")
		x.sees("Q is not bound")
		x.pass(time.Minute)
		x.sees("", "Q is not bound")
		r := testRequest("r1", "bbbb2222", "Bash", `{"command":"make"}`, 1)
		x.inbox.watch(api.WatchMessage{Request: &r})
		synctest.Wait()
		x.keys("C-b", "a")
		x.sees("[y]es")
		over := api.Decision{Outcome: api.OutcomeElsewhere}
		over.Request.ID = "r1"
		x.inbox.watch(api.WatchMessage{RequestEnded: &over})
		synctest.Wait()
		x.sees("answered in the pane", "", "[y]es")
		x.pass(2*time.Second + time.Second)
		x.sees("", "answered in the pane")
		x.pass(5 * time.Minute) // sessions are old by now
		_, before := x.pictured()
		x.pass(20 * time.Minute)
		if _, n := x.pictured(); n-before < 15 || n-before > 25 {
			t.Errorf("%d pictures in twenty minutes of rest", n-before)
		}
	})
}

// TestReconnecting: the banner comes with the loss and goes with the return, and what
// was said meanwhile is not said for ever.
func TestReconnecting(t *testing.T) {
	underClock(t, nil, func(x *clocked) {
		link := func(err error) {
			x.inbox.put(func(n *news) { n.Link = &known.Link{Lost: err} })
			synctest.Wait()
		}
		for range 3 {
			link(os.ErrDeadlineExceeded)
			x.sees("the daemon does not answer")
			x.keys("C-b", "n")
			x.pass(time.Minute)
			x.sees("the daemon does not answer")
			link(nil)
			x.sees("", "the daemon does not answer")
			x.keys("Escape")
		}
		now := slices.Clone(x.Sessions)
		i := slices.IndexFunc(now, func(v api.Session) bool { return v.Name == "docs" })
		now[i].Name = "papers"
		x.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: now, Server: api.Server{PID: 9}}})
		synctest.Wait()
		x.sees("api", "web", "papers", "", "docs")
	})
}

// TestToldOnce: a session out of view that asks is told of after a moment, once,
// however long it waits and whatever comes again.
func TestToldOnce(t *testing.T) {
	const settles = time.Second // how long a state must last to be told
	underClock(t, func(x *clocked) {
		x.opts.Notify, x.caps.Extended = attention.Notify{Ways: map[string][]string{"permission": {"bell", "osc9"}}}, true
		x.grid.Zoomed, x.grid.Focus = true, "aaaa1111"
	}, func(x *clocked) {
		x.p.Send(terminal.Typed{Event: uv.FocusEvent{}})
		x.pass(time.Minute)
		v := named("cccc3333", "docs", api.StatePermission, 2)
		v.Since = time.Now()
		x.inbox.watch(api.WatchMessage{Session: &v})
		x.pass(settles / 2)
		if got := x.told(); got != "" {
			t.Errorf("told at once: %q", got)
		}
		x.pass(settles)
		const want = "\a\x1b]9;ccdir: docs asks: it asks for permission\a"
		if got := x.told(); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
		for range 5 {
			x.inbox.watch(api.WatchMessage{Session: &v})
			synctest.Wait()
			x.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: slices.Clone(x.Sessions)}})
			x.pass(time.Hour)
		}
		if got := x.told(); got != want {
			t.Errorf("told %q, want %q once", got, want)
		}
	})
}

// tardyClient takes a second for each session that it starts.
type tardyClient struct{ *fakeClient }

func (c tardyClient) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	select {
	case <-time.After(time.Second):
		return c.fakeClient.CreateSession(ctx, n)
	case <-ctx.Done():
		return api.Session{}, ctx.Err()
	}
}

// TestProgressPasses: starting several sessions shows how far it is while it is under
// way, goes on without a key, and stops when it is cancelled.
func TestProgressPasses(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		underClock(t, func(x *clocked) { x.opts.Client = tardyClient{x.c} }, func(x *clocked) {
			x.keys("C-b", "n", "BTab", "C-u", "1", "2", "Enter")
			x.pass(1500 * time.Millisecond)
			x.sees("12")
			x.c.mu.Lock()
			early := len(x.c.created)
			x.c.mu.Unlock()
			if early == 0 || early >= 12 {
				t.Fatalf("%d are started after a second and a half", early)
			}
			x.sees(fmt.Sprintf("%d/12", early))
			if cancel {
				x.keys("C-b", "C-c")
				x.pass(2 * time.Second)
				x.sees(fmt.Sprintf("starting: %d of 12 sessions, the rest cancelled", early+1))
			}
			x.pass(time.Minute)
			x.c.mu.Lock()
			n := len(x.c.created)
			x.c.mu.Unlock()
			// The one that is under way when it is cancelled is waited for.
			if cancel && n != early+1 || !cancel && n != 12 {
				t.Errorf("cancelled %v: %d started, %d before", cancel, n, early)
			}
			x.sees("", fmt.Sprintf("%d/12", early))
		})
	}
}
