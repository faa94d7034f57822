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
	"ccdir/sandbox"
	"ccdir/sandbox/place"
	"ccdir/sandbox/wall"
)

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
