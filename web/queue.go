package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// taskRow is a task as the queue's page shows it.
type taskRow struct {
	api.Task
	Sign, Word, Line, Agents, Cost string
	Stand                          api.Standing
	// Need is its place in the list, in words; Hold says what keeps it from starting.
	Need, Hold string
}

func taskOf(t api.Task, q api.Queue, open map[string]bool, now time.Time) taskRow {
	h, hold := q.Hold(t, open, now)
	stand := t.Standing()
	r := taskRow{Task: t, Stand: stand, Sign: stand.Sign(api.SignsUnicode), Word: t.StandingWord(), Line: short(t.Headline(hold), maxHeadline), Hold: hold, Need: t.Need(h).String(),
		Agents: strings.TrimSpace(short(t.Agent+" "+t.Model, maxHeadline))}
	if t.Result.Cost >= 0.005 {
		r.Cost = "$" + strconv.FormatFloat(t.Result.Cost, 'f', 2, 64)
	}
	return r
}

// queueHead is what stands above the tasks.
type queueHead struct {
	api.Queue
	Counts []queueCount
	Paused bool
	Token  string
	May    bool
	Parked []string
}

type queueCount struct {
	State api.TaskState
	N     int
}

func (s *server) queueHead(c call, q api.Queue, now time.Time) queueHead {
	h := queueHead{Queue: q, Paused: q.Mode == api.QueuePaused, Token: c.device.Token, May: c.device.Rights.Has(api.WebType)}
	for _, state := range api.TaskStates() {
		if n := q.Counts[state]; n > 0 {
			h.Counts = append(h.Counts, queueCount{state, n})
		}
	}
	for class, until := range q.Parked {
		if until.After(now) {
			h.Parked = append(h.Parked, class+" until "+clock(until))
		}
	}
	slices.Sort(h.Parked)
	return h
}

// queueOf is the queue that a task is in: own is this machine's.
func (s *server) queueOf(own api.Queue, t api.Task) api.Queue {
	if node, _, far := strings.Cut(t.ID, "/"); far {
		return s.Nodes.Queue(node)
	}
	return own
}

