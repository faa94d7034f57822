package intake

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	eventlog "ccdir/daemon/journal"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/orchestrator"
	"ccdir/wire"
	"ccdir/worktrees/forge"
)

const (
	// pullEvery is how often a task's pull request is asked about.
	pullEvery = time.Minute
	// checkTime bounds one check of a project; checkLines and checkBytes what is kept of its output.
	checkTime  = 30 * time.Minute
	checkLines = 150
	checkBytes = 16 << 10
)

// Points of a task's way out at which tests stop the daemon.
const (
	PauseChecked = "way-checked" // a check has ended, which nobody has taken in
	PausePushed  = "way-pushed"  // the pull request is made, which nobody has taken in
	PauseNews    = "way-news"    // something came back, which nobody has taken in
	PauseLeft    = "way-left"    // a check's session is there, which nobody needs any more
)

// WayTrees are the work trees of tasks: daemon/repositories.
type WayTrees interface {
	Checks(ctx context.Context, dir string) ([]api.ProjectCheck, error)
	Uncommitted(ctx context.Context, dir string) (int, error)
	PushTask(ctx context.Context, t api.Task) (api.PullRequest, error)
	PullNews(ctx context.Context, t api.Task) (forge.News, error)
	FailedLog(ctx context.Context, t api.Task, pr api.PullRequest) (name, log string, err error)
}

// WaySessions run checks: sessions.Registry.
type WaySessions interface {
	CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error)
	Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error)
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)
	Remove(ctx context.Context, ref string) error
	// Requested are the sessions whose requests begin so, by their requests.
	Requested(prefix string) map[string]string
}

// WayTasks are the tasks: daemon/queue.
type WayTasks interface {
	// Staged says what became of a stage, and returns when that is saved.
	Staged(ctx context.Context, e orchestrator.Staged) error
	// Dealt are the keys of what came back to a task before.
	Dealt(ctx context.Context, id string) ([]string, error)
}

// WayOptions join the ways out with the daemon. All but Every are needed.
type WayOptions struct {
	Tasks    WayTasks
	Journal  interface{ Watch() *eventlog.Watcher }
	Session  func(id string) (api.Session, bool)
	Sessions WaySessions
	Trees    WayTrees
	// Pulled is told of each pull request that a task has, also again.
	Pulled func(ctx context.Context, task, url string)
	// Env is the environment of checks.
	Env []string
	// Every replaces pullEvery, for tests.
	Every  time.Duration
	Pause  func(point string)
	Logger *slog.Logger
}

// WaysOut carry out the stages that tasks are in when their last step has ended (api.Task.Stage). What is to be done follows from the
// tasks alone, so that the next daemon goes on where one has died: a check's session is found by its key, a branch that has a
// pull request gets no second one, and what was told the agent is not told again (orchestrator.Staged). Run it once.
type WaysOut struct{ o WayOptions }

// NewWaysOut makes them. Nothing runs before Run.
func NewWaysOut(o WayOptions) *WaysOut {
	if o.Every == 0 {
		o.Every = pullEvery
	}
	return &WaysOut{o: o}
}

// way is a stage that is carried out.
type way struct {
	stages int
	cancel context.CancelFunc
}

// Run carries out stages until ctx ends. Sessions of checks go on.
func (w *WaysOut) Run(ctx context.Context) {
	group := contain.Group{Log: w.o.Logger}
	defer group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := w.o.Journal.Watch()
	defer watch.Close()
	ways := map[string]way{}
	look := func(t api.Task) {
		now, running := ways[t.ID]
		carried := carriedOut(t)
		if running && (!carried || now.stages != t.Stages) {
			now.cancel()
			delete(ways, t.ID)
			running = false
		}
		if carried && !running {
			within, stop := context.WithCancel(ctx)
			ways[t.ID] = way{t.Stages, stop}
			group.Go(func() { w.carryOut(within, t); w.clear(ctx, t.ID, t.Stages) })
		}
	}
	for {
		messages, err := watch.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			switch {
			case m.Snapshot != nil:
				there := map[string]bool{}
				for _, t := range m.Snapshot.Tasks {
					there[t.ID] = true
					look(t)
					if needed := t.Stage == api.StageChecks && carriedOut(t); t.PR && !needed { // another daemon has died over them
						group.Go(func() { w.clear(ctx, t.ID, t.Stages) })
					}
				}
				for id := range ways {
					if !there[id] {
						look(api.Task{ID: id})
					}
				}
			case m.Task != nil:
				look(*m.Task)
			case m.TaskGone != "":
				look(api.Task{ID: m.TaskGone})
			}
		}
	}
}

