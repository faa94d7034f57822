package sessions

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/config"
	"ccdir/internal/hostwire"
	"ccdir/internal/paths"
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
	return s.value(ctx)
}

// wait is for the journal's answer. That a change could not be saved is no
// failure of the call: it is in force and shown, and the journal, which logs
// it, tries again.
func wait(ctx context.Context, committed <-chan error) error {
	if committed == nil {
		return nil
	}
	select {
	case <-committed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
		return api.Errorf(api.CodeLimit, "%d sessions run already: kill one, or raise max_sessions in config.toml", n)
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
		return api.Errorf(api.CodeInvalid, "the directory %s does not exist: create it or name another with -C", cut(dir, 200))
	case err != nil:
		return api.Errorf(api.CodeInvalid, "cannot use the directory %s: %v", cut(dir, 200), errors.Unwrap(err))
	case !info.IsDir():
		return api.Errorf(api.CodeInvalid, "%s is not a directory: name one with -C", cut(dir, 200))
	}
	if err := unix.Access(dir, unix.R_OK|unix.X_OK); err != nil {
		return api.Errorf(api.CodeInvalid, "cannot read the directory %s (%v): change its mode or name another with -C", cut(dir, 200), err)
	}
	return nil
}

// create makes the directory and starts the process; in the actor.
func (s *session) create(resume string) (<-chan error, error) {
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the directory of sessions: %w", err)
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the session's directory: %w", err)
	}
	if err := s.saveSpec(); err != nil {
		return nil, fmt.Errorf("cannot write the session's files: %w", err)
	}
	spec := s.spec
	s.cur = api.Session{ID: s.id, Name: spec.Name, Agent: spec.Agent, CWD: spec.CWD, Cols: spec.Cols, Rows: spec.Rows, Created: spec.Created,
		Role: spec.Role, Parent: spec.Parent}
	s.takeRun()
	if err := s.start(resume, false); err != nil {
		return nil, err
	}
	return s.begun(api.EventSessionCreated, "created: "), nil
}

// begun publishes that a process runs. It counts from before the launch: the
// process may have called hooks by the time that its host answers.
func (s *session) begun(eventType, verb string) <-chan error {
	e := api.Evidence{Source: api.SourceProcess, At: s.fold.Since, Name: evStarted, Detail: fmt.Sprintf("pid %d", s.cur.PID)}
	line := agents.Visible(strings.Join(s.cur.Argv, " "), 200)
	data, _ := json.Marshal(map[string]any{"name": s.cur.Name, "agent": s.cur.Agent, "cwd": s.cur.CWD, "argv": s.cur.Argv}) // cannot fail
	return s.weigh(e, change{always: true,
		event: &api.Event{Type: eventType, Source: "daemon", Message: verb + line, Data: data}})
}

