package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/redact"
	"ccdir/internal/text/textsafe"
	"ccdir/sandbox"
	"ccdir/sessions/adopt"
	"ccdir/sessions/launch"
	"ccdir/sessions/login"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// Create starts a session and returns it once its process runs.
func (r *Registry) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	return r.createFor(ctx, n, nil)
}

// createFor creates a session; run is the attempt of its task, nil for none.
func (r *Registry) createFor(ctx context.Context, n api.NewSession, run *launch.TaskRun) (api.Session, error) {
	launch.ChooseAccount(ctx, r.o.Config(), &n) // by the directory that was asked for, not by a work tree's
	if r.o.Prepare != nil {
		if err := r.o.Prepare(ctx, &n); err != nil {
			return api.Session{}, err
		}
	}
	if run != nil { // it was asked for earlier, maybe in another login
		run.Setup = n.Setup
		n.Env = login.WithDisplay(r.o.Paths, os.Getuid(), n.Env)
	}
	spec, adapter, err := launch.SpecOf(ctx, r.o.Config(), n, run != nil, r.now())
	if err != nil {
		return api.Session{}, err
	}
	spec.Run = run
	if err := spec.Inherit(r.o.Config(), r.sandboxOf(ctx, n.Parent), n.Sandbox); err != nil {
		return api.Session{}, err
	}
	if err := r.beside(ctx, &spec); err != nil {
		return api.Session{}, err
	}
	return r.launch(ctx, newborn{spec: spec, adapter: adapter, prompt: n.Prompt, resume: n.Resume, given: launch.SecretVariables(n.ExtraEnv)})
}

// beside checks of which session the new one is a tool, and names it after both unless it has a
// name.
func (r *Registry) beside(ctx context.Context, spec *launch.Spec) error {
	if spec.Beside == nil {
		return nil
	}
	b := *spec.Beside
	if launch.CheckName(b.Tool) != nil || len(b.Tool) > maxTool {
		return api.Errorf(api.CodeInvalid, "%q is not the name of a tool", textsafe.Cut(b.Tool, maxTool))
	}
	owner, err := r.Get(ctx, b.Session)
	if err != nil {
		return err
	}
	b.Session, spec.Beside = owner.ID, &b
	if spec.Name == "" {
		spec.Name = r.freeNameLike(owner.Name, "-"+b.Tool)
	}
	return nil
}

// maxTool bounds the name of a tool (api.Beside), in bytes.
const maxTool = 32

// newborn is a session that is to be started.
type newborn struct {
	spec    launch.Spec // without id; without a name, if it is to get one
	adapter agents.Adapter
	// prompt is its first, resume the conversation to continue, given the variables with
	// secrets that the caller gave besides the environment.
	prompt, resume string
	given          []string
}

// launch starts a new session.
func (r *Registry) launch(ctx context.Context, b newborn) (api.Session, error) {
	id, err := r.newID(ctx)
	if err != nil {
		return api.Session{}, err
	}
	b.spec.ID = id
	s := r.newSession(id, b.spec, b.adapter)
	if err := r.reserve(s, b.spec.Name == ""); err != nil {
		return api.Session{}, err
	}
	s.delivery.Restore(nil, b.prompt)
	s.given = b.given
	var committed <-chan error
	var failed error // do's own error must not overwrite it
	err = s.do(ctx, func() { committed, failed = s.create(b.resume) })
	r.release(s)
	if err = errors.Join(err, failed); err != nil {
		// The session was not published, so nobody uses it.
		r.abandon(s)
		return api.Session{}, err
	}
	if err := wait(ctx, committed); err != nil {
		return api.Session{}, err
	}
	if err := r.o.Store.UseDirectory(b.spec.CWD, r.now()); err != nil {
		r.log.Warn("cannot remember the directory", "error", err)
	}
	if b.prompt != "" {
		s.delivery.SendFirst(b.prompt)
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

// claim counts a session that is about to run against max_sessions.
func (r *Registry) claim(s *session) error {
	limit := r.o.Config().MaxSessions
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.claimed)
	for _, other := range r.sessions {
		if other.seen().running && !r.claimed[other] {
			n++
		}
	}
	if n >= limit {
		return api.Errorf(api.CodeLimit, "%d sessions run already: kill one, or raise max_sessions in config.toml and run `ccdir daemon restart`", n)
	}
	r.claimed[s] = true
	return nil
}

// release undoes claim: the session runs now, which counts too, or it never will.
func (r *Registry) release(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.claimed, s)
}

