package sessions

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/proc"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/parking"
	"ccdir/sessions/state"
	"ccdir/sessions/statusfile"
	"ccdir/wire"
)

// Parking ends the process of an agent at rest, and keeps everything else of its session. What is in
// the agent's input line is saved with the decision, before the process is signalled; the host
// signals it only if nobody has typed since the line was read. Whether the process really ends, the
// fold tells: until then the session is exiting, and goes on if it does not end in time.

const (
	// parkTime bounds the end of a process that is parked (0.1 to 0.2 s were measured).
	parkTime = 10 * time.Second
	// restTime is how long an agent must have reported nothing new, parkPatience how long a
	// person's call waits for that.
	restTime     = time.Second
	parkPatience = 5 * time.Second
	// parkLook is the interval of looks whether it rests.
	parkLook = 100 * time.Millisecond
)

// Points at which tests stop the daemon (Options.Pause).
const (
	// PauseParking: the decision and the draft are on disk, the process runs. PauseRested: the
	// process was signalled. PauseParked: its end is on disk.
	PauseParking = "parking"
	PauseRested  = "rested"
	PauseParked  = "parked"
)

// Park ends the process of an idle agent; the session is started again, in its conversation, by
// Wake, a prompt or keys. byHand: a person asks for it, so that it does not matter whether somebody
// looks. It returns when the process has ended. The error (api.CodeConflict) says why the session
// cannot be parked now; one that is parked already is no error.
func (r *Registry) Park(ctx context.Context, ref string, byHand bool) (api.Session, error) {
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	for end := time.Now().Add(parkPatience); ; {
		look, err := s.lookToPark(ctx, byHand)
		if err != nil {
			return api.Session{}, err
		}
		why := look.facts.Why()
		switch {
		case look.facts.State == api.StateParked:
			return s.value(ctx)
		case why == "":
			if err := s.park(context.WithoutCancel(ctx), look); err != nil {
				return api.Session{}, err
			}
			return s.value(ctx)
		case !byHand || !look.facts.OnlyUnsettled() || time.Now().After(end):
			return api.Session{}, notParked(look.facts.Name, why)
		}
		select {
		case <-time.After(parkLook):
		case <-ctx.Done():
			return api.Session{}, ctx.Err()
		}
	}
}

// WhyNotPark returns why `ccdir park` would refuse the session now, "" if it would not.
func (r *Registry) WhyNotPark(ctx context.Context, ref string) (string, error) {
	s, err := r.find(ref)
	if err != nil {
		return "", err
	}
	look, err := s.lookToPark(ctx, true)
	if err != nil || look.facts.OnlyUnsettled() {
		return "", err
	}
	return look.facts.Why(), nil
}

func notParked(name, why string) error {
	return api.Errorf(api.CodeConflict, "session %s is not parked: %s", name, why)
}

// parkLooked is what a look found out.
type parkLooked struct {
	facts parking.Facts
	typed uint64 // the count of a person's inputs when the screen was read
	host  wire.HostFile
}

// lookToPark gathers the facts; not in the actor.
func (s *session) lookToPark(ctx context.Context, byHand bool) (l parkLooked, err error) {
	f := &l.facts
	cols := 0
	if err := s.do(ctx, func() { *f, l.host, cols = s.parkFacts(), s.host, s.cur.Cols }); err != nil {
		return l, err
	}
	f.ByHand, f.Settled = byHand, f.Settled && s.r.now().Sub(s.newest(ctx)) >= restTime
	if why := f.Why(); why != "" && !f.OnlyUnsettled() {
		return l, nil // the screen changes nothing of that
	}
	f.Other = s.runsElsewhere(ctx, l.host)
	var view wire.OutputResult
	if err := s.request(ctx, wire.MethodOutput, wire.OutputParams{Format: wire.FormatANSI}, &view); err != nil {
		return l, err
	}
	if view.Typing == nil {
		f.Line.Why = "its host is of an older version: `ccdir restart` replaces it"
		return l, nil
	}
	l.typed, f.Watched = view.Typing.Count, view.Typing.Watched
	if l.typed > 0 {
		f.Typed = time.Duration(view.Typing.AgoMS) * time.Millisecond
	}
	reader, reads := s.adapter.(agents.ScreenReader)
	screen := parking.Screen{Reads: reads, Cols: cols, Typed: view.Typing.Draft, Ago: time.Duration(view.Typing.AgoMS) * time.Millisecond}
	if reads {
		var sc agents.Screen
		sc, screen.Readable = reader.ReadScreen(view.Text)
		screen.Input, screen.Stashed, screen.Queued = sc.Input, sc.Stashed, len(sc.Queued)
	}
	f.Line = screen.Read()
	return l, nil
}

