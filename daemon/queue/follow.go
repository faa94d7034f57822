package queue

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/sessions"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// hub wakes the followers of a session when something is published about it. A follower
// then reads the session itself, so that one wake-up may stand for several changes and
// none is missed.
type hub struct {
	mu    sync.Mutex
	wakes map[string]chan struct{}
}

func newHub() *hub { return &hub{wakes: map[string]chan struct{}{}} }

// add returns the channel of a session's wake-ups; call remove with it.
func (h *hub) add(session string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	wake := make(chan struct{}, 1)
	h.wakes[session] = wake
	return wake
}

func (h *hub) remove(session string, wake chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wakes[session] == wake {
		delete(h.wakes, session)
	}
}

func (h *hub) wake(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, ch := range h.wakes {
		if id == session || session == "" {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
	}
}

// run wakes followers until ctx ends.
func (h *hub) run(ctx context.Context, log Journal) {
	w := log.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			switch {
			case m.Snapshot != nil:
				h.wake("")
			case m.Session != nil:
				h.wake(m.Session.ID)
			case m.Removed != "":
				h.wake(m.Removed)
			case m.Event != nil && m.Event.Session != "":
				h.wake(m.Event.Session)
			}
		}
	}
}

const (
	// lookEvery is the interval of looks at a session's screen.
	lookEvery = 20 * time.Second
	// lifeEvery is the least time between reports of progress in the same state: each is
	// a write to the disk.
	lifeEvery = 15 * time.Second
	// hookTime is how long to wait for the hook of a turn's end after the end.
	hookTime = 5 * time.Second
	// exitTime is how long a one-shot agent may take to exit after its failure.
	exitTime = 10 * time.Second
	// transcriptTime is the delay after the end of a turn until the transcript is read
	// again: agents write it a moment later. It is less than orchestrator.Times.Settle.
	transcriptTime = time.Second
	// limitTime is how long to wait for the transcript to tell when a usage limit ends. Until
	// then nothing is lost: the task waits in either case.
	limitTime = 5 * time.Second
)

// follower reports the progress and the end of one session.
type follower struct {
	worker
	ref     orchestrator.Ref
	session string
	report  func(orchestrator.Event)

	state    api.State
	question string
	life     time.Time // of the last report of state or progress
	ended    turnKey   // the last reported end of a turn
	failed   time.Time // the last reported failure
	taken    bool      // the prompt of a print task was reported as delivered
	screen   uint64
	usage    usage
	said     said
	spent    time.Time // of the last look at the usage
	recheck  <-chan time.Time
	dialogs  dialogs
}

// turnKey identifies the end of a turn.
type turnKey struct {
	idle             time.Time
	background, owed bool
}