// abandon removes a session that failed to start.
func (r *Registry) abandon(s *session) {
	r.drop(s.id)
	s.cancel()
	<-s.box.Done()
	if err := os.RemoveAll(s.dir); err != nil {
		r.log.Warn("cannot remove the directory of a session that did not start", "session", s.id, "error", err)
	}
}

// maxRequest bounds NewSession.Request, in bytes.
const maxRequest = 128

// CreateOnce is Create with an idempotency key: of the calls with the same Request (unless
// it is "") the first starts a session, and the others return that session and known true,
// as long as it exists. Later daemons know the key too: it is written to session.json
// before the process starts.
func (r *Registry) CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error) {
	if n.Request == "" {
		v, err = r.Create(ctx, n)
		return v, false, err
	}
	if len(n.Request) > maxRequest || strings.ContainsFunc(n.Request, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return v, false, api.Errorf(api.CodeInvalid, "request must be 1 to %d printable ASCII characters without blanks", maxRequest)
	}
	leave, err := r.making.Enter(ctx, n.Request)
	if err != nil {
		return v, false, err
	}
	defer leave()
	if v, known, err = r.OfRequest(ctx, n.Request); known {
		return v, true, err
	}
	v, err = r.Create(ctx, n)
	return v, false, err
}

// launchOf returns the id of a start (api.Session.Launch): each has a host of its own.
func launchOf(hf wire.HostFile) string {
	if hf.PID == 0 {
		return ""
	}
	return strconv.Itoa(hf.PID) + "/" + hf.Start
}

// Version returns api.Session.Version of a session. Unlike Get it does not wait for the
// last change to be saved, so that a session can be ended while the disk is full.
func (r *Registry) Version(ctx context.Context, ref string) (version string, err error) {
	s, err := r.find(ref)
	if err != nil {
		return "", err
	}
	err = s.do(ctx, func() { version = s.cur.Version() })
	return version, err
}

// Requested are the ids of the sessions whose requests begin so, by their requests.
func (r *Registry) Requested(prefix string) map[string]string {
	list := map[string]string{}
	for _, s := range r.all() {
		if strings.HasPrefix(s.spec.Request, prefix) {
			list[s.spec.Request] = s.id
		}
	}
	return list
}

// OfRequest returns the session that was made for a request.
func (r *Registry) OfRequest(ctx context.Context, request string) (v api.Session, known bool, err error) {
	for _, s := range r.all() {
		if s.spec.Request == request {
			v, err = s.value(ctx)
			return v, true, err
		}
	}
	return v, false, nil
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
	if err := s.delivery.SaveFirst(); err != nil {
		return nil, fmt.Errorf("cannot write the session's files: %w", err)
	}
	spec := s.spec
	s.cur = api.Session{ID: s.id, Name: spec.Name, Agent: spec.Agent, Plain: spec.Runs(), CWD: spec.CWD, Cols: spec.Cols, Rows: spec.Rows, Created: spec.Created,
		Role: spec.Role, Parent: spec.Parent, Beside: spec.Beside, Model: spec.Model, ChosenModel: spec.Model, Args: spec.Given, Account: spec.Account, ResumeAfterLimit: spec.Resume, Priority: spec.Priority, Unwalled: spec.Unwalled}
	s.takeRun()
	if err := s.start(resume, false); err != nil {
		return nil, err
	}
	return s.begun(api.EventSessionCreated, "created: "), nil
}

// begun publishes that a process runs. Its evidence dates from before the launch: the
// process may have called hooks before its host answers.
func (s *session) begun(eventType, verb string) <-chan error {
	e := api.Evidence{Source: api.SourceProcess, At: s.fold.Since, Name: state.EvidenceStarted, Detail: fmt.Sprintf("pid %d", s.cur.PID)}
	return s.weigh(e, change{always: true, event: s.createdEvent(eventType, verb)})
}

