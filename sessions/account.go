package sessions

import (
	"context"
	"fmt"
	"slices"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
)

// RestartWith is Restart with another account of the agent's kind (api.Restart). The agent's file
// of the conversation is copied once its process has gone; what is there stays. It is refused
// before the process is ended where the conversation could not go along.
func (r *Registry) RestartWith(ctx context.Context, ref, account string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	var refused error
	if err := s.do(ctx, func() { refused = s.checkMove(account) }); err != nil {
		return api.Session{}, err
	}
	if refused != nil {
		return api.Session{}, refused
	}
	return r.startAgain(ctx, ref, how{account: account})
}

// checkMove returns why the session cannot have another account; in the actor.
func (s *session) checkMove(account string) error {
	if s.spec.Plain() {
		return api.Errorf(api.CodeConflict, "session %s runs no agent, so it has no account", s.cur.Name)
	}
	if err := launch.CheckAccount(s.r.o.Config(), s.spec.Kind, account); err != nil {
		return err
	}
	if _, can := s.adapter.(agents.Mover); !can && s.talked && s.cur.Conversation != "" {
		return api.Errorf(api.CodeConflict, "ccdir cannot move a conversation of %s: `ccdir new --account %s` starts another one there", s.spec.Kind, account)
	}
	return nil
}

// moveAccount copies the conversation that is to be resumed ("": none) and changes the account of
// an ended session; in the actor. kept is the end of a sentence about it.
func (s *session) moveAccount(account, resume string) (kept string, err error) {
	next := s.spec
	next.Env = slices.Clone(s.spec.Env)
	if err := next.MoveTo(s.r.o.Config(), s.adapter, account); err != nil {
		return "", err
	}
	if mover, can := s.adapter.(agents.Mover); can && resume != "" && !slices.Equal(next.Env, s.spec.Env) {
		if kept, err = mover.CopyConversation(agents.Conversation{ID: resume, CWD: s.spec.CWD, Env: s.spec.Env}, next.Env); err != nil {
			return "", api.Errorf(api.CodeConflict, "session %s has ended and keeps its account: %v (`ccdir restart %[1]s` begins it again)", s.cur.Name, err)
		}
		kept = fmt.Sprintf(" (%s)", kept)
	}
	was := s.spec
	s.spec = next
	if err := s.saveSpec(); err != nil {
		s.spec = was
		return "", err
	}
	s.cur.Account = next.Account
	return kept, nil
}
