package sessions

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/sessions/adopt"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/launch"
	"ccdir/sessions/login"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// killMargin is how much longer than its grace a kill may take: the host's own kill, and
// the drain of its terminal.
const killMargin = 2 * time.Second

// Kill ends a session's process in the way that its agent needs, and by force after
// kill_grace. It returns when the process has ended. The kill goes on if the caller hangs
// up.
func (r *Registry) Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error) {
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	if s.outside {
		return r.killOutside(ctx, s, k)
	}
	if err := s.kill(ctx, k.Force); err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// kill asks the process to end and waits for that.
func (s *session) kill(ctx context.Context, force bool) (err error) {
	grace := s.r.o.Config().KillGrace
	if force {
		grace = 0
	}
	var hf wire.HostFile
	doErr := s.do(ctx, func() {
		hf = s.host
		switch s.fold.State {
		case api.StateExited, api.StateLost:
			err = s.endedAlready()
			return
		case api.StateParked:
			s.weigh(api.Evidence{Source: api.SourceDelivery, At: s.r.now(), Name: state.EvidenceKill, Says: api.StateExited, Detail: "ended while it was parked"},
				change{event: &api.Event{Type: api.EventSessionExited, Source: "daemon", Message: "ended while it was parked"}})
			s.forgetSecrets()
			return
		}
		if !s.fold.Killed || force {
			s.weigh(api.Evidence{Source: api.SourceDelivery, At: s.r.now(), Name: state.EvidenceKill, Says: api.StateExiting, Detail: "asked to end"}, change{})
		}
		s.beginEnd(force, grace)
	})
	if err := errors.Join(doErr, err); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, grace+3*killMargin)
	defer cancel()
	err = s.await(ctx, func() bool { return s.over(hf) })
	if errors.Is(err, context.DeadlineExceeded) {
		return api.Errorf(api.CodeTimeout, "session %s has not ended yet: try `ccdir kill --force %[1]s`, or look at it with `ccdir show %[1]s`", s.id)
	}
	return err
}

// beginEnd starts to end the process, unless that has begun; in the actor.
func (s *session) beginEnd(force bool, grace time.Duration) {
	if s.ending && !force {
		return
	}
	s.ending = true
	noted, hf := s.committed, s.host
	s.r.wg.Go(func() {
		_ = wait(s.ctx, noted) // if this daemon dies now, the next one finishes the kill
		s.r.pause(PauseEnding)
		s.endProcess(s.ctx, hf, force, grace)
		_ = s.do(s.ctx, func() { s.ending = s.ending && !same(s.host, hf) })
	})
}

// same reports whether both are the same host.
func same(a, b wire.HostFile) bool { return a.PID == b.PID && a.Start == b.Start }

// over reports whether the process of that host has ended: the session has, or it runs
// another process now. In the actor.
func (s *session) over(hf wire.HostFile) bool { return s.fold.State.Stopped() || !same(s.host, hf) }

// askHost sends a request to that host, and to no later one.
func (s *session) askHost(ctx context.Context, hf wire.HostFile, method string, params any) error {
	l, err := s.linked(ctx)
	if err != nil {
		return err
	}
	var other bool
	if err := s.do(ctx, func() { other = !same(s.host, hf) }); err != nil {
		return err
	}
	if other {
		return hostlink.ErrNoHost
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return l.Call(ctx, method, params, nil)
}

// endProcess follows the agent's plan for ending, then uses force. It never ends a process
// that a restart has begun meanwhile.
func (s *session) endProcess(ctx context.Context, hf wire.HostFile, force bool, grace time.Duration) {
	plan := s.adapter.KillPlan()
	if run := s.spec.Run; run != nil && run.Print {
		plan = agents.KillPlan{Signal: "TERM"} // it reads no keys
	}
	deadline := time.Now().Add(grace)
	if force {
		plan = agents.KillPlan{Signal: "KILL"}
	}
	// A silent host must not extend the grace.
	typing, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for _, keys := range plan.Keys {
		if err := s.askHost(typing, hf, wire.MethodKeys, wire.KeysParams{Keys: keys}); err != nil {
			break
		}
		if s.endedWithin(ctx, hf, plan.Pause) {
			return
		}
	}
	left := max(time.Until(deadline).Milliseconds(), 1)
	asking, cancelAsking := context.WithTimeout(ctx, killMargin)
	defer cancelAsking()
	err := s.askHost(asking, hf, wire.MethodKill, wire.KillParams{Signal: plan.Signal, GraceMS: int(left)})
	wait := time.Until(deadline) + killMargin
	if err != nil {
		wait = 0 // the host does not answer
	}
	if ctx.Err() != nil || s.endedWithin(ctx, hf, max(wait, 0)) {
		return
	}
	s.forceEnd(ctx, hf)
}

// endedWithin waits at most d for the end of that host's process, and reports whether it
// has ended.
func (s *session) endedWithin(ctx context.Context, hf wire.HostFile, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return s.await(ctx, func() bool { return s.over(hf) }) == nil
}

// forceEnd kills the process group without the host.
func (s *session) forceEnd(ctx context.Context, hf wire.HostFile) {
	_ = s.do(ctx, func() {
		if !s.over(hf) && proc.Sure(hf.ChildPID, hf.ChildStart) {
			s.r.log.Warn("a host did not end its process; it is killed", "session", s.id, "pid", hf.ChildPID)
			process.KillGroup(hf.ChildPID, process.KILL)
		}
	})
}

// forgetSecrets writes the files of a session that has ended again, without the values of
// secrets; in the actor.
func (s *session) forgetSecrets() {
	if s.outside || s.secretsGone == s.host.Start {
		return
	}
	hf, err := adopt.ReadHost(s.dir)
	if err == nil && launch.DropSecrets(&hf) {
		err = adopt.WriteJSON(filepath.Join(s.dir, paths.HostFile), hf)
	}
	if len(launch.SecretVariables(s.spec.Env)) > 0 {
		err = s.saveSpec()
	}
	if err != nil {
		s.r.log.Warn("the environment of an ended session stays in its files", "session", s.id, "error", err)
		return
	}
	s.secretsGone = s.host.Start
}

// refill gives the spec the environment of a restart (filled), and returns the names of values
// that nobody knows.
func (s *session) refill() (missing []string) {
	s.spec.Env, s.spec.Withheld = s.filled()
	return s.spec.Withheld
}

// filled returns the environment of a later start: with the values that an earlier daemon did not
// keep, and the display of the newest login; and the names of values that nobody knows.
func (s *session) filled() (env, missing []string) {
	cfg := s.r.o.Config()
	configured := cfg.Command.Env
	if s.spec.Agent != config.CommandAgent {
		configured = cfg.Agents[s.spec.Agent].Env
	}
	spec := s.spec
	missing = spec.Refill(func(name string) string {
		return cmp.Or(agents.Getenv(s.given, name), configured[name], agents.Getenv(s.r.o.Env, name))
	})
	if spec.LoginDisplay {
		spec.Env = login.WithDisplay(s.r.o.Paths, os.Getuid(), spec.Env)
	}
	return spec.Env, missing
}