// createdEvent is the event about the start of the session's process.
func (s *session) createdEvent(eventType, verb string) *api.Event {
	argv := redact.Args(s.cur.Argv)
	line := agents.Visible(strings.Join(argv, " "), 200)
	data, _ := json.Marshal(api.SessionBegan{Name: s.cur.Name, Agent: s.cur.Agent, CWD: s.cur.CWD, Argv: argv, Sandbox: s.cur.Sandbox}) // cannot fail
	if lacks := s.cur.Sandbox.Lacks(); lacks != "" {
		line += " — " + lacks
	}
	if s.cur.Unwalled != "" {
		line += " — without a sandbox: " + s.cur.Unwalled
	}
	if s.spec.Wished != "" {
		line += " — the project's .ccdir.toml asks for the sandbox " + s.spec.Wished + ", which lets more through than what it has: --sandbox " + s.spec.Wished + " takes that"
	}
	return &api.Event{Type: eventType, Source: "daemon", Message: verb + line, Data: data}
}

// start launches a host for the session's spec. It runs in the actor and blocks it, so that
// hooks of the new process are weighed after its start. again: remove the files of the
// previous process, once it is clear that there is something to start.
func (s *session) start(resume string, again bool) error {
	ctx := s.ctx
	token, ticket := secret(), secret()
	cmd, plan, err := s.prepare(ctx, resume, s.environment(token))
	if err != nil {
		return err
	}
	if again {
		if err := errors.Join(os.MkdirAll(s.dir, 0o700), adopt.ClearStart(s.dir)); err != nil {
			return fmt.Errorf("cannot remove the files of the previous process: %w", err)
		}
	}
	if err := atomicfile.Write(filepath.Join(s.dir, paths.TokenFile), []byte(token)); err != nil {
		return fmt.Errorf("cannot write the session's files: %w", err)
	}
	walls, err := s.raise(plan, &cmd)
	if err != nil {
		return err
	}
	if err := errors.Join(s.r.saveLoss(s.dir, s.onLoss(s.spec.CWD)), saveControl(s.dir, cmd.Control)); err != nil {
		return fmt.Errorf("cannot write the session's files: %w", err)
	}
	s.tellAll(func(v *shared) { v.version = s.spec.Version })
	cfg := s.r.o.Config()
	hostSpec := wire.HostSpec{
		Session: s.id, Dir: s.dir, Socket: s.r.o.Paths.HostSocket(s.id), Ticket: ticket,
		Argv: cmd.Argv, Env: cmd.Env, CWD: s.spec.CWD, Cols: s.spec.Cols, Rows: s.spec.Rows,
		Scrollback: s.spec.Scrollback, RingBytes: cfg.RingBytes, Engine: cfg.Engine,
		KittyKeyboard: cfg.KittyKeyboard, NoProgramStatus: s.spec.NoStatus(), Version: api.Version,
		Light: cfg.LightTheme(),
		Yours: cfg.ShellsAreYours && s.spec.Plain(),
	}
	if walls.host {
		hostSpec.Wall = walls.file
	}
	if walls.network {
		hostSpec.Network = walls.file
	}
	if s.r.o.Paths.Home != "" { // else the runtime directory is the user's own: see Paths.Runtime
		hostSpec.Lock = s.r.o.Paths.LockFile()
	}
	s.tellAll(func(v *shared) { v.token = token })
	s.reset(s.r.now())
	s.lacksTools = cfg.MCP.Enabled
	s.r.pause(PausePrepared)
	ready, err := s.r.o.Launcher.Launch(ctx, hostSpec)
	var known *api.Error
	if errors.As(err, &known) {
		return known
	}
	if err != nil {
		return &api.Error{Code: api.CodeInvalid, Message: "cannot start " + agents.Cut(cmd.Argv[0], 200) + ": " + err.Error() + hint.Of(err)}
	}
	if hostSpec.Wall != "" && !ready.Walled { // a shim of an earlier version
		process.KillGroup(ready.PID, process.KILL)
		return api.Errorf(api.CodeInvalid, "ccdir-shim is too old to hold a sandbox: install ccdir and ccdir-shim together")
	}
	hf, err := adopt.ReadHost(s.dir)
	if err != nil {
		process.KillGroup(ready.PID, process.KILL)
		return fmt.Errorf("the host left no host.json: %w", err)
	}
	s.cur.Argv, s.cur.PID, s.cur.HostPID, s.cur.HostVersion = cmd.Argv, ready.PID, hf.PID, hf.Version
	s.cur.Cols, s.cur.Rows = s.spec.Cols, s.spec.Rows
	s.cur.Conversation, s.cur.PermissionMode, s.cur.Unguarded = cmd.Conversation, cmd.Mode, cmd.Unguarded
	s.cur.Sandbox = walls.state
	s.talked = resume != ""
	s.connectHost(hf)
	s.r.pause(PauseLaunched)
	return nil
}

