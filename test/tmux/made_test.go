package tmux

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sessionsLike counts the sessions whose last prompt is text.
func (r *rig) sessionsLike(text string) (n int) {
	r.t.Helper()
	var list []struct{ Prompt string }
	if err := json.Unmarshal([]byte(r.run("ccdir", "ls", "--json")), &list); err != nil {
		r.t.Fatal(err)
	}
	for _, s := range list {
		if s.Prompt == text {
			n++
		}
	}
	return n
}

// tasksLike counts the tasks with that prompt.
func (r *rig) tasksLike(text string) int {
	r.t.Helper()
	return strings.Count(r.run("ccdir", "task", "ls", "--json"), `"prompt": "`+text+`"`)
}

// sendHeld opens the bar for a target, and sends a text to a daemon that is stopped
// (SIGSTOP), whose pid it returns.
func (g *term) sendHeld(target, text string) int {
	g.t.Helper()
	g.keys("C-b", ":")
	g.shows("PROMPT")
	g.aim(target)
	g.text(text)
	g.shows("❯ " + text)
	pid := g.daemonPID()
	g.signal(pid, syscall.SIGSTOP)
	g.keys("Enter")
	g.shows("sending to")
	return pid
}

// aim chooses who gets the text of the prompt bar.
func (g *term) aim(target string) {
	g.t.Helper()
	for range 5 {
		if strings.Contains(g.screen(), target) {
			break
		}
		was := aimed(g.screen())
		g.keys("Tab")
		g.until("another target", func(s string) bool { return aimed(s) != was })
	}
	g.shows(target)
}

// aimed is who gets the text of the prompt bar, "" where the bar is not open. Panes and
// ages change the screen too, so that the whole of it tells nothing of a key.
func aimed(screen string) string {
	for line := range strings.Lines(screen) {
		if to, ok := strings.CutPrefix(line, "─ to "); ok {
			to, _, _ = strings.Cut(to, " ─")
			return to
		}
	}
	return ""
}

// TestMadeAroundTheLoss: the daemon dies while the prompt bar creates a session or a
// task. The next one has it once, with its text delivered once, without any action of
// the user.
func TestMadeAroundTheLoss(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(160, 40)
	g.shows("agent ○")
	for round := range 3 {
		text := fmt.Sprintf("say made-%d.", round)
		pid := g.sendHeld("new session", text)
		if round == 1 { // it has begun, and dies some moment later
			r.signal(pid, syscall.SIGCONT)
		}
		r.signal(pid, syscall.SIGKILL)
		r.eventually("the session is there and has its text", func() bool { return r.prompts(text) > 0 && r.sessionsLike(text) > 0 })
		g.until("nothing waits any more", func(s string) bool {
			return !strings.Contains(s, "sending to") && !strings.Contains(s, "does not answer")
		})
		if n, m := r.sessionsLike(text), r.prompts(text); n != 1 || m != 1 {
			t.Errorf("%s: %d sessions, delivered %d times", text, n, m)
		}
		text = fmt.Sprintf("say queued-%d.", round)
		pid = g.sendHeld("the queue", text)
		if round == 1 {
			r.signal(pid, syscall.SIGCONT)
		}
		r.signal(pid, syscall.SIGKILL)
		g.shows("queued as ")
		if n := r.tasksLike(text); n != 1 {
			t.Errorf("%s: %d tasks", text, n)
		}
	}
}

// TestMakingCancelled: a user who cancels the wait is told that the outcome is unknown,
// gets the text back, and sends it again without creating a second one.
func TestMakingCancelled(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(160, 40)
	g.shows("agent ○")
	text := "say cancelled."
	pid := g.sendHeld("new session", text)
	g.keys("C-b", "C-c")
	g.shows("cancelled: whether it was started is not known")
	g.keys("C-b", ":")
	g.shows("PROMPT", "❯ "+text)
	r.signal(pid, syscall.SIGCONT)
	g.keys("Enter")
	r.eventually("the session is there and has its text", func() bool { return r.prompts(text) > 0 && r.sessionsLike(text) > 0 })
	g.lacks("sending to")
	if n, m := r.sessionsLike(text), r.prompts(text); n != 1 || m != 1 {
		t.Errorf("%d sessions, delivered %d times", n, m)
	}
}

// TestMakingLeft: a user who leaves the grid during the creation finds the text in the
// next grid's prompt bar, and sends it again without creating a second one.
func TestMakingLeft(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	g := r.grid(160, 40)
	g.shows("agent ○")
	text := "say left."
	pid := g.sendHeld("new session", text)
	g.keys("C-b", "d")
	r.eventually("the grid to end", g.dead)
	r.signal(pid, syscall.SIGCONT)
	g = r.open("next", 160, 40, "exec ccdir")
	g.shows("may not have arrived")
	g.keys("C-b", ":")
	g.shows("PROMPT", "❯ "+text)
	g.aim("new session")
	g.keys("Enter")
	g.lacks("sending to")
	r.eventually("the session is there and has its text", func() bool { return r.prompts(text) > 0 && r.sessionsLike(text) > 0 })
	if n, m := r.sessionsLike(text), r.prompts(text); n != 1 || m != 1 {
		t.Errorf("%d sessions, delivered %d times", n, m)
	}
}

// TestVerbsAroundTheLoss: the daemon is restarted, or killed, repeatedly, while verbs
// create sessions and tasks and send prompts. Each succeeds, and took effect once.
func TestVerbsAroundTheLoss(t *testing.T) {
	r := newRig(t)
	r.agent("agent")
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() { // the storm
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Second): // any moment will do
			}
			if i%2 == 0 {
				_, _ = r.try("ccdir", "daemon", "restart")
				continue
			}
			var status struct{ PID int }
			out, err := r.try("ccdir", "daemon", "status", "--json")
			if err == nil && json.Unmarshal([]byte(out), &status) == nil && status.PID > 0 {
				_ = syscall.Kill(status.PID, syscall.SIGKILL)
			}
		}
	}()
	const rounds = 6
	verbs := map[string]func(i int) []string{
		"new":  func(i int) []string { return []string{"new", "-n", fmt.Sprint("made", i), "--", "sleep", "1000"} },
		"task": func(i int) []string { return []string{"task", "add", "-a", "demo", fmt.Sprintf("say task-%d.", i)} },
		"send": func(i int) []string { return []string{"send", "--wait", "agent", fmt.Sprintf("say sent-%d.", i)} },
	}
	var wg sync.WaitGroup
	for name, args := range verbs {
		wg.Go(func() {
			for i := range rounds {
				cmd := exec.Command(filepath.Join(bin, "ccdir"), args(i)...)
				cmd.Env, cmd.Dir = r.env, r.home
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s %d: %v: %s", name, i, err, out)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	<-ended
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(r.run("ccdir", "ls", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, s := range list {
		names = append(names, s.Name)
	}
	if slices.Sort(names); len(names) != rounds+1 {
		t.Errorf("the sessions are %q", names)
	}
	for i := range rounds {
		if n := r.tasksLike(fmt.Sprintf("say task-%d.", i)); n != 1 {
			t.Errorf("task %d is there %d times", i, n)
		}
		if n := r.prompts(fmt.Sprintf("say sent-%d.", i)); n != 1 {
			t.Errorf("prompt %d was taken %d times", i, n)
		}
	}
}
