package sessions

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
	"ccdir/sandbox"
	"ccdir/sandbox/place"
	"ccdir/sandbox/wall"
	"ccdir/sessions/process"
)

// Identity is a session that has proved itself by its token.
type Identity struct {
	Session api.Session
	// Env is the environment of its process without ccdir's own variables.
	Env []string
	// Walls are those around its process.
	Walls Walls
}

// Identify returns the session of a token. id is the session's id, or "" if the caller
// knows only the token. The error is CodeForbidden if no session has the token, or its
// process has ended.
func (r *Registry) Identify(ctx context.Context, id, token string) (Identity, error) {
	refused := api.Errorf(api.CodeForbidden, "the token is not that of a running session: a restart makes a new one")
	var found *session
	for _, s := range r.all() {
		// Every token is compared, so that the duration reveals nothing.
		if (id == "" || s.id == id) && s.knows(token) {
			found = s
		}
	}
	if found == nil || found.outside {
		return Identity{}, refused
	}
	var who Identity
	err := found.do(ctx, func() {
		who.Session = found.cur
		who.Session.State, who.Session.Role = found.fold.State, found.spec.Role
		who.Walls = found.walls()
		who.Env = slices.Clone(agents.TerminalEnv(found.spec.Env, api.Version))
	})
	if err != nil {
		return Identity{}, err
	}
	if who.Session.State.Stopped() {
		return Identity{}, refused
	}
	if who.Session.Role == "" {
		who.Session.Role = api.RoleDev
	}
	return who, nil
}

// ToolsListed notes that the agent of a session has been sent the list of our tools.
func (r *Registry) ToolsListed(ctx context.Context, id string) {
	if s, err := r.find(id); err == nil {
		_ = s.do(ctx, func() { s.lacksTools = false }) // without it the first prompt waits its time
	}
}

// maxProgress bounds Session.Progress, in runes.
const maxProgress = 120

// Progress publishes the agent's own line about its work; "" clears it.
func (r *Registry) Progress(ctx context.Context, ref, text string) error {
	s, err := r.find(ref)
	if err != nil {
		return err
	}
	line := []rune(textsafe.Line(text))
	if len(line) > maxProgress {
		line = append(line[:maxProgress-1], '…')
	}
	return s.commit(ctx, func() (<-chan error, error) {
		if s.cur.Progress == string(line) {
			return nil, nil
		}
		s.cur.Progress = string(line)
		return s.publish(change{}, true), nil
	})
}

// HostedBy returns the session whose host is the given process; ok is false if there is
// none.
func (r *Registry) HostedBy(pid int, start string) (id string, ok bool) {
	for _, s := range r.all() {
		if p := s.seen().host; p.PID == pid && p.Start == start {
			return s.id, true
		}
	}
	return "", false
}

// Marked returns the session that an environment names; ok is false if there is none.
// proven: the environment holds that session's token.
func (r *Registry) Marked(env []string) (id string, proven, ok bool) {
	named := agents.Getenv(env, api.EnvSession)
	if named == "" {
		return "", false, false
	}
	r.mu.Lock()
	s := r.sessions[named]
	r.mu.Unlock()
	if s == nil || s.outside {
		return "", false, false
	}
	return s.id, s.knows(agents.Getenv(env, api.EnvToken)), true
}

// SpeaksForPerson reports whether processes of the session act for the person: it is a
// shell or a plain command, and config.toml allows that.
func (r *Registry) SpeaksForPerson(ctx context.Context, id string) bool {
	s, err := r.find(id)
	if err != nil || s.outside {
		return false
	}
	cfg, own := r.o.Config(), false
	if !cfg.ShellsAreYours {
		return false
	}
	err = s.do(ctx, func() { own = s.spec.Plain() })
	return err == nil && own
}

// noteHost sets the process that HostedBy knows as the host.
func (s *session) noteHost(pid int, start string) {
	s.tellAll(func(v *shared) { v.host = process.Ref{PID: pid, Start: start} })
}

// RoleClaimed implements hooks.RoleClaims: a role claimed by the environment that is not
// the session's is recorded once and changes nothing. Calls with a wrong token are left to
// Hook, which refuses them.
func (r *Registry) RoleClaimed(ctx context.Context, id, token, role string) {
	s, err := r.authorise(id, token)
	if err != nil || r.o.Policy == nil {
		return
	}
	own, fresh := "", false
	err = s.do(ctx, func() {
		own = s.caller().Role
		if fresh = own != role && s.roleClaimed != role; fresh {
			s.roleClaimed = role
		}
	})
	if err != nil || !fresh {
		return
	}
	why := "the environment claims the role " + agents.Visible(role, maxRoleShown) + ": the session's is " + own
	r.log.Warn("a role was claimed by the environment", "session", s.id, "why", why)
	r.o.Policy.Refused(s.id, "role", why)
}

// maxRoleShown bounds a claimed role in a record, in runes.
const maxRoleShown = 64

// walls are those of one start.
type walls struct {
	// file has the plan; "" for no walls. host: the host raises them; otherwise the command line
	// does.
	file  string
	host  bool
	state *api.Sandbox
}