// carriedOut reports whether something is done about a task's stage. A pull request is followed also while a person is asked about
// it: what a person does there may answer.
func carriedOut(t api.Task) bool {
	switch t.Stage {
	case api.StageChecks, api.StagePush:
		return t.State == api.TaskRunning
	case api.StageOpen:
		return t.State == api.TaskRunning || t.State == api.TaskWaiting
	}
	return false
}

// carryOut carries out one stage, and says what became of it.
func (w *WaysOut) carryOut(ctx context.Context, t api.Task) {
	switch t.Stage {
	case api.StageChecks:
		w.tell(ctx, t, w.check(ctx, t), PauseChecked)
	case api.StagePush:
		w.tell(ctx, t, w.push(ctx, t), PausePushed)
	case api.StageOpen:
		w.follow(ctx, t)
	}
}

// tell says what became of a stage, until it is saved.
func (w *WaysOut) tell(ctx context.Context, t api.Task, e orchestrator.Staged, point string) {
	e.Task, e.Stage, e.Stages = t.ID, t.Stage, t.Stages
	e.Reason = textsafe.Cut(textsafe.Line(e.Reason), 300)
	if e.Outcome != orchestrator.StageSeen {
		w.o.Pause(point)
	}
	for ctx.Err() == nil {
		err := w.o.Tasks.Staged(ctx, e)
		if err == nil {
			return
		}
		w.o.Logger.Warn("what became of a task's stage is not saved yet", "task", t.ID, "stage", string(t.Stage), "error", err)
		wait(ctx, time.Second)
	}
}

// wait waits for a time, or for the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func stuck(format string, args ...any) orchestrator.Staged {
	return orchestrator.Staged{Outcome: orchestrator.StageStuck, Reason: fmt.Sprintf(format, args...)}
}

func back(reason, text string, keys ...string) orchestrator.Staged {
	return orchestrator.Staged{Outcome: orchestrator.StageBack, Reason: reason, Text: text, Keys: keys}
}

// check looks whether the work is committed, and runs the project's checks one after the other.
func (w *WaysOut) check(ctx context.Context, t api.Task) orchestrator.Staged {
	list, err := w.o.Trees.Checks(ctx, t.Result.CWD)
	if err != nil {
		return stuck("its checks cannot be read: %v", err)
	}
	for _, c := range list {
		if !c.Consent {
			return stuck("nobody has agreed to the project's check %s: `ccdir worktree checks -C %s` asks", c.Name, t.CWD)
		}
	}
	n, err := w.o.Trees.Uncommitted(ctx, t.Result.CWD)
	switch {
	case err != nil:
		return stuck("its work tree cannot be read: %v", err)
	case n > 0:
		return back("its work is not committed", "Your work tree has changes that are in no commit (`git status` shows them). Commit what belongs to the work, and remove the rest: the branch is checked and pushed next.")
	}
	for _, c := range list {
		if e, ok := w.run(ctx, t, c); !ok {
			return e
		}
	}
	return orchestrator.Staged{Outcome: orchestrator.StagePassed}
}

// checkKey begins the requests of a task's checks.
func checkKey(task string) string { return "check-" + task + "-" }

