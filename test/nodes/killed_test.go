package nodes

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var killed = flag.Int("node-kills", 20, "how many processes TestKilled kills")

// writer sends prompts to a session of the node, or tasks to its queue, until it is told to stop.
type writer struct {
	name string
	sent int
	done map[int]bool // acknowledged
	said []string     // why others were not
}

func (w *writer) run(r *rig, stop *atomic.Bool) {
	for ; !stop.Load(); w.sent++ {
		text := fmt.Sprintf("%s-%d-end", w.name, w.sent)
		args := []string{"send", "box/" + w.name, text}
		if w.name == "task" {
			args = []string{"task", "add", "--node", "box", "-a", "demo", text}
		}
		_, errs, code := r.run(args...)
		if code == 0 {
			w.done[w.sent] = true
		} else {
			w.said = append(w.said, strings.TrimSpace(errs))
		}
	}
}

// TestKilled kills ssh, link, bridge, the node's daemon and an attached grid at random while
// prompts and tasks go there: what was acknowledged happened, and nothing happened twice.
func TestKilled(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("task", "mode", "manual", "--node", "box")
	writers := []*writer{{name: "one"}, {name: "two"}, {name: "task"}}
	pids := map[string]string{}
	for _, w := range writers {
		w.done = map[int]bool{}
		if w.name != "task" {
			r.ok("new", "-n", w.name, "box/", "--", "cat")
			pids[w.name] = field(r.ok("show", "box/"+w.name, "--json"), "pid")
		}
	}
	g := r.grid()
	g.shows("box/one", "box/two")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for _, w := range writers {
		wg.Go(func() { w.run(r, &stop) })
	}
	cutGrid := func() bool { g.kill(); g = r.grid(); return true }
	cuts := []func() bool{r.cutSSH, r.cutLink, r.cutBridge, r.cutDaemon, cutGrid}
	hit := make([]int, len(cuts))
	for range *killed {
		time.Sleep(time.Duration(random.IntN(900)) * time.Millisecond) // where it is cut; not a wait
		if i := random.IntN(len(cuts)); cuts[i]() {
			hit[i]++
		}
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("killed: %d ssh, %d links, %d bridges, %d daemons, %d grids", hit[0], hit[1], hit[2], hit[3], hit[4])
	r.ok("node", "up", "box")
	for _, w := range writers {
		r.checkOnce(w)
		if pid := pids[w.name]; pid != "" && field(r.ok("show", "box/"+w.name, "--json"), "pid") != pid {
			t.Errorf("the process of %s was %s", w.name, pid)
		}
	}
	r.contiguous()
	if links := r.processes("link", r.near.Home); len(links) != 1 {
		t.Errorf("links: %v", links)
	}
	r.until("one bridge", func() bool { return len(r.processes("bridge", r.far.Home)) == 1 })
	g.shows("box/one", "box/two")
	r.ok("focus", "box/one")
	g.shows("box/one ")
	r.until("an echo in the grid", func() bool {
		g.keys("l", "i", "v", "e", "Enter")
		return strings.Contains(g.text(), "live")
	})
}

// checkOnce: what was acknowledged is there, and all of it once.
func (r *rig) checkOnce(w *writer) {
	r.Helper()
	read := func() string { return r.ok("output", "box/"+w.name, "--scrollback") }
	most := 2 // the terminal's echo, and cat's
	if w.name == "task" {
		read, most = func() string { return r.ok("task", "ls", "--node", "box", "--json") }, 1
	}
	text := ""
	count := func(i int) int { return strings.Count(text, fmt.Sprintf("%s-%d-end", w.name, i)) }
	r.until("what "+w.name+" was told", func() bool {
		text = read()
		for i := range w.done {
			if count(i) == 0 {
				return false
			}
		}
		return true
	})
	for i := range w.sent {
		if n := count(i); n > most {
			r.Errorf("%s %d happened more than once", w.name, i)
		}
	}
	r.Logf("%s: %d of %d acknowledged", w.name, len(w.done), w.sent)
	if len(w.done) < w.sent/2 {
		r.Errorf("of %s: %q", w.name, w.said)
	}
}

// kill kills the grid's process.
func (s *screen) kill() {
	out, _ := exec.Command("tmux", "-L", s.server, "list-panes", "-F", "#{pane_pid}").Output()
	if pid, err := strconv.Atoi(strings.TrimSpace(string(out))); err == nil {
		kill(pid)
	}
}
