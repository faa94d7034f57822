package nodes

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// Calls that change something, cut in the middle: the node's bridge has taken the request, and its
// answer, or the request itself, never goes on. A filter before the bridge does that: it is this
// program, in the place of ccdir-shim.

// envFilter names the directory of a filter's files; the program is one if it is set.
const envFilter = "CCDIR_TEST_FILTER"

// Files of a filter: armed says what it does with the next request that changes something, caught
// is its first line.
const (
	fileArmed  = "armed"
	fileCaught = "caught"
	holdAnswer = "answer"
	holdCall   = "request"
)

var changing = regexp.MustCompile(`(POST|PUT|PATCH|DELETE) /v1/[^ ]* HTTP/1.1`)

// filter runs a bridge behind a filter, and returns its exit code.
func filter(dir string, argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 1
	}
	held := make(chan struct{}) // closed: nothing goes on
	go func() {
		defer in.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			how, _ := os.ReadFile(filepath.Join(dir, fileArmed))
			plan := bytes.Contains(buf[:n], []byte(`"plan":true`)) // changes nothing
			if line := changing.Find(buf[:n]); line != nil && len(how) > 0 && !plan {
				close(held)
				_ = os.Remove(filepath.Join(dir, fileArmed))
				_ = os.WriteFile(filepath.Join(dir, fileCaught+".new"), line, 0o600)
				_ = os.Rename(filepath.Join(dir, fileCaught+".new"), filepath.Join(dir, fileCaught))
				if string(how) == holdCall {
					_, _ = io.Copy(io.Discard, os.Stdin)
					return
				}
			}
			if _, err := in.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := out.Read(buf)
		select {
		case <-held:
			_, _ = io.Copy(io.Discard, out) // until the other end is gone
			_ = cmd.Wait()
			return 0
		default:
		}
		if err != nil {
			_ = cmd.Wait()
			return 0
		}
		if _, err := os.Stdout.Write(buf[:n]); err != nil {
			return 0
		}
	}
}

// change is a call that changes something on the node.
type change struct {
	args []string
	// count says how often the node has carried it out, from a beginning of its own.
	count func() int
}

// filtered adds the node behind a filter, and returns the filter's directory.
func (r *rig) filtered() (dir string) {
	r.Helper()
	self, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	dir = r.file("filter")
	if err := os.Mkdir(dir, 0o700); err != nil {
		r.Fatal(err)
	}
	shim := filepath.Join(bin, "ccdir-shim")
	// ccdir is looked for beside the bridge's own program, which is the one behind the filter.
	r.add("--program", r.write("filtered", "#!/bin/sh\nif [ \"$2\" = --check ]; then exec "+shim+" \"$@\"; fi\n"+envFilter+"="+dir+" exec "+self+" "+shim+" \"$@\"\n", 0o700))
	return dir
}