// follow reports about a session until it has ended or ctx ends. All reports derive from
// the session's record, so that a follower after a restart reports the same.
func (s worker) follow(ctx context.Context, ref orchestrator.Ref, session string, report func(orchestrator.Event)) {
	f := &follower{worker: s, ref: ref, session: session, report: report}
	wake := s.hub.add(session)
	defer s.hub.remove(session, wake)
	tick := s.o.Alarms.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		t, err := s.o.Sessions.TaskSession(ctx, session)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			if api.CodeOf(err) == api.CodeNotFound {
				report(orchestrator.Exited{Ref: ref, Reason: "its session was removed"})
			}
			return
		}
		f.recheck = nil
		f.look(ctx, t)
		if t.Session.State.Ended() {
			f.exit(ctx, t)
			return
		}
		select {
		case <-wake:
		case <-f.recheck:
		case <-tick.C:
			f.lookAtScreen(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look reports the changes since the last look.
func (f *follower) look(ctx context.Context, t sessions.TaskSession) {
	if t.Run.Print {
		if t.Delivery != "" && !f.taken {
			f.taken = true
			f.report(orchestrator.Delivered{Ref: f.ref})
		}
	}
	f.observe(ctx, t)
	f.spend(ctx, t)
	switch {
	case t.Failure != "" && t.Run.Print && time.Since(t.Ended) < exitTime:
		f.recheck = time.After(exitTime - time.Since(t.Ended)) // it will exit, and its result has more detail
	case t.Failure != "" && t.Ended.After(f.failed):
		f.use(ctx, t)
		m := mishap{kind: t.Failure, text: t.Reply, reset: f.usage.reset}
		if wait := limitTime - time.Since(t.Ended); m.usage() && m.reset.IsZero() && t.Transcript != "" && wait > 0 {
			f.recheck = time.After(min(wait, transcriptTime/4)) // the transcript has the end of a limit to the second
			return
		}
		f.failed = t.Ended
		failed := m.report(f.ref, time.Now())
		if m.reset.IsZero() {
			failed.Reset = f.exact(t.Session.Agent, t.Session.Account, failed.Reset)
		}
		f.report(failed)
	case t.Failure != "":
	case t.Run.Print:
		// The agent itself waits for background work, such as subagents, before it exits.
		if key := (turnKey{idle: t.Ended, background: t.Background > 0}); !t.Ended.IsZero() && key != f.ended {
			f.ended = key
			f.report(orchestrator.TurnEnded{Ref: f.ref, Message: t.Reply, Background: key.background})
		}
	case !t.Idle.IsZero():
		f.idle(ctx, t)
	}
}

// idle reports the end of a turn: that needs the idle state besides the hook.
func (f *follower) idle(ctx context.Context, t sessions.TaskSession) {
	step, ours := stepOf(f.ref, t.Delivery)
	if !ours {
		return
	}
	if t.Ended.IsZero() {
		// The turn was interrupted by Esc, or its hook is in flight.
		if wait := hookTime - time.Since(t.Idle); wait > 0 {
			f.recheck = time.After(wait)
			return
		}
		f.say(api.StateInput, "the turn was interrupted: go on in its pane, or `ccdir task cancel "+f.ref.Task+"`")
		return
	}
	key := turnKey{idle: t.Idle, background: t.Background > 0, owed: t.Owed}
	if key == f.ended {
		f.use(ctx, t) // the transcript may have grown
		return
	}
	f.ended = key
	f.use(ctx, t)
	// Agents write their transcript a moment after the end of the turn.
	f.recheck = time.After(transcriptTime)
	f.report(orchestrator.TurnEnded{Ref: f.ref, Step: step, Message: t.Reply, Background: key.background, ReportDue: key.owed})
}

// stepOf returns the step whose prompt a delivery id is for.
func stepOf(ref orchestrator.Ref, delivery string) (step int, ok bool) {
	rest, ok := strings.CutPrefix(delivery, ref.Task+"-"+strconv.Itoa(ref.Attempt)+"-")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, "-")
	step, err := strconv.Atoi(number)
	return step, err == nil
}

// observe reports the session's state: a change at once, the same state at most every
// lifeEvery.
func (f *follower) observe(ctx context.Context, t sessions.TaskSession) {
	state := t.Session.State
	if state.Ended() || state == api.StateExiting || state == api.StateStarting {
		return
	}
	if state == api.StateIdle && f.state == api.StateInput && !t.Taken.IsZero() && t.Ended.IsZero() {
		return // it was interrupted, and still is
	}
	asked := t.Session.Question
	if state.NeedsPerson() {
		if asked = f.asked(ctx, t); f.dismiss(ctx, t, asked) {
			return
		}
	}
	f.say(state, cmp.Or(asked, map[bool]string{true: "it asks for permission"}[state == api.StatePermission]))
}

func (f *follower) say(state api.State, question string) {
	now := time.Now()
	if state == f.state && question == f.question && now.Sub(f.life) < lifeEvery {
		return
	}
	// An idle session makes no progress, whatever woke the follower.
	if state == f.state && question == f.question && state == api.StateIdle {
		return
	}
	f.state, f.question, f.life = state, question, now
	f.report(orchestrator.Observed{Ref: f.ref, State: state, Question: question})
}

// lookAtScreen reports progress if the text on the screen has changed.
func (f *follower) lookAtScreen(ctx context.Context) {
	if f.state != api.StateWorking {
		return
	}
	out, err := f.o.Sessions.Buffer(ctx, f.session, wire.OutputParams{Format: wire.FormatText})
	if err != nil {
		return
	}
	sum := screenSum(out.Text)
	if f.screen != 0 && sum != f.screen {
		f.report(orchestrator.Observed{Ref: f.ref, State: f.state, Question: f.question})
	}
	f.screen = sum
}

// screenSum hashes the letters on a screen. Digits, spinners and the status line with the
// key to interrupt change without progress and are left out.
func screenSum(text string) uint64 {
	h := fnv.New64a()
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "interrupt") || strings.Contains(line, "…") {
			continue
		}
		_, _ = io.WriteString(h, strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, line))
	}
	return max(h.Sum64(), 1)
}

// exit reports the end of the process, and before it the result of a one-shot agent.
func (f *follower) exit(ctx context.Context, t sessions.TaskSession) {
	if t.Run.Print {
		if f.printed(ctx, t) {
			return
		}
	} else {
		f.use(ctx, t)
	}
	f.report(orchestrator.Exited{Ref: f.ref, Code: t.Session.ExitCode, Reason: t.Session.Error})
}

// printed saves the output of a one-shot agent and reports its result. failed: the result
// was a failure, and its exit is reported too.
func (f *follower) printed(ctx context.Context, t sessions.TaskSession) (failed bool) {
	stdout, stderr, err := f.o.Sessions.Printed(f.session)
	if err == nil && len(stdout)+len(stderr) > 0 {
		if err := f.o.Store.SaveOutput(f.ref.Task, f.ref.Attempt, stdout, stderr); err != nil {
			f.o.Logger.Error("the output of a task cannot be saved", "task", f.ref.Task, "error", err)
		}
	}
	cfg := f.o.Config()
	adapter, _ := adapters.Lookup(cfg.Agents[t.Session.Agent].Kind)
	printer, ok := adapter.(agents.Printer)
	if !ok {
		return false
	}
	f.tellLimits(adapter, t.Session, stdout)
	r, whole := printer.PrintResult(stdout)
	if whole {
		f.report(orchestrator.Used{Ref: f.ref, Turns: r.Turns, Tokens: r.Tokens, Cost: r.Cost, Denials: r.Denials,
			Message: r.Text, Conversation: r.Conversation, Files: f.filesOf(ctx, t)})
	} else { // it was killed before it wrote a whole result
		f.use(ctx, t)
	}
	m := mishap{kind: t.Failure, text: t.Reply, status: r.Status, reset: r.Reset}
	if m.kind == "" && r.Failed {
		m.kind, m.text = r.Kind, r.Text
	}
	if m.kind == "" {
		return false
	}
	// The failure decides what follows; then the slot is free.
	report := m.report(f.ref, time.Now())
	if r.Overspent() {
		report.Kind, report.Reason = orchestrator.FailInvalid, overspent(r, t.Run)
	}
	f.report(report)
	f.report(orchestrator.Exited{Ref: f.ref, Code: t.Session.ExitCode})
	return true
}

// overspent names the limit that a one-shot run has exceeded.
func overspent(r agents.PrintResult, run launch.TaskRun) string {
	if run.MaxCost > 0 && r.Kind != "error_max_turns" {
		return fmt.Sprintf("it cost more than $%g", run.MaxCost)
	}
	return fmt.Sprintf("it took more than %d turns", run.MaxTurns)
}
