package sessions

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/launch"
)

// Policy decides what sessions may do (policy/enforce). Its methods must not wait for a
// session's actor, unless they say so.
type Policy interface {
	// Use decides one use of a tool without blocking on people, and records the decision.
	Use(c api.Caller, u api.ToolUse) api.Verdict
	// Unread is Use for a call that cannot be decoded; why is the reason.
	Unread(c api.Caller, u api.ToolUse, why string) api.Verdict
	// Request adds the policy's view to a request, and answers it if the policy does.
	Request(c api.Caller, r *api.Request) (a api.Answer, ok bool)
	// Record puts the end of a request into the ledger; nil: it is durable.
	Record(d api.Decision) error
	// Prepare checks a person's answer before it takes effect and may complete it. It may wait
	// for a session's actor.
	Prepare(r api.Request, a api.Answer) (api.Answer, error)
	// AskLead asks the agent that leads the session's; ok is false if the answer is left to
	// people. It blocks until ctx ends, and may wait for a session's actor.
	AskLead(ctx context.Context, r api.Request) (a api.Answer, ok bool)
	// OnLoss is the effect that hooks of sessions started in root apply without a daemon.
	OnLoss(root string) string
	// Missed records the effect that a hook applied without a daemon.
	Missed(c api.Caller, u api.ToolUse, effect string)
	// Denied records that the agent itself refused a call in that permission mode; why is its
	// reason.
	Denied(c api.Caller, u api.ToolUse, mode, why string)
	// Refused records a refused call. SetRole and SetOverride record a person's change
	// before it takes effect.
	Refused(session, what, why string)
	// overtaken: this call made the change before, and a later call has changed it again.
	SetRole(c api.Caller, role, client string, call api.Call) (overtaken bool, err error)
	SetOverride(c api.Caller, o *api.Override, client string, call api.Call) (overtaken bool, err error)
	// SetSandbox records what a person lets through the session's walls.
	SetSandbox(c api.Caller, what, client string, call api.Call) error
	// Forget drops the session's grants.
	Forget(session string)
}

// caller describes the session as a caller of tools; in the actor.
func (s *session) caller() api.Caller {
	c := api.Caller{Session: s.id, Name: s.cur.Name, Agent: s.cur.Agent, Role: s.spec.Role, Root: s.spec.CWD, CWD: s.spec.CWD, Override: s.cur.Override, Task: s.cur.Task}
	if c.Role == "" {
		c.Role = api.RoleDev
	}
	c.Settings = adapters.SettingsIn(func(key string) string { return agents.Getenv(s.spec.Env, key) })
	for _, a := range s.r.o.Config().Accounts {
		if h, ok := adapterOf(s.r.o.Config().KindOf(a.Agent)).(agents.Housed); ok && a.Dir != "" {
			c.Settings = append(c.Settings, adapters.SettingsIn(func(key string) string { return agents.Getenv(h.HomeEnv(a.Dir), key) })...)
		}
	}
	return c
}

func adapterOf(kind string) agents.Adapter { a, _ := adapters.Lookup(kind); return a }

// Caller describes a session as a caller of tools; ref is an id, a unique prefix of one, or
// a name.
func (r *Registry) Caller(ctx context.Context, ref string) (c api.Caller, err error) {
	s, err := r.find(ref)
	if err != nil {
		return c, err
	}
	err = s.do(ctx, func() { c = s.caller() })
	return c, err
}

// guarded returns the tool use that a hook asks about, if the policy can stop it.
func (s *session) guarded(h agents.Hook) (agents.Guarded, api.ToolUse, bool) {
	g, ok := s.adapter.(agents.Guarded)
	if !ok || s.r.o.Policy == nil || s.outside {
		return nil, api.ToolUse{}, false
	}
	u, ok := g.ToolUse(h)
	return g, u, ok
}

// pretool has the policy decide about a hook before a tool use, and returns what waits for
// the reply to it: a person's answer, where the agent cannot ask itself.
func (r *Registry) pretool(ctx context.Context, s *session, c api.Caller, h agents.Hook, call string) func() (api.HookReply, error) {
	g, use, ok := s.guarded(h)
	if !ok {
		return func() (api.HookReply, error) { return api.HookReply{}, nil }
	}
	if h.CWD != "" {
		c.CWD = h.CWD
	}
	c.CWD = in(c.CWD, use.Dir)
	defer r.writes(c, use)()
	v := r.o.Policy.Use(c, use)
	if why := s.wallRefuses(c, use.Tool, use.Input); why != "" && v.Effect == api.EffectAllow {
		v = api.Verdict{Effect: api.EffectDeny, Reason: why}
	}
	if holder, ok := s.adapter.(agents.ToolHolder); ok && v.Effect == api.EffectAsk {
		return func() (reply api.HookReply, err error) {
			v, err = s.holdTool(ctx, c, h, call, holder, v)
			return api.HookReply{Stdout: g.ToolReply(v, s.version())}, err
		}
	}
	reply := api.HookReply{Stdout: g.ToolReply(v, s.version())}
	return func() (api.HookReply, error) { return reply, nil }
}

