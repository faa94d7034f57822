package nodes

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/nodes/link"
)

// TestOneLink: however many calls come at once, one link and one ssh run.
func TestOneLink(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("node", "down", "box")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() { r.ok("ls", "--node", "box") })
	}
	wg.Wait()
	if links, bridges := r.processes("link", r.near.Home), r.processes("bridge", r.far.Home); len(links) != 1 || len(bridges) != 1 {
		t.Errorf("links %v, bridges %v", links, bridges)
	}
	log, err := os.ReadFile(r.file("sshd.log"))
	if n := strings.Count(string(log), "Accepted publickey"); err != nil || n != 2 {
		t.Errorf("%d logins, of which one is node add's", n)
	}
}

// TestDown: a node that was taken down is left alone, until a verb names it.
func TestDown(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("node", "down", "box")
	if list := r.nodes(); list[0].State != "offline" || !strings.Contains(list[0].Reason, "ccdir node up box") {
		t.Errorf("%+v", list)
	}
	if _, running := r.status(); running {
		t.Error("node ls started the link")
	}
	if _, errs, code := r.run("ls", "--all"); code != 0 || !strings.Contains(errs, "taken down") {
		t.Errorf("ls --all: exit %d, %q", code, errs)
	}
	r.ok("ls", "--node", "box")
	if list := r.nodes(); list[0].State != "online" {
		t.Errorf("%+v", list)
	}
	r.ok("node", "down", "box")
	if out := r.ok("node", "up", "box"); !strings.Contains(out, "online") {
		t.Errorf("node up: %q", out)
	}
}

// TestCuts kills every process of the connection in turn, while prompts go to a session there:
// each prompt is typed once, no event is missing, one link runs, and the session goes on.
func TestCuts(t *testing.T) {
	r := newRig(t)
	r.addHere()
	id := strings.TrimPrefix(r.ok("new", "-n", "cat", "box/", "--", "cat"), "box/")
	pid := r.ok("show", "box/cat", "--json")
	const prompts = 16
	cuts, failed := 0, 0
	for i := range prompts {
		done := make(chan string, 1)
		go func() {
			_, errs, code := r.run("send", "box/cat", "prompt-"+strconv.Itoa(i)+"-end")
			if code == 0 {
				errs = ""
			}
			done <- errs
		}()
		time.Sleep(time.Duration(i*7) * time.Millisecond) // where in the call it is cut; not a wait
		for _, cut := range []func() bool{r.cutSSH, r.cutBridge, r.cutLink, r.cutDaemon}[i%4 : i%4+1] {
			if cut() {
				cuts++
			}
		}
		if errs := <-done; errs != "" {
			failed++
			t.Logf("prompt %d: %s", i, errs)
		}
	}
	t.Logf("%d cuts, %d prompts failed", cuts, failed)
	if cuts < prompts/2 || failed > prompts/4 {
		t.Errorf("%d cuts, %d of %d prompts failed", cuts, failed, prompts)
	}
	r.ok("node", "up", "box")
	r.until("the last prompt", func() bool { return strings.Contains(r.ok("output", "box/"+id, "--raw"), "end") })
	out := r.ok("output", "box/cat", "--scrollback")
	for i := range prompts {
		// cat and the terminal's echo show each text twice, or the echo alone.
		if n := strings.Count(out, "prompt-"+strconv.Itoa(i)+"-end"); n > 2 {
			t.Errorf("prompt %d was typed more than once:\n%s", i, out)
		}
	}
	if now := r.ok("show", "box/cat", "--json"); field(now, "pid") != field(pid, "pid") {
		t.Errorf("the session's process has changed: %s, %s", field(pid, "pid"), field(now, "pid"))
	}
	r.contiguous()
	if links := r.processes("link", r.near.Home); len(links) != 1 {
		t.Errorf("links: %v", links)
	}
	r.until("one bridge", func() bool { return len(r.processes("bridge", r.far.Home)) == 1 })
}

// contiguous: the node's events have numbers without gaps.
func (r *rig) contiguous() {
	r.Helper()
	last := int64(0)
	for line := range strings.Lines(r.ok("events", "--node", "box", "--json", "--since", "0")) {
		var e api.Event
		r.decode(line, &e)
		if e.Seq != last+1 {
			r.Errorf("event %d follows %d", e.Seq, last)
		}
		last = e.Seq
	}
}

func field(text, key string) string {
	_, rest, _ := strings.Cut(text, `"`+key+`": `)
	value, _, _ := strings.Cut(rest, ",")
	return value
}

func (r *rig) cutSSH() bool {
	s, ok := r.status()
	if ok && s.SSH > 0 {
		kill(s.SSH)
	}
	return ok && s.SSH > 0
}

func (r *rig) cutBridge() bool { return killAll(r.processes("bridge", r.far.Home)) }
func (r *rig) cutLink() bool   { return killAll(r.processes("link", r.near.Home)) }

func (r *rig) cutDaemon() bool {
	data, err := os.ReadFile(r.far.ServerFile())
	pid, _ := strconv.Atoi(strings.TrimSpace(field(strings.ReplaceAll(string(data), `"pid":`, `"pid": `), "pid")))
	if err == nil && pid > 0 {
		kill(pid)
	}
	return pid > 0
}

func killAll(pids []int) bool {
	for _, pid := range pids {
		kill(pid)
	}
	return len(pids) > 0
}

// TestStale: a connection that stands still makes the node stale, then offline; it comes back by
// itself when it goes on.
func TestStale(t *testing.T) {
	r := newRig(t)
	r.addHere()
	s, ok := r.status()
	if !ok || s.SSH == 0 {
		t.Fatalf("%+v", s)
	}
	states := make(chan link.State, 100)
	go func() {
		last := link.State("")
		_ = link.Watch(t.Context(), r.near.NodeSocket("box"), link.Request{}, func(s link.Status) {
			if s.State != last {
				last = s.State
				states <- last
			}
		})
	}()
	want := func(state link.State) {
		t.Helper()
		for end := time.After(patience); ; {
			select {
			case got := <-states:
				if got == state {
					return
				}
			case <-end:
				t.Fatalf("it was never %s", state)
			}
		}
	}
	want(link.StateOnline)
	_ = syscall.Kill(s.SSH, syscall.SIGSTOP)
	want(link.StateStale)
	_ = syscall.Kill(s.SSH, syscall.SIGCONT)
	want(link.StateOnline)
	_ = syscall.Kill(s.SSH, syscall.SIGSTOP)
	want(link.StateOffline)
	want(link.StateOnline) // by another ssh
	kill(s.SSH)
}