// newest is when the newest evidence for the session's state came.
func (s *session) newest(ctx context.Context) (at time.Time) {
	_ = s.do(ctx, func() {
		at = s.fold.Since
		if s.fold.Told.After(at) {
			at = s.fold.Told
		}
	})
	return at
}

// parkFacts are the facts that the actor knows; in the actor.
func (s *session) parkFacts() parking.Facts {
	f := parking.Facts{Name: s.cur.Name, State: s.fold.State, Agent: s.adapter.Managed(), Outside: s.outside, OneShot: s.spec.Run != nil && s.spec.Run.Print,
		Conversation: s.cur.Conversation != "", Used: s.talked, Starting: s.restarting > 0 || s.ending || s.host.PID == 0, Settled: s.fold.Pending == nil,
		Background: max(len(s.fold.Background), s.fold.Tasks), Crons: s.fold.Crons, File: s.fold.File, Typed: -1}
	if s.fold.Leftover {
		f.Background = max(f.Background, 1)
	}
	if d, ok := s.adapter.(agents.Described); ok {
		f.Resumes = d.Describe().Can[agents.AbilityResume].How != ""
	}
	f.Requests, _ = s.requests.Waiting()
	f.Prompts = s.cur.Pending
	if s.delivery.Busy() {
		f.Prompts++
	}
	f.Typing = s.delivery.Typing() || s.cur.KeptDraft != "" && s.draftOf != s.cur.Launch
	if s.cur.Task != "" && s.r.o.TaskRuns != nil && s.r.o.TaskRuns(s.id) {
		f.Task = s.cur.Task
	}
	return f
}

// stirs reports whether the agent has begun something since it was found at rest, while its state
// was kept; in the actor.
func (s *session) stirs() bool {
	f := &s.fold
	return f.Turn || f.Status == "working" || f.Status == "blocked" || len(f.Dialogs) > 0 || len(f.Background) > 0 || f.AtWork ||
		f.File != "" && f.File != "idle" || s.delivery.Busy() || s.delivery.Typing()
}

// runsElsewhere says who else runs the session's conversation, "" for nobody; not in the actor.
func (s *session) runsElsewhere(ctx context.Context, hf wire.HostFile) string {
	conversation := ""
	_ = s.do(ctx, func() {
		if s.talked {
			conversation = s.cur.Conversation
		}
	})
	if conversation == "" {
		return ""
	}
	for _, other := range s.r.all() {
		if other == s || !other.seen().running {
			continue
		}
		name := ""
		_ = other.do(ctx, func() {
			if other.cur.Conversation == conversation && other.cur.Agent == s.spec.Agent {
				name = other.cur.Name
			}
		})
		if name != "" {
			return "session " + name
		}
	}
	signs, ok := s.adapter.(agents.Signs)
	if !ok {
		return ""
	}
	for _, pid := range statusfile.Running(signs, hf.Spec.Env, conversation) {
		if _, own := proc.Depth(pid, hf.ChildPID); !own && pid != hf.ChildPID {
			return "process " + strconv.Itoa(pid)
		}
	}
	return ""
}

