package sessions

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
)

// Limits of what a caller may ask for.
const (
	maxSize      = 1000 // columns and rows
	maxName      = 64   // runes
	maxArgs      = 4096
	defaultCols  = 80
	defaultRows  = 24
	commandAgent = config.CommandAgent // Session.Agent of a bare command
)

// Create starts a session and returns it once its process runs.
func (r *Registry) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	return r.createFor(ctx, n, nil)
}

// createFor creates a session, for an attempt of a task unless run is nil.
func (r *Registry) createFor(ctx context.Context, n api.NewSession, run *TaskRun) (api.Session, error) {
	spec, adapter, err := r.specOf(n)
	if err != nil {
		return api.Session{}, err
	}
	spec.Run = run
	id, err := r.newID(ctx)
	if err != nil {
		return api.Session{}, err
	}
	spec.ID = id
	s := r.newSession(id, spec, adapter)
	if err := r.reserve(s, n.Name == ""); err != nil {
		return api.Session{}, err
	}
	s.first = n.Prompt
	var committed <-chan error
	var failed error // a variable of its own: do's result must not hide it
	err = s.do(ctx, func() { committed, failed = s.create(n.Resume) })
	r.release(s)
	if err = errors.Join(err, failed); err != nil {
		// Nobody else can have begun to use it: its session was not published.
		r.abandon(s)
		return api.Session{}, err
	}
	if err := wait(ctx, committed); err != nil {
		return api.Session{}, err
	}
	if err := r.o.Store.UseDirectory(spec.CWD, r.now()); err != nil {
		r.log.Warn("cannot remember the directory", "error", err)
	}
	if n.Prompt != "" {
		s.deliverLater(n.Prompt)
	}
	r.pause(PauseCreated)
	return s.value(ctx)
}

// reserve takes the name and one of max_sessions, and starts the actor.
func (r *Registry) reserve(s *session, anyName bool) error {
	if err := r.claim(s); err != nil {
		return err
	}
	for {
		if anyName {
			s.spec.Name = r.freeName(s.spec.Agent)
		}
		err := r.add(s, s.spec.Name)
		if err == nil || !anyName || api.CodeOf(err) != api.CodeConflict {
			if err != nil {
				r.release(s)
			}
			return err
		}
	}
}

// claim takes one of max_sessions for a session that is about to run.
func (r *Registry) claim(s *session) error {
	limit := r.o.Config().MaxSessions
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.claimed)
	for _, other := range r.sessions {
		if other.running.Load() && !r.claimed[other] {
			n++
		}
	}
	if n >= limit {
		return api.Errorf(api.CodeLimit, "%d sessions run already: kill one, or raise max_sessions in config.toml and run `ccdir daemon restart`", n)
	}
	r.claimed[s] = true
	return nil
}

// release gives back what claim took: the session runs by now, or it will not.
func (r *Registry) release(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.claimed, s)
}

// abandon forgets a session that did not come to be.
func (r *Registry) abandon(s *session) {
	r.drop(s.id)
	s.cancel()
	<-s.done
	if err := os.RemoveAll(s.dir); err != nil {
		r.log.Warn("cannot remove the directory of a session that did not start", "session", s.id, "error", err)
	}
}

// specOf checks what the caller asks for and fills in the configuration.
func (r *Registry) specOf(n api.NewSession) (Spec, agents.Adapter, error) {
	cfg := r.o.Config()
	spec := Spec{Name: n.Name, Agent: n.Agent, CWD: n.CWD, Cols: n.Cols, Rows: n.Rows, Scrollback: n.Scrollback, Created: r.now(), Parent: n.Parent, Request: n.Request}
	if n.Name != "" {
		if err := checkName(n.Name); err != nil {
			return spec, nil, err
		}
	}
	if spec.Role = n.Role; spec.Role == "" {
		spec.Role = r.roleFor(n.CWD)
	}
	if !api.ValidRole(spec.Role) {
		return spec, nil, badRole(spec.Role)
	}
	if spec.Cols == 0 && spec.Rows == 0 {
		spec.Cols, spec.Rows = defaultCols, defaultRows
	}
	if err := checkSize(spec.Cols, spec.Rows); err != nil {
		return spec, nil, err
	}
	if spec.Scrollback == 0 {
		spec.Scrollback = cfg.Scrollback
	}
	if spec.Scrollback < 0 || spec.Scrollback > config.MaxScrollback {
		return spec, nil, api.Errorf(api.CodeInvalid, "scrollback must be from 0 to %d lines", config.MaxScrollback)
	}
	if err := CheckDir(spec.CWD); err != nil {
		return spec, nil, err
	}
	if err := checkConversation(n.Resume); err != nil {
		return spec, nil, err
	}
	if len(n.Prompt) > maxPrompt {
		return spec, nil, api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", maxPrompt)
	}
	if len(n.Argv) > maxArgs {
		return spec, nil, api.Errorf(api.CodeInvalid, "more than %d arguments", maxArgs)
	}
	adapter, err := spec.takeAgent(cfg, n)
	return spec, adapter, err
}