// clear ends and removes the sessions of a task's checks up to those of one stage: of checks that have ended, whose outcome is in the
// history, and of those that nobody waits for any more, since their task was cancelled. Not before that is saved: the next daemon
// reads there what became of a check.
func (w *WaysOut) clear(ctx context.Context, task string, stages int) {
	for request, id := range w.o.Sessions.Requested(checkKey(task)) {
		number, _, _ := strings.Cut(strings.TrimPrefix(request, checkKey(task)), "-")
		if n, err := strconv.Atoi(number); err != nil || n > stages || ctx.Err() != nil {
			continue
		}
		w.o.Pause(PauseLeft)
		if s, ok := w.o.Session(id); ok && !s.State.Ended() {
			_, _ = w.o.Sessions.Kill(ctx, id, api.Kill{})
		}
		if err := w.o.Sessions.Remove(ctx, id); err != nil {
			w.o.Logger.Debug("the session of a check stays", "session", id, "error", err)
		}
	}
}

// run runs one check, in a session of its own with the walls of the task's; ok: it has passed.
func (w *WaysOut) run(ctx context.Context, t api.Task, c api.ProjectCheck) (e orchestrator.Staged, ok bool) {
	name := t.ID
	if t.Name != "" {
		name = t.Name
	}
	n := api.NewSession{Name: fmt.Sprintf("%s-%s", name, c.Name), CWD: t.Result.CWD, Argv: []string{"/bin/sh", "-c", c.Command}, Env: w.o.Env, Worktree: "-",
		Role: t.Role, Sandbox: wallsOf(t), Request: fmt.Sprintf("%s%d-%s", checkKey(t.ID), t.Stages, c.Name)}
	// A stop of the daemon does not interrupt the start: its key is known to the next one.
	s, _, err := w.o.Sessions.CreateOnce(context.WithoutCancel(ctx), n)
	if api.CodeOf(err) == api.CodeConflict { // the name is taken
		n.Name = ""
		s, _, err = w.o.Sessions.CreateOnce(context.WithoutCancel(ctx), n)
	}
	if err != nil {
		return stuck("the check %s cannot be run: %v", c.Name, err), false
	}
	within, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	code := w.ended(within, s.ID)
	if ctx.Err() != nil {
		return e, false
	}
	if code == nil && within.Err() != nil {
		_, _ = w.o.Sessions.Kill(ctx, s.ID, api.Kill{Force: true})
	}
	out, err := w.o.Sessions.Buffer(ctx, s.ID, wire.OutputParams{Format: wire.FormatText, Scrollback: true})
	if err != nil {
		out.Text = "(its output cannot be read: " + err.Error() + ")"
	}
	how := "was lost"
	switch {
	case code != nil && *code == 0:
		return e, true
	case code != nil:
		how = fmt.Sprintf("failed with exit code %d", *code)
	case within.Err() != nil:
		how = fmt.Sprintf("did not end within %s", checkTime)
	}
	return back(fmt.Sprintf("the check %s %s", c.Name, how),
		fmt.Sprintf("The project's check %q %s:\n\n    %s\n\nFind the cause, mend it, and commit. The end of its output:\n\n%s", c.Name, how, textsafe.Block(c.Command), lastOf(out.Text))), false
}

// wallsOf is the profile of the walls around a task's session, as that began (api.Session.Walls).
func wallsOf(t api.Task) string {
	name, _, _ := strings.Cut(t.Result.Sandbox, " ")
	if name = strings.TrimSuffix(name, ":"); name == "" {
		return api.NoSandbox
	}
	return name
}

// ended waits for the end of a session; nil: it has none, or was lost.
func (w *WaysOut) ended(ctx context.Context, id string) *int {
	watch := w.o.Journal.Watch()
	defer watch.Close()
	for {
		s, ok := w.o.Session(id)
		if !ok || s.State.Ended() {
			return s.ExitCode
		}
		if _, err := watch.Next(ctx); err != nil {
			return nil
		}
	}
}

