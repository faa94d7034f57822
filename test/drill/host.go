package drill

import (
	"context"
	"fmt"
	"syscall"

	"ccdir/api"
	"ccdir/internal/proc"
)

// hostsDie kills the host of an agent, once alone and once together with the daemon,
// which then finds out at its start: the session is lost and its agent has ended, the
// conversation can be resumed, and no other session is affected.
func (r *run) hostsDie(ctx context.Context) error {
	s, err := r.session(ctx, api.NewSession{Name: "victim", Agent: "drilled", Prompt: "say something"})
	if err != nil {
		return err
	}
	err = until(ctx, "the agent does not take its prompt", func() (bool, error) {
		s, err = r.client.Session(ctx, s.ID)
		return s.Prompt != "" && s.State == api.StateIdle, err
	})
	if err != nil {
		return err
	}
	for _, alone := range []bool{true, false} {
		if s, err = r.hostDies(ctx, s, alone); err != nil {
			return err
		}
		if err := r.sameSessions(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hostDies kills the session's host and resumes its conversation; it returns the
// resumed session.
func (r *run) hostDies(ctx context.Context, s api.Session, alone bool) (api.Session, error) {
	r.Log("killing host %d of agent %d, alone: %t", s.HostPID, s.PID, alone)
	var victim death
	if !alone {
		var err error
		if victim, err = r.killDaemon(ctx); err != nil {
			return s, err
		}
	}
	if err := syscall.Kill(s.HostPID, syscall.SIGKILL); err != nil {
		return s, fmt.Errorf("killing host %d: %w", s.HostPID, err)
	}
	r.result.Kills.Host++
	if !alone {
		if err := r.daemonBack(ctx, victim, false); err != nil {
			return s, err
		}
	}
	if _, err := r.client.Wait(ctx, s.ID, []api.State{api.StateLost}, patience); err != nil {
		return s, fmt.Errorf("its session is not lost: %w", err)
	}
	err := until(ctx, fmt.Sprintf("its agent %d still runs", s.PID), func() (bool, error) { return !proc.Alive(s.PID, ""), nil })
	if err != nil {
		return s, err
	}
	if _, err := r.client.RestartSession(ctx, s.ID); err != nil {
		return s, fmt.Errorf("the conversation can't be resumed: %w", err)
	}
	now, err := r.client.Wait(ctx, s.ID, []api.State{api.StateIdle}, patience)
	if err != nil {
		return s, fmt.Errorf("the resumed agent is not ready: %w", err)
	}
	if now.Conversation != s.Conversation || now.Conversation == "" {
		return s, fmt.Errorf("the conversation was %q and is %q", s.Conversation, now.Conversation)
	}
	return now, nil
}
