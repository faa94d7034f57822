package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
)

// acknowledged is a text that the daemon has acknowledged, and the device's position then.
type acknowledged struct {
	where, text string
	at          int
}

// cuts is how often the power is cut.
const cuts = 15

// TestPowerCut cuts the power at random moments of a busy daemon: whatever was acknowledged
// before the cut is there after it. Of what was not flushed any part is lost, in any order.
func TestPowerCut(t *testing.T) {
	if _, err := os.Stat("/dev/fuse"); err != nil || os.Getuid() != 0 {
		t.Log("only root can mount a file system, and only with FUSE and loop devices")
		return
	}
	disk := newBlockLog(t, 64<<20)
	log := work(t, disk)
	if len(log) < 100 {
		t.Fatalf("only %d calls were acknowledged", len(log))
	}
	first, last := log[0].at, disk.position()
	chance := rand.New(rand.NewPCG(1, 2))
	blocks := 0
	for n := range cuts {
		at := first + chance.IntN(last-first+1)
		if n%2 == 0 {
			at = disk.beforeFlush(at) // when most can be lost
		}
		image := filepath.Join(t.TempDir(), "image")
		lost := disk.cut(t, image, at, chance)
		blocks += lost
		due := 0
		for _, a := range log {
			if a.at <= at {
				due++
			}
		}
		ok := t.Run(fmt.Sprint(n), func(t *testing.T) {
			missing := afterwards(t, image, log, at)
			if len(missing) > 0 {
				t.Errorf("cut after %d of %d writes, %d blocks lost: %d of %d are missing: %v", at, last, lost, len(missing), due, missing[:min(len(missing), 10)])
			}
		})
		_ = os.Remove(image)
		if !ok {
			return
		}
	}
	t.Logf("%d acknowledged calls, %d writes, %d cuts that lost %d blocks", len(log), last, cuts, blocks)
}

const powerPolicy = "[roles.dev]\ndeny = [\"Bash(git push *)\"]\n"

// powerWorld is an installation with its state directory on a disk.
func powerWorld(t *testing.T, file string) (w *world, unmount func()) {
	t.Helper()
	home, err := os.MkdirTemp("", "cf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	unmount = mountDisk(t, file, filepath.Join(home, "state"))
	w = newWorld(t, home, "")
	if err := os.WriteFile(filepath.Join(w.paths.Config, "policy.toml"), []byte(powerPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	return w, unmount
}

// work keeps a daemon busy, whose state is on the disk, and returns what it acknowledged, in
// order of the positions.
func work(t *testing.T, disk *blockLog) (log []acknowledged) {
	t.Helper()
	var mu sync.Mutex
	t.Run("work", func(t *testing.T) {
		w, _ := powerWorld(t, disk.file)
		w.start()
		agent := w.agent("one")
		demo, err := w.client.CreateSession(t.Context(), api.NewSession{Name: "demo", Agent: "demo", CWD: w.paths.Home, Env: w.env})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.client.Wait(t.Context(), demo.ID, []api.State{api.StateIdle}, 0); err != nil {
			w.until("the demo agent to be idle", func() bool {
				s, err := w.client.Session(t.Context(), demo.ID)
				return err == nil && s.State == api.StateIdle
			})
		}
		done := func(where, text string, err error) {
			if err != nil {
				t.Errorf("%s %s: %v", where, text, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			log = append(log, acknowledged{where, text, disk.position()})
		}
		const rounds = 30
		ctx := t.Context()
		hook := func(name, id, more string) error {
			return w.post(agent, name, id, fmt.Sprintf(`{"session_id":"conv","cwd":"/tmp","hook_event_name":%q,%s}`, name, more))
		}
		calls := []func(i int){
			func(i int) {
				text := fmt.Sprintf("hook-%d-", i)
				done("events", text, hook("UserPromptSubmit", text, fmt.Sprintf(`"prompt":%q`, text)))
			},
			func(i int) {
				text := fmt.Sprintf("push-%d-", i)
				done("decisions", text, hook("PreToolUse", text, fmt.Sprintf(`"tool_name":"Bash","tool_input":{"command":"git push %s"}`, text)))
			},
			func(i int) {
				text := fmt.Sprintf("task-%d-", i)
				_, err := w.client.AddTasks(ctx, []api.NewTask{{Prompt: text, CWD: w.paths.Home}})
				done("tasks", text, err)
			},
			func(i int) {
				text := fmt.Sprintf("message-%d-", i)
				_, err := w.client.SendMessage(ctx, api.NewMessage{To: "one", Text: text})
				done("messages", text, err)
			},
			func(i int) {
				text := fmt.Sprintf("prompt-%d-", i)
				_, err := w.client.SendPrompt(ctx, demo.ID, api.SendPrompt{Text: "say " + text, Wait: true})
				done("events", text, err)
			},
		}
		var running sync.WaitGroup
		for _, call := range calls {
			running.Go(func() {
				for i := range rounds {
					call(i)
				}
			})
		}
		running.Wait()
	})
	if t.Failed() {
		t.FailNow()
	}
	return log
}

// afterwards starts a daemon on what the cut has left and returns what is missing.
func afterwards(t *testing.T, image string, log []acknowledged, at int) (missing []string) {
	t.Helper()
	w, _ := powerWorld(t, image)
	w.start()
	ctx := t.Context()
	found := map[string][]byte{}
	keep := func(where string, v any, err error) {
		if err == nil {
			found[where], err = json.Marshal(v)
		}
		if err != nil {
			t.Fatal(where, ": ", err)
		}
	}
	keep("events", w.events(), nil)
	tasks, err := w.client.Tasks(ctx)
	keep("tasks", tasks, err)
	rows, err := w.client.Decisions(ctx, api.LedgerFilter{Limit: 1000})
	keep("decisions", rows, err)
	messages, err := w.client.Messages(ctx, "one", true, 1000)
	if err != nil && strings.Contains(err.Error(), "no session") {
		err = nil // it was not acknowledged when the power was cut
	}
	keep("messages", messages, err)
	for _, a := range log {
		if a.at <= at && !bytes.Contains(found[a.where], []byte(a.text)) {
			missing = append(missing, a.where+" "+a.text)
		}
	}
	if out := w.verb(true, "decisions", "--verify"); strings.Contains(out, "does not") {
		t.Errorf("the ledger: %s", out)
	}
	return missing
}