// lastOf is the end of a check's output.
func lastOf(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n \t"), "\n")
	text = strings.Join(lines[max(0, len(lines)-checkLines):], "\n")
	return textsafe.Block(strings.ToValidUTF8(text[max(0, len(text)-checkBytes):], ""))
}

// push pushes the branch and makes the pull request.
func (w *WaysOut) push(ctx context.Context, t api.Task) orchestrator.Staged {
	if t.Pull != nil { // it may have been merged or closed while the agent worked: then no second one is made
		if n, err := w.o.Trees.PullNews(ctx, t); err == nil && n.Pull.Number == t.Pull.Number && n.Pull.State != api.PullRequestOpen {
			return w.news(ctx, t, n)[0]
		}
	}
	pr, err := w.o.Trees.PushTask(ctx, t)
	if err != nil {
		return stuck("it is not pushed: %v", err)
	}
	return orchestrator.Staged{Outcome: orchestrator.StagePassed, Pull: &pr}
}

// follow asks about a pull request until it is merged or closed, or something comes back.
func (w *WaysOut) follow(ctx context.Context, t api.Task) {
	if t.Pull != nil {
		w.o.Pulled(ctx, t.ID, t.Pull.URL)
	}
	for ctx.Err() == nil {
		if n, err := w.o.Trees.PullNews(ctx, t); err != nil {
			w.o.Logger.Debug("the forge does not say", "task", t.ID, "error", err)
		} else {
			for _, e := range w.news(ctx, t, n) {
				w.tell(ctx, t, e, PauseNews)
			}
		}
		wait(ctx, w.o.Every)
	}
}

// news is what a pull request's state means for its task.
func (w *WaysOut) news(ctx context.Context, t api.Task, n forge.News) []orchestrator.Staged {
	pr := n.Pull
	switch pr.State {
	case "merged":
		return []orchestrator.Staged{{Outcome: orchestrator.StageMerged, Pull: &pr}}
	case api.PullRequestOpen:
	default:
		return []orchestrator.Staged{{Outcome: orchestrator.StageClosed, Pull: &pr}}
	}
	list := []orchestrator.Staged{{Outcome: orchestrator.StageSeen, Pull: &pr}}
	dealt, err := w.o.Tasks.Dealt(ctx, t.ID)
	if err != nil {
		return list
	}
	if len(pr.Failing) > 0 {
		name, log, err := w.o.Trees.FailedLog(ctx, t, pr)
		if err != nil {
			log = "it cannot be read: " + textsafe.Line(err.Error())
		}
		key := "check:" + n.Head + ":" + name
		if slices.Contains(dealt, key) { // it knows, and has committed nothing since
			e := stuck("the check %s of pull request #%d fails, and the agent has committed nothing since it was told", name, pr.Number)
			e.Keys = []string{key}
			return append(list, e)
		}
		return append(list, back(fmt.Sprintf("the check %s of pull request #%d failed", name, pr.Number),
			fmt.Sprintf("The check %q of your pull request %s failed. Find the cause, mend it, and commit. %s", name, pr.URL, foreign("the end of its log", log)), key))
	}
	var said, keys []string
	for _, c := range n.Comments {
		if key := "said:" + c.ID; !slices.Contains(dealt, key) {
			where := ""
			if c.Path != "" {
				where = fmt.Sprintf(" on %s:%d", c.Path, c.Line)
			}
			said = append(said, fmt.Sprintf("%s%s:\n%s", textsafe.Line(c.Author), textsafe.Line(where), textsafe.Block(c.Text)))
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		list = append(list, back(fmt.Sprintf("reviewers of pull request #%d said something", pr.Number),
			fmt.Sprintf("Reviewers said something about your pull request %s. Change what should be changed, and commit; say what you leave as it is, and why. %s", pr.URL, foreign("what they said", strings.Join(said, "\n\n"))), keys...))
	}
	return list
}