// park ends the process as it was looked at.
func (s *session) park(ctx context.Context, l parkLooked) error {
	var why string
	var committed <-chan error
	err := s.do(ctx, func() {
		now := s.parkFacts()
		now.Line, now.Typed, now.Watched, now.ByHand, now.Other = l.facts.Line, l.facts.Typed, l.facts.Watched, l.facts.ByHand, l.facts.Other
		if why = now.Why(); why == "" && !same(s.host, l.host) {
			why = "its process was started again"
		}
		if why != "" {
			return
		}
		draft := l.facts.Line.Draft
		s.draftOf = s.cur.Launch
		committed = s.weigh(api.Evidence{Source: api.SourceDelivery, At: s.r.now(), Name: state.EvidencePark, Says: api.StateExiting, Detail: "its process ends, to be parked"},
			change{always: true, set: func(v *api.Session) { v.KeptDraft = draft }})
	})
	switch {
	case err != nil:
		return err
	case why != "":
		return notParked(l.facts.Name, why)
	}
	if unsaved, err := answer(ctx, committed); err != nil || unsaved != nil {
		s.parkOff("that could not be saved", false)
		return errors.Join(err, api.Errorf(api.CodeInternal, "session %s is not parked, because that could not be saved: %v%s", l.facts.Name, unsaved, hint.Of(unsaved)))
	}
	s.r.pause(PauseParking)
	signalled, why := s.rest(ctx, l)
	if why == "" {
		s.r.pause(PauseRested)
		if !s.endedWithin(ctx, l.host, parkTime) {
			why = "its process does not end"
		}
	}
	if why != "" {
		s.parkOff(why, signalled)
		return notParked(l.facts.Name, why)
	}
	s.r.pause(PauseParked)
	return nil
}

// rest has the host signal the process, unless it has stirred; why is the reason not to.
func (s *session) rest(ctx context.Context, l parkLooked) (signalled bool, why string) {
	var host *hostlink.Link
	if err := s.do(ctx, func() {
		host = s.link
		switch {
		case !same(s.host, l.host) || s.fold.Killed || s.fold.State != api.StateExiting:
			why = "something else happens to its process"
		case s.stirs():
			why = "it has begun to work"
		case host == nil:
			why = "its host does not answer"
		}
	}); err != nil || why != "" {
		return false, cmp.Or(why, "the daemon stops")
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var result wire.RestResult
	switch err := host.Call(ctx, wire.MethodRest, wire.RestParams{Typed: l.typed, Unwatched: !l.facts.ByHand}, &result); {
	case errors.Is(err, hostlink.ErrNoHost), err != nil && ctx.Err() != nil:
		return true, "its host does not answer" // it may have signalled it
	case err != nil:
		return false, "its host cannot do that (" + err.Error() + "): `ccdir restart` replaces it"
	case result.Kept == wire.KeptWatched:
		return false, "somebody looks at it"
	case result.Kept != "":
		return false, "somebody has typed in it"
	}
	return true, ""
}

// parkOff tells that the process goes on. signalled: it may still end, and is parked then.
func (s *session) parkOff(why string, signalled bool) {
	_ = s.do(s.ctx, func() {
		if !s.fold.Parking || s.fold.State != api.StateExiting {
			return
		}
		e := api.Evidence{Source: api.SourceDelivery, At: s.r.now(), Name: state.EvidenceParkOff, Says: api.StateIdle, Detail: "not parked: " + why}
		if signalled {
			e.Fields = map[string]string{state.FieldSignalled: "true"}
		}
		s.weigh(e, change{always: true})
	})
}

// endParking waits for the end of a process that an earlier daemon has begun to park. It is not
// signalled again: somebody may have used it meanwhile.
func (s *session) endParking(hf wire.HostFile) {
	s.r.wg.Go(func() {
		if !s.endedWithin(s.ctx, hf, parkTime) {
			s.parkOff("the daemon was restarted meanwhile", true)
		}
	})
}