// raise writes the plan of the session's walls and says who raises them; in the actor. A plan that
// this machine holds in part is refused for tasks and where the configuration is strict, and
// one that nothing holds always.
func (s *session) raise(ctx context.Context, cmd *agents.Launch) (w walls, err error) {
	if s.spec.Sandbox == "" {
		return w, nil
	}
	plan, err := s.plan(ctx, cmd)
	if err != nil {
		return w, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	w.state = &api.Sandbox{Name: plan.Profile, Mechanism: plan.Mechanism, Network: plan.Network, Complete: plan.Complete(), Missing: plan.Missing}
	if strict := s.spec.Run != nil || s.r.o.Config().Sandbox.Strict; plan.Mechanism == "" || strict && !plan.Complete() {
		return w, api.Errorf(api.CodeInvalid, "%s: `ccdir doctor` says what would help; --sandbox none goes without", w.state.Lacks())
	}
	data, err := json.Marshal(plan)
	if err != nil {
		return w, err
	}
	w.file = s.wallFile()
	if err := atomicfile.Write(w.file, data); err != nil {
		return w, err
	}
	if run := s.spec.Run; run != nil && run.Print {
		return w, s.wallPrinted() // the shim's verb print writes into the session's directory, and starts the agent
	}
	w.host = true
	return w, nil
}

// wallFile has the plan of the process that runs, where no walled process reads or writes it.
func (s *session) wallFile() string { return filepath.Join(s.dir, paths.WallFile) }

// plan resolves the session's profile.
func (s *session) plan(ctx context.Context, cmd *agents.Launch) (plan sandbox.Plan, err error) {
	profile, err := sandbox.Find(s.spec.Sandbox, s.r.o.Config().Sandbox.Profiles)
	if err != nil {
		return plan, err
	}
	at, err := place.Of(ctx, s.spec.CWD, cmd.Argv[0], cmd.Env, s.spec.Git)
	if err != nil {
		return plan, err
	}
	if s.spec.Git == nil && at.Git != nil {
		s.spec.Git = at.Git
		if err := s.saveSpec(); err != nil {
			return plan, err
		}
	}
	if w, ok := s.adapter.(agents.Walled); ok {
		at.Agent = w.Needs(s.spec.Env, s.dir)
	}
	p := s.r.o.Paths
	at.Private = filepath.Join(s.dir, paths.PrivateDir)
	at.Own = sandbox.Own{Hide: []string{p.State, p.Config}, Sockets: []string{p.Runtime}, Write: []string{filepath.Join(s.dir, paths.SpoolDir)}, Read: []string{s.r.o.Shim}}
	if real, err := filepath.EvalSymlinks(s.r.o.Shim); err == nil {
		at.Own.Read = append(at.Own.Read, real)
	}
	for _, name := range []string{paths.HookConfig, paths.MCPConfig, paths.LossFile} {
		at.Own.Read = append(at.Own.Read, filepath.Join(s.dir, name))
	}
	if plan, err = sandbox.Make(profile, at); err != nil {
		return plan, err
	}
	if plan = plan.For(s.r.able(ctx), ""); plan.Mechanism != "" {
		plan.Missing = append(plan.Missing, wall.Unheld(plan)...)
	}
	return plan, nil
}

// wallPrinted puts the agent of a one-shot run behind the walls.
func (s *session) wallPrinted() error {
	file := filepath.Join(s.dir, paths.PrintFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var job paths.PrintJob
	if err := json.Unmarshal(data, &job); err != nil {
		return err
	}
	job.Argv = append(s.behind(), job.Argv...)
	if data, err = json.Marshal(job); err != nil {
		return err
	}
	return atomicfile.Write(file, data)
}

// behind is the command that, followed by another, runs that behind the session's walls.
func (s *session) behind() []string {
	return []string{s.r.o.Shim, wall.Verb, s.wallFile(), "--"}
}

// able is what this machine can hold; tried again until bubblewrap works, since it may be installed
// meanwhile.
func (r *Registry) able(ctx context.Context) sandbox.Ability {
	r.ableMu.Lock()
	defer r.ableMu.Unlock()
	if !r.ability.Bubblewrap {
		r.ability = wall.Able(ctx)
	}
	return r.ability
}

// sandboxOf is the profile of a session that starts another; "" for none.
func (r *Registry) sandboxOf(ctx context.Context, id string) (name string) {
	if id == "" {
		return ""
	}
	if s, err := r.find(id); err == nil {
		_ = s.do(ctx, func() { name = s.spec.Sandbox })
	}
	return name
}

// Walls are those around a caller, for what ccdir does on its behalf.
type Walls struct {
	// Profile is the name of their profile, "" for no walls.
	Profile string
	// Behind is the command that, followed by another, runs that behind them; nil for no walls.
	Behind []string
	// Hides: something within its directories is hidden from it.
	Hides bool
}

// walls of the process that runs; in the actor.
func (s *session) walls() (w Walls) {
	if s.cur.Sandbox == nil {
		return w
	}
	w.Profile, w.Behind, w.Hides = s.spec.Sandbox, s.behind(), true
	var plan sandbox.Plan
	if data, err := os.ReadFile(s.wallFile()); err == nil && json.Unmarshal(data, &plan) == nil {
		w.Hides = slices.ContainsFunc(plan.Hidden, func(path string) bool { return sandbox.Within(path, s.spec.CWD) })
	}
	return w
}