// start launches a host for the session's spec; in the actor, which waits, so
// that hooks of the new process are weighed after its start. again: what a
// process before has left is removed, once it is clear that there is something
// to start.
func (s *session) start(resume string, again bool) error {
	ctx := s.ctx
	token, ticket := secret(), secret()
	launch, err := s.prepare(ctx, resume, s.environment(token))
	if err != nil {
		return err
	}
	if again {
		if err := errors.Join(os.MkdirAll(s.dir, 0o700), clearStart(s.dir)); err != nil {
			return fmt.Errorf("cannot remove the files of the process before: %w", err)
		}
	}
	if err := writeFile(filepath.Join(s.dir, paths.TokenFile), []byte(token)); err != nil {
		return fmt.Errorf("cannot write the session's files: %w", err)
	}
	if err := s.r.saveLoss(s.dir, s.r.onLoss(s.spec.CWD)); err != nil {
		return fmt.Errorf("cannot write the session's files: %w", err)
	}
	version := s.spec.Version
	s.agentVersion.Store(&version)
	cfg := s.r.o.Config()
	hostSpec := hostwire.HostSpec{
		Session: s.id, Dir: s.dir, Socket: s.r.o.Paths.HostSocket(s.id), Ticket: ticket,
		Argv: launch.Argv, Env: launch.Env, CWD: s.spec.CWD, Cols: s.spec.Cols, Rows: s.spec.Rows,
		Scrollback: s.spec.Scrollback, RingBytes: cfg.RingBytes, Engine: cfg.Engine,
		KittyKeyboard: cfg.KittyKeyboard, NoProgramStatus: s.spec.noStatus(), Version: api.Version,
		Yours: cfg.ShellsAreYours && s.spec.plain(),
	}
	s.token.Store(&token)
	s.reset(s.r.now())
	ready, err := s.r.o.Launcher.Launch(ctx, hostSpec)
	var known *api.Error
	if errors.As(err, &known) {
		return known
	}
	if err != nil {
		return &api.Error{Code: api.CodeInvalid, Message: "cannot start " + cut(launch.Argv[0], 200) + ": " + err.Error()}
	}
	hf, err := readHost(s.dir)
	if err != nil {
		killGroup(ready.PID, sigKILL)
		return fmt.Errorf("the host left no host.json: %w", err)
	}
	s.cur.Argv, s.cur.PID, s.cur.HostPID, s.cur.HostVersion = launch.Argv, ready.PID, hf.PID, hf.Version
	s.cur.Cols, s.cur.Rows = s.spec.Cols, s.spec.Rows
	s.cur.Conversation = launch.Conversation
	s.talked = resume != ""
	s.hostUp(hf)
	return nil
}

// environment is that of the process: the caller's, cleaned, and ours.
func (s *session) environment(token string) []string {
	p := s.r.o.Paths
	env := agents.TerminalEnv(s.spec.Env, api.Version)
	env = agents.SetEnv(env, api.EnvSession+"="+s.id, api.EnvToken+"="+token,
		api.EnvSocket+"="+p.Socket(), api.EnvDir+"="+s.dir, "PWD="+s.spec.CWD)
	if effect := s.r.onLoss(s.spec.CWD); effect != api.EffectNone {
		env = agents.SetEnv(env, api.EnvOnLoss+"="+effect)
	}
	if p.Home != "" {
		env = agents.SetEnv(env, api.EnvHome+"="+p.Home)
	}
	return env
}

// prepare finds the executable and lets the adapter make the command line.
func (s *session) prepare(ctx context.Context, resume string, env []string) (agents.Launch, error) {
	spec, command, version, cfg := s.spec, s.spec.Command, "", s.r.o.Config()
	if command != "" {
		path, err := agents.FindExecutable(command, spec.CWD, env)
		if err != nil {
			return agents.Launch{}, noExecutable(spec.Kind, err)
		}
		command = path
		if spec.Kind == agents.KindClaude {
			version = s.r.versions.Of(ctx, path, env)
		}
	}
	if version != s.spec.Version {
		s.spec.Version = version
		if err := s.saveSpec(); err != nil {
			return agents.Launch{}, fmt.Errorf("cannot write the session's files: %w", err)
		}
	}
	launch, err := s.prepareRun(agents.Start{Session: s.id, Name: spec.Name, Dir: s.dir, CWD: spec.CWD,
		Command: command, Args: spec.Args, Env: env, Shim: s.r.o.Shim, Resume: resume, Version: version,
		MCP: cfg.MCP.Enabled, Preapproved: api.ExpandTools(cfg.MCP.Preapproved)})
	if err != nil {
		if code := api.CodeOf(err); code != api.CodeInternal {
			return launch, err
		}
		return launch, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	if launch.Argv[0], err = agents.FindExecutable(launch.Argv[0], spec.CWD, env); err != nil {
		return launch, noExecutable(spec.Kind, err)
	}
	return launch, nil
}

// noExecutable says that an agent is not there, and what to do.
func noExecutable(kind string, err error) error {
	message := err.Error()
	if hint := agents.InstallHint(kind); hint != "" {
		message = fmt.Sprintf("%s is not installed: %s; or try the demo agent (-a demo)", kind, hint)
	}
	return &api.Error{Code: api.CodeNoAgent, Message: message}
}

// secret is 32 random bytes in hexadecimal.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