// takeAgent fills in command, arguments and environment.
func (spec *Spec) takeAgent(cfg config.Config, n api.NewSession) (agents.Adapter, error) {
	var agent config.Agent
	switch {
	case n.Agent == "" && len(n.Argv) > 0:
		spec.Agent, agent = commandAgent, config.Agent{Kind: agents.KindGeneric, Env: cfg.Command.Env}
	default:
		if spec.Agent == "" {
			spec.Agent = cfg.DefaultAgent
		}
		known := false
		if agent, known = cfg.Agents[spec.Agent]; !known {
			return nil, api.Errorf(api.CodeNoAgent, "no agent is called %q: there are %s; add it to config.toml",
				cut(spec.Agent, 64), strings.Join(cfg.AgentNames(), ", "))
		}
	}
	spec.Kind, spec.Command, spec.Args = agent.Kind, agent.Command, agent.Args
	if len(n.Argv) > 0 {
		if n.Argv[0] == "" {
			return nil, api.Errorf(api.CodeInvalid, "the command is empty")
		}
		spec.Command, spec.Args, spec.Custom = n.Argv[0], n.Argv[1:], true
	}
	for _, s := range append([]string{spec.Command}, spec.Args...) {
		if strings.ContainsRune(s, 0) {
			return nil, api.Errorf(api.CodeInvalid, "an argument contains a NUL byte")
		}
	}
	env := agents.CleanEnv(n.Env)
	for _, k := range slices.Sorted(maps.Keys(agent.Env)) {
		env = agents.SetEnv(env, k+"="+agent.Env[k])
	}
	for _, kv := range n.ExtraEnv {
		if i := strings.IndexByte(kv, '='); i <= 0 || strings.ContainsRune(kv, 0) {
			return nil, api.Errorf(api.CodeInvalid, "-e wants NAME=VALUE, found %q", cut(kv, 64))
		}
		env = agents.SetEnv(env, kv)
	}
	spec.Env = env
	adapter, ok := agents.Lookup(spec.Kind)
	if !ok {
		return nil, api.Errorf(api.CodeNoAgent, "agent %q has the unknown kind %q: correct it in config.toml", spec.Agent, spec.Kind)
	}
	return adapter, nil
}

// checkName says what is wrong with a session's name.
func checkName(name string) error {
	if utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) {
		return api.Errorf(api.CodeInvalid, "a session's name has at most %d characters", maxName)
	}
	for i, r := range name {
		good := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || strings.ContainsRune("-_.+@:", r)
		if !good || i == 0 && (r == '-' || r == '.') {
			return api.Errorf(api.CodeInvalid, "a session's name has letters, digits and - _ . + @ :, and begins with none of - and . (found %q)", cut(name, maxName))
		}
	}
	if name == "" {
		return api.Errorf(api.CodeInvalid, "the name is empty")
	}
	return nil
}

// checkSize says what is wrong with a terminal's size.
func checkSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > maxSize || rows > maxSize {
		return api.Errorf(api.CodeInvalid, "a size of %dx%d is not possible: give 1x1 to %dx%d", cols, rows, maxSize, maxSize)
	}
	return nil
}

// CheckDir says why a session cannot start in a directory.
func CheckDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return api.Errorf(api.CodeInvalid, "the directory %q is not absolute", cut(dir, 200))
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.Errorf(api.CodeInvalid, "the directory %s does not exist: create it or name another", cut(dir, 200))
	case err != nil:
		return api.Errorf(api.CodeInvalid, "cannot use the directory %s: %v", cut(dir, 200), errors.Unwrap(err))
	case !info.IsDir():
		return api.Errorf(api.CodeInvalid, "%s is not a directory: name one", cut(dir, 200))
	}
	if err := unix.Access(dir, unix.R_OK|unix.X_OK); err != nil {
		return api.Errorf(api.CodeInvalid, "cannot read the directory %s (%v): change its mode or name another", cut(dir, 200), err)
	}
	return nil
}