// writesTime bounds how long the answer to a hook waits until what its tool is about to write has been read.
const writesTime = 100 * time.Millisecond

// writes tells of a call while the policy decides about it; the function that it returns waits.
func (r *Registry) writes(c api.Caller, use api.ToolUse) func() {
	if r.o.Writes == nil {
		return func() {}
	}
	answered := make(chan struct{})
	ready := r.o.Writes(c, use, answered)
	return func() {
		defer close(answered)
		limit := time.NewTimer(writesTime)
		defer limit.Stop()
		select {
		case <-ready:
		case <-limit.C:
		}
	}
}

// wrote tells of a call of which no daemon knew before its tool ran; in the actor.
func (s *session) wrote(h agents.Hook) {
	_, use, ok := s.guarded(h)
	if !ok || s.r.o.Writes == nil {
		return
	}
	c := s.caller()
	c.CWD = in(cmp.Or(h.CWD, c.CWD), use.Dir)
	answered := make(chan struct{})
	close(answered)
	s.r.o.Writes(c, use, answered)
}

// in is the directory that a call names, or else that of its session.
func in(cwd, dir string) string {
	if dir == "" || filepath.IsAbs(dir) {
		return cmp.Or(dir, cwd)
	}
	return filepath.Join(cwd, dir)
}

// unread answers a hook whose payload cannot be decoded. The policy decides as for an
// unknown tool, because the tool use may be the unreadable part; without a decision the
// call is refused.
func (r *Registry) unread(ctx context.Context, s *session, name string, at time.Time, why error) (api.HookReply, error) {
	refused := &api.Error{Code: api.CodeInvalid, Message: why.Error()}
	r.rejectHook(s.id, name, refused.Message)
	g, use, ok := s.guarded(agents.Hook{Evidence: api.Evidence{Source: api.SourceHook, Name: name, Kind: adapters.HookKind(name), At: at}, Tool: unreadTool})
	if !ok {
		return api.HookReply{}, refused
	}
	var c api.Caller
	if err := s.do(ctx, func() { c = s.caller() }); err != nil {
		return api.HookReply{}, err
	}
	v := r.o.Policy.Unread(c, use, refused.Message)
	if v.Effect == api.EffectNone {
		return api.HookReply{}, refused
	}
	return api.HookReply{Stdout: g.ToolReply(v, s.version())}, nil
}

// unreadTool is the tool name of a call that cannot be decoded.
const unreadTool = "?"

// version is the agent's version; "" if unknown.
func (s *session) version() string { return s.seen().version }

// missed records the effect that a hook process applied without a daemon; in the actor.
func (s *session) missed(h agents.Hook, effect string) {
	_, use, ok := s.guarded(h)
	switch effect {
	case api.EffectAsk, api.EffectDeny:
	default:
		return
	}
	if ok {
		c := s.caller()
		s.r.wg.Go(func() { // the ledger's disk must not block the actor
			s.r.o.Policy.Missed(c, use, effect)
		})
	}
}

// denied records a call that the agent itself refused; in the actor.
func (s *session) denied(h agents.Hook) {
	if s.r.o.Policy == nil || h.Tool == "" {
		return
	}
	c, f := s.caller(), h.Evidence.Fields
	u := api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, ID: f["tool_use_id"], At: h.Evidence.At}
	s.r.wg.Go(func() { // the ledger's disk must not block the actor
		s.r.o.Policy.Denied(c, u, f["permission_mode"], f["reason"])
	})
}

// saveLoss writes the effect that the session's hooks apply without a daemon.
func (r *Registry) saveLoss(dir, effect string) error {
	file := filepath.Join(dir, paths.LossFile)
	if old, err := os.ReadFile(file); err == nil && string(old) == effect {
		return nil
	}
	return atomicfile.Write(file, []byte(effect))
}

// onLoss is the effect that the session's hooks apply without a daemon. Where the agent cannot
// ask, and nobody can be asked, that is a refusal.
func (s *session) onLoss(root string) string {
	if s.r.o.Policy == nil {
		return api.EffectNone
	}
	effect := s.r.o.Policy.OnLoss(root)
	if _, ok := s.adapter.(agents.ToolHolder); ok && effect == api.EffectAsk {
		return api.EffectDeny
	}
	return effect
}

