package orchestrator

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ccdir/api"
)

// Bounds of a task's fields.
const (
	maxPrompt   = 1 << 20
	maxSteps    = 1000
	maxArgs     = 1000
	maxAfter    = 1000
	maxAccounts = 100
	maxRetries  = 100
	maxPriority = 100
	maxLabels   = 100
	maxLabel    = 200 // bytes; also of references to tasks and conversations
)

// Compiled on first use: every command links this package.
var (
	nameOK = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`) })
	isID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^t[0-9]+$`) })
	// conversationOK: it becomes an argument, and must not look like an option.
	conversationOK = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}$`) })
)

// Check validates a task on its own, without the queue.
func Check(n api.NewTask) error {
	bad := func(format string, args ...any) error { return api.Errorf(api.CodeInvalid, format, args...) }
	switch {
	case n.Name != "" && (!nameOK().MatchString(n.Name) || isID().MatchString(n.Name)):
		return bad("the name %q is not allowed: use letters, digits, '-', '_' and '.', and not t with a number", cut(n.Name))
	case len(n.Request) > 64:
		return bad("the request's id is longer than 64 bytes")
	case len(n.Steps) > maxSteps:
		return bad("%d steps are too many: at most %d", len(n.Steps), maxSteps)
	case n.Role != "" && !api.ValidRole(n.Role):
		return bad("%.40q is not the name of a role", n.Role)
	case len(n.Args) > maxArgs:
		return bad("%d arguments of the agent are too many: at most %d", len(n.Args), maxArgs)
	case len(n.Accounts) > maxAccounts:
		return bad("%d accounts are too many: at most %d", len(n.Accounts), maxAccounts)
	case len(n.After) > maxAfter:
		return bad("%d dependencies are too many: at most %d", len(n.After), maxAfter)
	case n.Priority < -maxPriority || n.Priority > maxPriority:
		return bad("priority %d is not between -%d and %d", n.Priority, maxPriority, maxPriority)
	case n.Retries < 0 || n.Retries > maxRetries:
		return bad("retries %d is not between 0 and %d", n.Retries, maxRetries)
	case n.Timeout < 0 || n.MaxTurns < 0 || n.MaxTokens < 0:
		return bad("timeout, max_turns and max_tokens cannot be negative")
	case n.MaxCost < 0 || math.IsNaN(n.MaxCost) || math.IsInf(n.MaxCost, 0):
		return bad("max_cost cannot be negative or without bound")
	case n.MaxCostAll < 0 || math.IsNaN(n.MaxCostAll) || math.IsInf(n.MaxCostAll, 0):
		return bad("max_cost_all cannot be negative or without bound")
	case !slices.Contains([]api.TaskKind{"", api.TaskInteractive, api.TaskPrint}, n.Kind):
		return bad("kind %q is unknown: interactive or print", cut(string(n.Kind)))
	case !slices.Contains([]api.StallAction{"", api.StallFlag, api.StallInterrupt, api.StallStop}, n.OnStall):
		return bad("on_stall %q is unknown: flag, interrupt or stop", cut(string(n.OnStall)))
	case !slices.Contains([]api.ResumeMode{"", api.ResumeOn, api.ResumeAsk, api.ResumeOff}, n.ResumeAfterLimit):
		return bad("resume_after_limit %q is not one of a task: on, ask or off", cut(string(n.ResumeAfterLimit)))
	case n.OnStall == api.StallInterrupt && strings.TrimSpace(n.StallPrompt) == "":
		return bad("on_stall interrupt needs stall_prompt")
	case (n.Draft || n.Rounds != 0) && !n.PR:
		return bad("draft and rounds are about the pull request of a task: they need pr")
	case n.Rounds < 0 || n.Rounds > maxRounds:
		return bad("rounds %d is not between 1 and %d, or 0 for %d", n.Rounds, maxRounds, defaultRounds)
	case n.Kind == api.TaskPrint && n.PR:
		return bad("a print task has no session that takes what fails as its next step: pr needs kind interactive")
	case n.PR && n.Fleet != nil:
		return bad("a task of a fleet makes no pull request: its result is a branch, of which `ccdir pr` makes one")
	case n.Kind == api.TaskPrint && n.Review:
		return bad("a print task has no session that takes comments: review needs kind interactive")
	case n.Kind == api.TaskPrint && len(n.Steps) > 0:
		return bad("a print task has one prompt: steps need kind interactive")
	case n.Continue != "" && n.Conversation != "":
		return bad("continue and conversation exclude one another")
	case n.Conversation != "" && !conversationOK().MatchString(n.Conversation):
		return bad("%q is no id of a conversation: `ccdir ls --json` and `ccdir history --json` tell them", cut(n.Conversation))
	case len(n.Labels) > maxLabels:
		return bad("%d labels are too many: at most %d", len(n.Labels), maxLabels)
	}
	if err := checkPlacement(n); err != nil {
		return err
	}
	for _, l := range n.Labels {
		if l == "" || len(l) > maxLabel || !utf8.ValidString(l) || strings.ContainsFunc(l, unicode.IsControl) {
			return bad("the label %q is not allowed: 1 to %d bytes without control characters", cut(l), maxLabel)
		}
	}
	for _, arg := range append(n.Args[:len(n.Args):len(n.Args)], n.Model) {
		if !utf8.ValidString(arg) || strings.ContainsRune(arg, 0) {
			return bad("the model or an argument of the agent is no UTF-8, or has a NUL byte")
		}
	}
	for _, p := range append([]string{n.Prompt, n.StallPrompt}, n.Steps...) {
		if len(p) > maxPrompt || !utf8.ValidString(p) {
			return bad("a prompt is longer than %d bytes or no UTF-8", maxPrompt)
		}
	}
	return nil
}

// prompts are a task's prompts without blank ones.
func prompts(n api.NewTask) []string {
	return slices.DeleteFunc(append([]string{n.Prompt}, n.Steps...),
		func(p string) bool { return strings.TrimSpace(p) == "" })
}

// textOf is the length of a task's prompts and steps in bytes.
func textOf(n *api.NewTask) int {
	sum := len(n.Prompt) + len(n.StallPrompt)
	for _, s := range n.Steps {
		sum += len(s)
	}
	return sum
}

// add adds tasks, all or none.
func (c *Core) add(list []api.NewTask) ([]string, error) {
	if len(list) == 0 {
		return nil, api.Errorf(api.CodeInvalid, "no task given")
	}
	if ids := c.repeated(list); ids != nil {
		return ids, nil
	}
	if c.open+len(list) > MaxTasks {
		return nil, api.Errorf(api.CodeLimit, "the queue holds %d tasks, and at most %d: clear some first", c.open, MaxTasks)
	}
	text := c.text
	for i := range list {
		text += textOf(&list[i])
	}
	if text > MaxText {
		return nil, api.Errorf(api.CodeLimit, "the prompts of the queue have %d MiB together, and at most %d: clear some tasks first, or put long texts into files", text>>20, MaxText>>20)
	}
	batch := map[string]int{}
	for i, n := range list {
		if err := Check(n); err != nil {
			return nil, at(i, list, err)
		}
		if n.Fleet != nil && c.places == nil {
			return nil, at(i, list, api.Errorf(api.CodeInvalid, "needs, nodes and on_node_loss are of a fleet's queue: `ccdir task add --fleet`"))
		}
		if n.MaxCostAll != list[0].MaxCostAll {
			return nil, at(i, list, api.Errorf(api.CodeInvalid, "max_cost_all bounds all tasks of a call together: it has to be the same in each"))
		}
		if n.Name == "" {
			continue
		}
		_, twice := batch[n.Name]
		if _, used := c.names[n.Name]; used || twice {
			return nil, at(i, list, api.Errorf(api.CodeConflict, "the name %q is in use: choose another; it is free once its task has ended", n.Name))
		}
		batch[n.Name] = i
	}
	list = slices.Clone(list) // the caller keeps its own
	c.snapshotSettings()
	first := c.set.Next
	c.set.Next += int64(len(list))
	id := func(i int) string { return fmt.Sprintf("t%d", first+int64(i)) }
	after, err := c.dependencies(list, batch, id)
	if err != nil {
		return nil, err
	}
	if loop := cycle(after, first); loop != nil {
		for i, j := range loop {
			loop[i] = label(int(parseID(j)-first), list)
		}
		return nil, api.Errorf(api.CodeInvalid, "the dependencies form a cycle: %s", strings.Join(loop, " → "))
	}
	var ids []string
	if req := list[0].Request; req != "" {
		c.requests[req] = nil // may hold ids of an earlier call that was undone
	}
	for i := range list {
		c.insert(id(i), first+int64(i), list[i], after[i])
		ids = append(ids, id(i))
	}
	for _, id := range ids { // some dependencies may have failed already
		c.resolve(id)
	}
	return ids, nil
}

// addApproved is add, with the approval of the command.
func (c *Core) addApproved(e Add) ([]string, error) {
	ids, err := c.add(e.Tasks)
	for _, id := range ids {
		if r := *c.tasks[id]; e.Approved && r.State == api.TaskQueued && !r.Approved {
			r.Approved = true
			c.put(r)
		}
	}
	return ids, err
}

// dependencies resolves the dependencies of the tasks of one call to ids: of tasks in
// the same call (batch holds their indexes by name) or of known tasks. It also replaces
// Continue in list by the id, because a name may be given to another task later.
func (c *Core) dependencies(list []api.NewTask, batch map[string]int, id func(int) string) ([][]api.TaskAfter, error) {
	after := make([][]api.TaskAfter, len(list))
	for i, n := range list {
		want := slices.Clone(n.After)
		if n.Continue != "" && !slices.ContainsFunc(want, func(a api.TaskAfter) bool { return a.Task == n.Continue }) {
			want = append(want, api.TaskAfter{Task: n.Continue})
		}
		for _, a := range want {
			named := a.Task == n.Continue
			if j, ok := batch[a.Task]; ok {
				a.Task = id(j)
			} else if r, err := c.Find(a.Task); err == nil {
				a.Task = r.ID
			} else {
				return nil, at(i, list, err)
			}
			if named {
				list[i].Continue = a.Task
			}
			after[i] = append(after[i], a)
		}
	}
	return after, nil
}

// repeated returns the tasks of the earlier call that this one retries; nil: none.
func (c *Core) repeated(list []api.NewTask) []string {
	ids := c.requests[list[0].Request]
	for _, id := range ids {
		if c.tasks[id] == nil || c.tasks[id].Request != list[0].Request {
			return nil
		}
	}
	return ids
}

func parseID(id string) (n int64) {
	_, _ = fmt.Sscanf(id, "t%d", &n) // cannot fail: add makes the ids
	return n
}

// label names a task of a request in an error.
func label(i int, list []api.NewTask) string {
	if list[i].Name != "" {
		return list[i].Name
	}
	return fmt.Sprintf("task %d", i+1)
}

func at(i int, list []api.NewTask, err error) error {
	if len(list) == 1 {
		return err
	}
	return api.Errorf(api.CodeOf(err), "%s: %s", label(i, list), err)
}

// cycle finds a cycle among new tasks (older ones cannot depend on them), as a
// list of ids that ends with its first; nil if there is none.
func cycle(after [][]api.TaskAfter, first int64) []string {
	mark := make([]byte, len(after)) // 1: on the path, 2: done
	for start := range after {
		if mark[start] != 0 {
			continue
		}
		type frame struct{ node, next int }
		path := []frame{{start, 0}}
		mark[start] = 1
		for len(path) > 0 {
			f := &path[len(path)-1]
			if f.next == len(after[f.node]) {
				mark[f.node] = 2
				path = path[:len(path)-1]
				continue
			}
			id := after[f.node][f.next].Task
			f.next++
			to := int(parseID(id) - first)
			if to < 0 || mark[to] == 2 {
				continue
			}
			if mark[to] == 0 {
				mark[to] = 1
				path = append(path, frame{to, 0})
				continue
			}
			var loop []string
			for i := slices.IndexFunc(path, func(f frame) bool { return f.node == to }); i < len(path); i++ {
				loop = append(loop, fmt.Sprintf("t%d", first+int64(path[i].node)))
			}
			return append(loop, id)
		}
	}
	return nil
}

// insert adds one valid task.
func (c *Core) insert(id string, seq int64, n api.NewTask, after []api.TaskAfter) {
	if n.Kind == "" {
		n.Kind = api.TaskInteractive
	}
	r := Record{Seq: seq, Env: n.Env}
	n.Env = nil
	r.Task = api.Task{ID: id, NewTask: n, State: api.TaskQueued, Since: c.now, Created: c.now,
		Rank: (seq - int64(n.Priority)*boost) * rankStep}
	if n.Request != "" {
		c.requests[n.Request] = append(c.requests[n.Request], id)
	}
	r.Resume = n.Conversation
	r.Unmet = after
	c.put(r)
	c.trail = append(c.trail, Transition{Task: id, To: api.TaskQueued, Note: api.EventTaskAdded})
}

// resolve removes the dependencies that have ended, and blocks the task if one of them
// did not succeed.
func (c *Core) resolve(id string) {
	r := *c.tasks[id]
	if r.State.Ended() || len(r.Unmet) == 0 {
		return
	}
	var left []api.TaskAfter
	for _, a := range r.Unmet {
		dep := c.tasks[a.Task]
		switch {
		case dep != nil && !dep.State.Ended():
			left = append(left, a)
		case dep != nil && dep.State != api.TaskDone && !a.Always:
			r.Unmet = nil
			c.end(&r, api.TaskBlocked, fmt.Sprintf("%s, which it needs, is %s", a.Task, dep.State))
			return
		}
		if dep == nil || !dep.State.Ended() || r.Continue == "" || dep.ID != r.Continue && dep.Name != r.Continue {
			continue // earlier versions saved the name in Continue
		}
		r.Account = dep.Account // the conversation is there
		if r.Resume = dep.Result.Conversation; r.Resume == "" {
			r.Unmet = nil
			c.end(&r, api.TaskBlocked, fmt.Sprintf("%s, which it continues, has no conversation", a.Task))
			return
		}
	}
	if len(left) != len(r.Unmet) {
		r.Unmet = left
		c.put(r)
	}
}