// queueBlocks are the queue and its tasks by need, one part of a long list.
func (s *server) queueBlocks(ctx context.Context, c call) ([]block, error) {
	q, err := s.Queue.Queue(ctx)
	if err != nil {
		return nil, err
	}
	tasks, err := s.Queue.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	now, open := s.Now(), api.OpenTasks(tasks)
	needs := map[string]api.Need{}
	for _, t := range tasks {
		h, _ := s.queueOf(q, t).Hold(t, open, now)
		needs[t.ID] = t.Need(h)
	}
	slices.SortStableFunc(tasks, func(a, b api.Task) int {
		if a.State.Ended() && b.State.Ended() {
			return cmp.Or(cmp.Compare(needs[a.ID], needs[b.ID]), b.Ended.Compare(a.Ended))
		}
		return cmp.Or(cmp.Compare(needs[a.ID], needs[b.ID]), cmp.Compare(a.Rank, b.Rank))
	})
	top, err := blockOf("queue", "queuehead", s.queueHead(c, q, now))
	if err != nil {
		return nil, err
	}
	list := []block{top}
	shown := portionOf(c.URL, tasks)
	for _, t := range shown.Rows {
		b, err := blockOf("t-"+t.ID, "taskcard", taskOf(t, s.queueOf(q, t), open, now))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	end, err := blockOf("pages", "queueend", map[string]any{"Part": shown.pager, "Empty": len(tasks) == 0})
	return append(list, end), err
}

// queuePage is what the queue's page has besides its blocks.
type queuePage struct {
	Blocks []block
	// Node is the machine that a new task is for, "" this one; Away is why it cannot be asked.
	Node, Away string
	Machines   []machine
	Agents     []api.AgentInfo
	Dirs       []api.Directory
	// Request names the new task: sent twice, it is added once.
	Request string
}

func (s *server) queue(w http.ResponseWriter, c call) error {
	blocks, err := s.queueBlocks(c.Context(), c)
	if err != nil {
		return err
	}
	d := queuePage{Blocks: blocks, Node: c.URL.Query().Get("node"), Request: rand.Text()}
	if c.device.Rights.Has(api.WebType) {
		d.Machines = s.machines(c)
		switch d.Agents, d.Dirs, err = s.Sessions.Offers(c.Context(), d.Node); {
		case err != nil && d.Node != "":
			d.Away = err.Error() // the queue is there all the same
		case err != nil:
			return err
		}
	}
	s.render(w, c, http.StatusOK, page{Title: "Queue", Nav: "queue", Body: "queue", Live: liveAddress(c, "queue"), Data: d})
	return nil
}

// taskPage is one task.
type taskPage struct {
	taskRow
	Prompts []string
	After   []string
}

func (s *server) task(w http.ResponseWriter, c call) error {
	t, err := s.Queue.Task(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	q, err := s.Queue.Queue(c.Context())
	if err != nil {
		return err
	}
	tasks, err := s.Queue.Tasks(c.Context())
	if err != nil {
		return err
	}
	d := taskPage{taskRow: taskOf(t, s.queueOf(q, t), api.OpenTasks(tasks), s.Now()), Prompts: append([]string{t.Prompt}, t.Steps...)}
	for _, a := range t.After {
		d.After = append(d.After, a.Task)
	}
	s.render(w, c, http.StatusOK, page{Title: "Task " + t.ID, Nav: "queue", Body: "task", Data: d})
	return nil
}

func taskPath(id string) string { return "/queue/" + url.PathEscape(id) }

// addTask puts a task into the queue.
func (s *server) addTask(w http.ResponseWriter, c call) error {
	f := c.PostForm
	text, err := promptOf(f)
	if err != nil {
		return err
	}
	if text == "" {
		return api.Errorf(api.CodeInvalid, "the prompt is empty")
	}
	n := api.NewTask{Node: f.Get("node"), Name: strings.TrimSpace(f.Get("name")), Prompt: text, Agent: f.Get("agent"), CWD: strings.TrimSpace(f.Get("cwd")), Worktree: strings.TrimSpace(f.Get("worktree"))}
	if n.Request, err = s.requestOf(c); err != nil {
		return err
	}
	for name := range strings.FieldsFuncSeq(f.Get("after"), func(r rune) bool { return r == ',' || r == ' ' }) {
		n.After = append(n.After, api.TaskAfter{Task: name})
	}
	if p := f.Get("priority"); p != "" {
		if n.Priority, err = strconv.Atoi(p); err != nil {
			return api.Errorf(api.CodeInvalid, "a priority is a number from -100 to 100, found %.20q", p)
		}
	}
	list, err := s.Queue.Add(context.WithoutCancel(c.Context()), []api.NewTask{n})
	if err != nil {
		return err
	}
	s.noteFar(c, list[0].ID, "added the task")
	return s.done(w, c, "Added: "+list[0].ID, "/queue")
}

func (s *server) startTask(w http.ResponseWriter, c call) error {
	t, err := s.Queue.Start(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	s.noteFar(c, t.ID, "started the task")
	return s.done(w, c, "Started: "+t.ID, taskPath(t.ID))
}

func (s *server) cancelTask(w http.ResponseWriter, c call) error {
	t, err := s.Queue.Cancel(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	s.noteFar(c, t.ID, "cancelled the task")
	return s.done(w, c, "Cancelled: "+t.ID, taskPath(t.ID))
}

// holdQueue pauses the queue, or has it go on.
func (s *server) holdQueue(w http.ResponseWriter, c call) error {
	paused := c.PostForm.Get("paused") != ""
	if _, err := s.Queue.ChangeQueue(c.Context(), api.QueueChange{Paused: &paused}); err != nil {
		return err
	}
	return s.done(w, c, map[bool]string{true: "The queue starts nothing until it goes on", false: "The queue goes on"}[paused], "/queue")
}