// PolicyChanged updates what running sessions know of the policy.
func (r *Registry) PolicyChanged() {
	for _, s := range r.all() {
		if !s.seen().running || s.outside {
			continue
		}
		var root string
		if s.do(r.ctx, func() { root = s.spec.CWD }) != nil {
			continue
		}
		if err := r.saveLoss(s.dir, s.onLoss(root)); err != nil && !errors.Is(err, os.ErrNotExist) {
			r.log.Error("a session does not learn of the policy's change", "session", s.id, "error", err)
		}
	}
}

// SetRole gives a session another role, from its next tool use on.
func (r *Registry) SetRole(ctx context.Context, ref, role, client string, call api.Call) (api.Session, error) {
	if !api.ValidRole(role) {
		return api.Session{}, launch.BadRole(role)
	}
	return r.amend(ctx, ref, call, "role "+role, func(s *session, c api.Caller) (bool, error) {
		if c.Role == role {
			told := s.cur.Role == role // or an earlier daemon died before publishing it
			s.cur.Role = role
			return !told, nil
		}
		if r.o.Policy != nil {
			if overtaken, err := r.o.Policy.SetRole(c, role, client, call); overtaken || err != nil {
				return false, err
			}
		}
		s.spec.Role, s.cur.Role = role, role
		if err := s.saveSpec(); err != nil { // the row has it, and KeepFiles writes it again
			r.log.Warn("cannot save the session's role", "session", s.id, "error", err)
		}
		return true, nil
	})
}

// SetOverride overrides the policy for one session for a while; nil ends the override.
func (r *Registry) SetOverride(ctx context.Context, ref string, o *api.Override, client string, call api.Call) (api.Session, error) {
	what := "override ended"
	if o != nil {
		what = "override " + string(o.Mode) + " until " + o.Until.Local().Format(time.DateTime)
	}
	return r.amend(ctx, ref, call, what, func(s *session, c api.Caller) (bool, error) {
		if r.o.Policy != nil {
			if overtaken, err := r.o.Policy.SetOverride(c, o, client, call); overtaken || err != nil {
				return false, err
			}
		}
		s.cur.Override = o
		return true, nil
	})
}

// amend runs change in the session's actor and publishes the session, unless change reports
// false. The event of a call with an idempotency key is published once.
func (r *Registry) amend(ctx context.Context, ref string, call api.Call, message string, change func(*session, api.Caller) (bool, error)) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	err = s.change(ctx, func() (<-chan error, error) {
		if changed, err := change(s, s.caller()); !changed || err != nil {
			return nil, notMade(err)
		}
		c := s.plain(api.EventSessionPolicy, message)
		if call.ID != "" {
			c.key = "call:" + call.ID
			if known := !s.seenKeys.add(c.key); known && !call.Begun.IsZero() {
				c.event, c.key = nil, ""
			}
		}
		return s.publish(c, true), nil
	})
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// notMade is the error of a change that the policy could not record, and which was therefore not
// made; err of nil and those that are for people stay.
func notMade(err error) error {
	if err == nil || api.CodeOf(err) != api.CodeInternal {
		return err
	}
	return api.Errorf(api.CodeInternal, "nothing was changed, because it could not be recorded: %v%s", err, hint.Of(err))
}

// RejectHook records a hook call that was refused before it reached the registry
// (hooks.Rejecter).
func (r *Registry) RejectHook(session, hook, why string) { r.rejectHook(session, hook, why) }

// folderLook is the pause between two looks whether a session's folder is there. Moving a folder
// above it sends no event.
const folderLook = 2 * time.Second

// watchFolder says when the folder is gone in which the agent starts its hooks, and when it is back,
// until ctx ends. It runs in a goroutine of its own: a look at a file system that is away may take
// for ever.
func (s *session) watchFolder(ctx context.Context) {
	if _, ok := s.adapter.(agents.FolderBound); !ok {
		return
	}
	var dir string
	if s.do(ctx, func() { dir = s.spec.CWD }) != nil {
		return
	}
	tick := s.r.o.Alarms.NewTicker(folderLook)
	defer tick.Stop()
	for {
		why := ""
		if noFolder(dir) {
			why = "its folder " + agents.Visible(dir, agents.MaxField) + " is gone: the agent's hooks do not run, so no policy holds and its state is known from the screen alone"
		}
		if s.do(ctx, func() { s.setUnguarded(why) }) != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// setUnguarded publishes why no policy holds, "" that one can hold again; in the actor.
func (s *session) setUnguarded(why string) {
	if why == s.cur.Unguarded {
		return
	}
	s.cur.Unguarded = why
	message := why
	if why == "" {
		message = "its folder is there: the agent's hooks run again, and the policy holds"
	}
	s.publish(s.plain(api.EventSessionPolicy, message), true)
}

// noFolder reports whether there is certainly no directory at the path.
func noFolder(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir()
}
