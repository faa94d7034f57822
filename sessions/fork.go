package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
)

// Fork starts a second session that goes on from the conversation of another one, which may
// have ended, with its settings; with f.Check it only tells whether it could. With f.Request it is idempotent as CreateOnce is.
func (r *Registry) Fork(ctx context.Context, ref string, f api.Fork) (api.Session, error) {
	if f.Request == "" {
		return r.fork(ctx, ref, f)
	}
	leave, err := r.making.Enter(ctx, f.Request)
	if err != nil {
		return api.Session{}, err
	}
	defer leave()
	if v, known, err := r.OfRequest(ctx, f.Request); known {
		return v, err
	}
	return r.fork(ctx, ref, f)
}

func (r *Registry) fork(ctx context.Context, ref string, f api.Fork) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	if f.Name != "" {
		if err := launch.CheckName(f.Name); err != nil {
			return api.Session{}, err
		}
	}
	var b newborn
	doErr := s.do(ctx, func() { b, err = s.newFork(f) })
	if err := errors.Join(doErr, err); err != nil {
		return api.Session{}, err
	}
	if f.Check {
		return s.value(ctx)
	}
	if err := launch.CheckDir(b.spec.CWD); err != nil {
		return api.Session{}, err
	}
	return r.launch(ctx, b)
}

// newFork is the session to start for a fork; in the actor.
func (s *session) newFork(f api.Fork) (b newborn, err error) {
	forker, can := s.adapter.(agents.Forker)
	switch {
	case !can || s.spec.Plain():
		return b, api.Errorf(api.CodeConflict, "session %s runs %s, whose conversations cannot be forked: `ccdir new` starts another session", s.cur.Name, s.cur.Agent)
	case !forker.CanFork(s.spec.Version):
		return b, api.Errorf(api.CodeConflict, "%s %s cannot fork a conversation: update it", s.spec.Kind, s.spec.Version)
	case s.spec.Run != nil && s.spec.Run.Print:
		return b, api.Errorf(api.CodeConflict, "session %s is a one-shot run: `ccdir new --resume %s` goes on from it", s.cur.Name, s.cur.Conversation)
	}
	from := s.cur.Conversation
	if !s.talked {
		from = s.spec.ForkOf
	}
	if from == "" {
		return b, api.Errorf(api.CodeConflict, "session %s has no conversation yet: give it a prompt first", s.cur.Name)
	}
	spec := s.spec
	spec.ID, spec.Name, spec.Request, spec.Run, spec.Parent, spec.Beside = "", f.Name, f.Request, nil, "", nil
	spec.Git, spec.Allowed = nil, nil // the fork may be in another directory; what was allowed is this session's
	spec.Created, spec.ForkOf, spec.Fresh = s.r.now(), from, true
	spec.Args, spec.Given = slices.Clone(s.spec.Args), slices.Clone(s.spec.Given)
	if spec.Name == "" {
		spec.Name = s.r.freeNameLike(s.cur.Name, forkMark)
	}
	spec.Env, spec.Withheld = s.filled()
	if f.CWD != "" {
		spec.CWD = f.CWD
	}
	return newborn{spec: spec, adapter: s.adapter, given: slices.Clone(s.given)}, nil
}

// freeNameLike returns the first free name of NAME-fork, NAME-fork-2 and so on for the mark
// "-fork"; a long name is cut.
func (r *Registry) freeNameLike(name, mark string) string {
	base, _, _ := strings.Cut(name, mark)
	most := max(1, launch.MaxName-len(mark)-len("-1000"))
	if runes := []rune(base); len(runes) > most {
		base = string(runes[:most])
	}
	base += mark
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 1; ; n++ {
		free := base
		if n > 1 {
			free = fmt.Sprintf("%s-%d", base, n)
		}
		if _, taken := r.names[free]; !taken {
			return free
		}
	}
}

// forkMark is the end of the names of forks.
const forkMark = "-fork"

// forked notes that a fork has a conversation of its own by now; in the actor.
func (s *session) forked() {
	if s.spec.ForkOf == "" {
		return
	}
	s.spec.ForkOf = ""
	if err := s.saveSpec(); err != nil {
		s.r.log.Warn("cannot save that a fork has a conversation of its own", "session", s.id, "error", err)
	}
}