// environment is the process's environment: the caller's, cleaned, and ccdir's variables.
func (s *session) environment(token string) []string {
	p := s.r.o.Paths
	env := agents.TerminalEnv(s.spec.Env, api.Version)
	env = agents.SetEnv(env, api.EnvSession+"="+s.id, api.EnvToken+"="+token,
		api.EnvSocket+"="+p.Socket(), api.EnvDir+"="+s.dir, "PWD="+s.spec.CWD)
	if effect := s.onLoss(s.spec.CWD); effect != api.EffectNone {
		env = agents.SetEnv(env, api.EnvOnLoss+"="+effect)
	}
	if p.Home != "" {
		env = agents.SetEnv(env, api.EnvHome+"="+p.Home)
	}
	return env
}

// prepare finds the executable, resolves the session's profile and has the adapter build the command line.
func (s *session) prepare(ctx context.Context, resume string, env []string) (agents.Launch, sandbox.Plan, error) {
	spec, command, version, cfg := s.spec, s.spec.Command, "", s.r.o.Config()
	if command != "" {
		path, err := agents.FindExecutable(command, spec.CWD, env)
		if err != nil {
			return agents.Launch{}, sandbox.Plan{}, noExecutable(spec, err)
		}
		command = path
		if _, ok := s.adapter.(agents.Described); ok {
			version = s.r.versions.Of(ctx, path, env)
		}
	}
	if version != s.spec.Version {
		s.spec.Version = version
		if err := s.saveSpec(); err != nil {
			return agents.Launch{}, sandbox.Plan{}, fmt.Errorf("cannot write the session's files: %w", err)
		}
	}
	plan, err := s.walled(ctx, command, env)
	if err != nil {
		return agents.Launch{}, plan, err
	}
	cmd, err := s.prepareRun(agents.Start{Session: s.id, Name: spec.Name, Dir: s.dir, CWD: spec.CWD,
		Command: command, Args: spec.Args, Model: spec.Model, Env: env, Shim: s.r.o.Shim, Resume: cmp.Or(resume, spec.ForkOf), Fork: resume == "" && spec.ForkOf != "", Fresh: spec.Fresh, Version: version, Walled: plan.Complete(),
		NoContinue: spec.Run != nil || s.resumes() == api.ResumeOn,
		MCP:        cfg.MCP.Enabled, Preapproved: api.ExpandTools(cfg.MCP.Preapproved)})
	if err != nil {
		if code := api.CodeOf(err); code != api.CodeInternal {
			return cmd, plan, err
		}
		return cmd, plan, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	if cmd.Argv[0], err = agents.FindExecutable(cmd.Argv[0], spec.CWD, env); err != nil {
		return cmd, plan, noExecutable(spec, err)
	}
	if command == "" && plan.Profile != "" { // a shell that the adapter has chosen
		plan, err = s.walled(ctx, cmd.Argv[0], env)
	}
	return cmd, plan, err
}

// noExecutable is the error of a command that is not there; of an agent's own it says how to
// install the agent.
func noExecutable(spec launch.Spec, err error) error {
	message := err.Error()
	if hint := agents.InstallHint(spec.Kind); hint != "" && !spec.Custom {
		message = fmt.Sprintf("%s is not installed: %s; or try the agent demo", spec.Kind, hint)
	}
	return &api.Error{Code: api.CodeNoAgent, Message: message}
}

// secret is 32 random bytes in hexadecimal.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