// cut makes the call, cuts it in the middle, and returns the request that was cut.
func (r *rig) cut(dir, how string, c change) string {
	r.Helper()
	r.until("a node that is online", func() bool { s, ok := r.status(); return ok && s.State == "online" })
	_ = os.Remove(filepath.Join(dir, fileCaught))
	before := c.count()
	r.write("filter/"+fileArmed, how, 0o600)
	cmd := r.command(c.args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	request := ""
	r.until(strings.Join(c.args, " ")+" on its way", func() bool {
		data, err := os.ReadFile(filepath.Join(dir, fileCaught))
		select {
		case err := <-ended:
			r.Fatalf("ccdir %s ended before it was cut: %v\n%s", strings.Join(c.args, " "), err, &out)
		default:
		}
		request = string(data)
		return err == nil
	})
	if how == holdAnswer {
		r.until(request+" carried out", func() bool { return c.count() > before })
	}
	r.Logf("%s of %s is lost", how, request)
	r.cutSSH()
	if err := <-ended; err != nil {
		r.Errorf("ccdir %s, whose %s was lost: %v\n%s", strings.Join(c.args, " "), how, err, &out)
	}
	if n := c.count() - before; n != 1 {
		r.Errorf("ccdir %s, whose %s was lost, was carried out %d times", strings.Join(c.args, " "), how, n)
	}
	return request
}

// told counts the node's events of a type.
func (r *rig) told(kind string) func() int {
	return func() int { return len(r.list("/v1/events?limit=1000&type=" + kind)) }
}

// list is what the node itself answers.
func (r *rig) list(path string) (all []map[string]any) {
	r.Helper()
	r.decode(r.onNode("api", "GET", path), &all)
	return all
}

// having counts the elements of a list on the node whose field has a value.
func (r *rig) having(path, field, value string) func() int {
	return func() (n int) {
		for _, v := range r.list(path) {
			if text, _ := json.Marshal(v[field]); strings.Trim(string(text), `"`) == value {
				n++
			}
		}
		return n
	}
}

// lacking is 1 when no element of a list on the node has that value.
func (r *rig) lacking(path, field, value string) func() int {
	has := r.having(path, field, value)
	return func() int { return 1 - min(1, has()) }
}

// elsewhere are the calls that are not cut here, with why.
var elsewhere = map[string]string{
	"PUT /v1/grid":                                        "the arrangement is this machine's",
	"POST /v1/hook":                                       "an agent's own machine makes it",
	"POST /v1/shutdown":                                   "the daemon ends, there is no answer to repeat",
	"POST /v1/restore":                                    "needs a daemon that died: daemon/keys_restore_test.go",
	"DELETE /v1/restore":                                  "as POST",
	"POST /v1/sessions/{ref}/seen":                        "sets a value, from the grid",
	"POST /v1/sessions/{ref}/diff/seen":                   "sets a value",
	"POST /v1/sessions/{ref}/review/comments":             "needs a difference; made as POST pending, once: daemon/reviews",
	"PATCH /v1/sessions/{ref}/review/comments/{comment}":  "sets values",
	"DELETE /v1/sessions/{ref}/review/comments/{comment}": "carried out once as DELETE pending",
	"POST /v1/sessions/{ref}/review/send":                 "needs a comment; once by its request: daemon/reviews",
	"POST /v1/sessions/{ref}/review/changes":              "needs a difference; once by its request: review",
	"POST /v1/sessions/{ref}/review/undo":                 "needs a change; once by its request: review",
	"POST /v1/sessions/{ref}/review/viewed":               "sets a value",
	"POST /v1/sessions/{ref}/marks":                       "sets values",
	"POST /v1/sessions/{ref}/sandbox":                     "needs a session behind walls; what is allowed already is not allowed again",
	"POST /v1/sessions/{ref}/park":                        "needs an agent with conversations; one that is parked is not parked again",
	"POST /v1/sessions/{ref}/wake":                        "as park: one that runs is not woken",
	"POST /v1/sessions/{ref}/resume":                      "sets a value; the prompt that follows from it is sent once: orchestrator/limits.go",
	"POST /v1/sessions/{ref}/reply":                       "the bytes of a key, never repeated",
	"POST /v1/sessions/{ref}/input/raw":                   "keys, never repeated",
	"POST /v1/sessions/{ref}/fork":                        "needs an agent's conversation; made as POST /v1/sessions",
	"POST /v1/sessions/{ref}/model":                       "needs an agent with models; typed as POST input",
	"POST /v1/sessions/{ref}/reset":                       "needs an agent with conversations; typed as POST input",
	"POST /v1/messages/ack":                               "sets a value; the person's own mailbox is filled by agents",
	"POST /v1/worktrees/pr":                               "needs a forge",
	"POST /v1/worktrees/consent":                          "asked at a terminal; sets a value",
	"POST /v1/worktrees/push":                             "needs a remote; as POST commit",
	"PUT /v1/web":                                         "the page is this machine's",
	"POST /v1/web/codes":                                  "as PUT /v1/web",
	"DELETE /v1/web/devices/{ref}":                        "as PUT /v1/web",
	"POST /v1/queue/seen":                                 "sets a value",
	"POST /v1/schedules":                                  "made as POST /v1/tasks: daemon/schedules_test.go",
	"POST /v1/schedules/{ref}/edit":                       "sets values",
	"POST /v1/schedules/{ref}/run":                        "once for its key: daemon/intake",
	"POST /v1/schedules/{ref}/pause":                      "sets a value",
	"POST /v1/schedules/{ref}/resume":                     "sets a value",
	"DELETE /v1/schedules/{ref}":                          "as DELETE pending",
	"POST /v1/watches/{ref}/run":                          "an issue is taken once: daemon/intake",
	"POST /v1/watches/{ref}/pause":                        "sets a value",
	"POST /v1/watches/{ref}/resume":                       "sets a value",
	"POST /v1/reactions/test":                             "asked for by a person, who sees each run; never repeated",
}

// TestChanges: every call of the API that changes something is carried out once though the line
// was cut after it was carried out, or before, and its caller is told that it was.
func TestChanges(t *testing.T) {
	r := newRig(t)
	dir := r.filtered()
	cutOf := map[string]bool{}
	do := func(count func() int, args ...string) {
		t.Helper()
		cutOf[template(r.cut(dir, holdAnswer, change{args, count}))] = true
	}
	r.changeSessions(do)
	r.changeWork(do)
	r.changeTrees(do)
	for _, c := range []change{
		{[]string{"new", "-n", "late", "box/", "--", "cat"}, r.told(api.EventSessionCreated)},
		{[]string{"send", "box/late", "once"}, r.told(api.EventPrompt)},
		{[]string{"task", "add", "--node", "box", "-a", "demo", "late"}, r.having("/v1/tasks", "prompt", "late")},
		{[]string{"kill", "--force", "box/late"}, r.told(api.EventSessionExited)},
	} {
		r.cut(dir, holdCall, c)
	}
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	r.decode(r.ok("api", "openapi"), &described)
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for method := range described.Paths[path] {
			route := strings.ToUpper(method) + " " + strings.NewReplacer("{session}", "{ref}", "{task}", "{ref}", "{request}", "{ref}", "{id}", "{ref}").Replace(path)
			if method == "get" || method == "head" || method == "parameters" || cutOf[route] || elsewhere[route] != "" {
				continue
			}
			t.Errorf("%s was not cut: make a call of it, or say why not in elsewhere", route)
		}
	}
}

// template is the route of a request's first line.
func template(line string) string {
	method, rest, _ := strings.Cut(line, " ")
	path, _, _ := strings.Cut(strings.TrimSuffix(rest, " HTTP/1.1"), "?")
	parts := strings.Split(path, "/")
	for i := 3; i < len(parts); i++ {
		if slices.Contains([]string{"sessions", "tasks", "approvals", "pending", "schedules"}, parts[i-1]) {
			parts[i] = "{ref}"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// changeSessions makes the calls about sessions and their requests.
func (r *rig) changeSessions(do func(count func() int, args ...string)) {
	r.Helper()
	do(r.told(api.EventSessionCreated), "new", "-n", "made", "box/", "--", "cat")
	do(r.told(api.EventSessionRenamed), "rename", "box/made", "named")
	do(r.told(api.EventSessionFocus), "focus", "box/named")
	do(r.having("/v1/sessions", "cols", "100"), "resize", "box/named", "100x30")
	do(r.told(api.EventSessionExited), "kill", "--force", "box/named")
	do(r.told(api.EventSessionStarted), "restart", "box/named")
	r.ok("kill", "--force", "box/named")
	do(r.told(api.EventSessionRemoved), "rm", "box/named")

	r.ok("new", "-n", "worker", "-a", "demo", "box/")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	do(r.told(api.EventPrompt), "send", "box/worker", "say hello.")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	do(r.told(api.EventPrompt), "ask", "box/worker", "say yes.")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	ref := r.asks("box/worker", "touch approved")
	do(r.told(api.EventSessionSnoozed), "snooze", "box/worker", "--for", "1h")
	do(r.told(api.EventSessionSnoozed), "snooze", "box/worker", "--end")
	do(func() int { return len(r.list("/v1/pending")) }, "send", "--later", "box/worker", "say later.")
	id, _ := r.list("/v1/pending")[0]["id"].(string)
	do(r.having("/v1/pending", "text", "say something else."), "pending", "edit", "box/"+id, "say something else.")
	do(r.lacking("/v1/pending", "id", id), "pending", "cancel", "box/"+id)
	do(r.told(api.EventPermissionEnded), "approve", ref)
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	do(r.told(api.EventPermissionEnded), "deny", r.asks("box/worker", "touch denied"))
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
}

// changeWork makes the calls about what a session may, messages and tasks.
func (r *rig) changeWork(do func(count func() int, args ...string)) {
	r.Helper()
	do(r.told(api.EventSessionPolicy), "role", "box/worker", "lead")
	do(r.told(api.EventSessionPolicy), "override", "box/worker", "allow-reads", "--for", "1h")
	rules := func() int { return strings.Count(r.onNode("rules", "worker", "--json"), "git log") }
	do(func() int { return min(1, rules()) }, "rules", "add", "box/worker", "Bash(git log)")
	do(func() int { return 1 - min(1, rules()) }, "rules", "revoke", "box/worker", "Bash(git log)")
	messages := func() int { return len(r.list("/v1/messages?session=worker")) }
	do(messages, "messages", "send", "box/worker", "hello")

	r.ok("task", "mode", "manual", "--node", "box")
	do(func() int {
		return strings.Count(strings.ReplaceAll(r.onNode("api", "GET", "/v1/queue"), " ", ""), `"limit":7`)
	}, "task", "limit", "7", "--node", "box")
	do(r.having("/v1/tasks", "prompt", "first"), "task", "add", "--node", "box", "-a", "demo", "first")
	r.ok("task", "add", "--node", "box", "-a", "demo", "second")
	tasks := r.list("/v1/tasks")
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i], _ = t["id"].(string)
	}
	slices.Sort(ids)
	do(r.having("/v1/tasks", "prompt", "say third."), "task", "edit", "box/"+ids[0], "--prompt", "say third.")
	before := func() int {
		return strings.Index(r.onNode("task", "ls"), ids[0]) - strings.Index(r.onNode("task", "ls"), ids[1])
	}
	do(func() int { return min(1, max(0, before())) }, "task", "move", "box/"+ids[1], "--before", ids[0])
	do(r.told(api.EventSessionCreated), "task", "start", "box/"+ids[0])
	do(r.having("/v1/tasks", "state", "cancelled"), "task", "cancel", "box/"+ids[1])
	r.ok("task", "add", "--node", "box", "-a", "demo", "fourth")
	do(func() int { return 1 - min(1, r.having("/v1/tasks", "state", "queued")()) }, "task", "clear", "--node", "box")
}

// changeTrees makes the calls about work trees.
func (r *rig) changeTrees(do func(count func() int, args ...string)) {
	r.Helper()
	repo := r.file("repo")
	git := func(args ...string) {
		r.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			r.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	if err := os.Mkdir(repo, 0o700); err != nil {
		r.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	trees := "/v1/worktrees?dir=" + repo
	moved := r.file("moved")
	in := []string{"--node", "box", "-C", repo}
	do(r.having(trees, "branch", "fix"), append([]string{"worktree", "add", "fix"}, in...)...)
	do(r.having(trees, "path", moved), append([]string{"worktree", "mv", "fix", moved}, in...)...)
	if out, err := exec.Command("git", "-C", moved, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "second").CombinedOutput(); err != nil {
		r.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(moved, "new"), nil, 0o600); err != nil {
		r.Fatal(err)
	}
	do(func() int {
		out, _ := exec.Command("git", "-C", moved, "log", "--format=%s").Output()
		return strings.Count(string(out), "third")
	}, append([]string{"worktree", "commit", "fix", "-m", "third"}, in...)...)
	do(func() int {
		out, _ := exec.Command("git", "-C", repo, "log", "--format=%s", "main").Output()
		return strings.Count(string(out), "second")
	}, append([]string{"worktree", "merge", "fix", "--yes"}, in...)...)
	trash := func() int { return len(r.list("/v1/worktrees/trash?dir=" + repo)) }
	do(trash, append([]string{"worktree", "rm", "fix", "--keep-branch", "--yes"}, in...)...)
	id, _ := r.list("/v1/worktrees/trash?dir=" + repo)[0]["id"].(string)
	do(r.having(trees, "branch", "fix"), append([]string{"worktree", "restore", id}, in...)...)
	if err := os.RemoveAll(moved); err != nil {
		r.Fatal(err)
	}
	do(r.lacking(trees, "path", moved), append([]string{"worktree", "prune"}, in...)...)
}
