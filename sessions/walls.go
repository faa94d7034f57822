package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
	"ccdir/sandbox"
	"ccdir/sandbox/place"
	"ccdir/sandbox/wall"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// walls are those of one start.
type walls struct {
	// file has the plan; "" for no walls. host: the host raises them; otherwise the command line
	// does. network: the host lets the hosts of the plan's list through.
	file    string
	host    bool
	network bool
	state   *api.Sandbox
}

// walled resolves the session's profile for a command; in the actor. The zero plan is none. A plan that this machine holds in
// part is refused for tasks, for reviewers and where the configuration is strict, and one that nothing holds always.
func (s *session) walled(ctx context.Context, command string, env []string) (plan sandbox.Plan, err error) {
	if s.spec.Sandbox == "" {
		return plan, nil
	}
	plan, err = s.plan(ctx, command, env)
	if s.spec.SandboxTried {
		s.spec.SandboxTried = false // what had walls once has them at every start
		if s.spec.Unwalled = s.whyNot(ctx, plan, err); s.spec.Unwalled != "" {
			s.spec.Sandbox = ""
		}
		s.cur.Unwalled = s.spec.Unwalled
		if err := s.saveSpec(); err != nil || s.spec.Sandbox == "" {
			return sandbox.Plan{}, err
		}
	}
	if err != nil {
		return plan, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	if strict := s.spec.Run != nil || s.spec.Role == api.RoleReviewer || s.r.o.Config().Sandbox.Strict; plan.Mechanism == "" || strict && !plan.Complete() {
		return plan, api.Errorf(api.CodeInvalid, "%s: `ccdir doctor` says what would help; --sandbox none goes without", stateOf(plan, nil).Lacks())
	}
	return plan, nil
}

// whyNot is why a profile that nobody has named is not put around the session, "" if it is: it is not held whole, or the walls
// hide what its work is known to need. err is that of its plan.
func (s *session) whyNot(ctx context.Context, plan sandbox.Plan, err error) string {
	switch w, ok := s.adapter.(agents.Walled); {
	case err != nil:
		return err.Error()
	case !plan.Complete():
		return stateOf(plan, nil).Lacks()
	case plan.Tree && !plan.Git.Linked():
		return "it does not run in a linked work tree (-w BRANCH)"
	case ok && w.Needs(s.spec.Env, s.dir).Unsure != "":
		return "the sandbox " + plan.Profile + " hides " + w.Needs(s.spec.Env, s.dir).Unsure
	}
	if plan.Tree && place.Signs(ctx, s.spec.CWD) {
		return "the sandbox " + plan.Profile + " hides the keys with which commits are signed here (commit.gpgsign)"
	}
	return ""
}

// NeedsWalls is the profile that a task on texts of anybody is to name: "" where one is named or configured, or no walls are.
// An error says why this machine does not hold it.
func (r *Registry) NeedsWalls(ctx context.Context, n api.NewTask) (string, error) {
	if n.Sandbox != "" || launch.SandboxFor(ctx, r.o.Config(), n.Role, n.CWD, true) != "" {
		return "", nil
	}
	if able := r.able(ctx); !able.Bubblewrap {
		return "", errors.New(cmp.Or(able.Why, "bubblewrap does not work here"))
	}
	return sandbox.Worktree, nil
}

// stateOf is what sessions tell of a plan, and of what the person lets through besides.
func stateOf(plan sandbox.Plan, allowed []string) *api.Sandbox {
	return &api.Sandbox{Name: plan.Profile, Mechanism: plan.Mechanism, Network: plan.Network, Hosts: plan.Hosts, Allowed: slices.Clone(allowed), Complete: plan.Complete(), Missing: plan.Missing}
}

// raise writes the plan of the session's walls and says who raises them; in the actor.
func (s *session) raise(plan sandbox.Plan, cmd *agents.Launch) (w walls, err error) {
	if plan.Profile == "" {
		return w, nil
	}
	if plan.Network != sandbox.NetworkAll && cmd.Control.Network == "tcp" {
		return w, api.Errorf(api.CodeInvalid, "ccdir knows what %s does by a port of this machine, which the sandbox %s closes: choose a profile with network = \"all\"", s.cur.Agent, plan.Profile)
	}
	w.state = stateOf(plan, s.spec.Allowed)
	data, err := json.Marshal(plan)
	if err != nil {
		return w, err
	}
	w.file, w.network = s.wallFile(), plan.Proxy != ""
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

// plan resolves the session's profile for a command, "" for one that is not known yet.
func (s *session) plan(ctx context.Context, command string, env []string) (plan sandbox.Plan, err error) {
	profile, err := sandbox.Find(s.spec.Sandbox, s.r.o.Config().Sandbox.Profiles)
	if err != nil {
		return plan, err
	}
	at, err := place.Of(ctx, s.spec.CWD, command, env, s.spec.Git)
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
	s.lay(&at)
	if plan, err = sandbox.Make(profile, at); err != nil {
		return plan, err
	}
	if plan = plan.For(s.r.able(ctx), ""); plan.Mechanism != "" {
		plan.Missing = append(plan.Missing, wall.Unheld(plan)...)
	}
	if plan.Network == sandbox.NetworkHosts && plan.Mechanism != sandbox.SandboxExec {
		plan.Proxy = filepath.Join(s.dir, paths.NetworkSocket)
	}
	return plan, nil
}

// lay completes a place with what is ccdir's and the session's.
func (s *session) lay(at *sandbox.Place) {
	p := s.r.o.Paths
	at.Allowed = s.spec.Allowed
	at.Private = filepath.Join(s.dir, paths.PrivateDir)
	at.Own = sandbox.Own{Hide: []string{p.State, p.Config}, Sockets: []string{p.Runtime}, Write: []string{filepath.Join(s.dir, paths.SpoolDir)}, Read: []string{s.r.o.Shim}}
	if real, err := filepath.EvalSymlinks(s.r.o.Shim); err == nil {
		at.Own.Read = append(at.Own.Read, real)
	}
	for _, name := range []string{paths.HookConfig, paths.MCPConfig, paths.LossFile} {
		at.Own.Read = append(at.Own.Read, filepath.Join(s.dir, name))
	}
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
	if plan, ok := s.planNow(); ok {
		w.Hides = slices.ContainsFunc(plan.Hidden, func(path string) bool { return sandbox.Within(path, s.spec.CWD) })
	}
	return w
}

// planNow is the plan of the process that runs; ok is false if it cannot be read.
func (s *session) planNow() (plan sandbox.Plan, ok bool) {
	data, err := os.ReadFile(s.wallFile())
	return plan, err == nil && json.Unmarshal(data, &plan) == nil
}

// AllowInSandbox lets a path or a host through the walls of one session. A host of a network with a list
// is reached at once; the rest holds from the next start on, which Session.Sandbox.Waiting tells.
func (r *Registry) AllowInSandbox(ctx context.Context, ref, what, client string, call api.Call) (api.Session, error) {
	return r.amend(ctx, ref, call, "sandbox lets through: "+what, func(s *session, c api.Caller) (bool, error) {
		plan, ok := s.planNow()
		if s.cur.Sandbox == nil || !ok {
			return false, api.Errorf(api.CodeConflict, "session %s has no walls: everything is let through", s.cur.Name)
		}
		at := sandbox.Place{Home: plan.Home}
		s.lay(&at)
		text, err := sandbox.Allowed(what, at)
		if err != nil {
			return false, api.Errorf(api.CodeInvalid, "%v", err)
		}
		path := filepath.IsAbs(text)
		if slices.Contains(s.spec.Allowed, text) {
			return false, nil
		}
		if !path && plan.Network == sandbox.NetworkAll {
			return false, api.Errorf(api.CodeConflict, "session %s reaches every host already", s.cur.Name)
		}
		if len(s.spec.Allowed) >= maxAllowed {
			return false, api.Errorf(api.CodeLimit, "%d paths and hosts are allowed already: write a profile of your own", maxAllowed)
		}
		if r.o.Policy != nil {
			if err := r.o.Policy.SetSandbox(c, text, client, call); err != nil {
				return false, err
			}
		}
		s.spec.Allowed = append(slices.Clone(s.spec.Allowed), text)
		if err := s.saveSpec(); err != nil {
			return false, err
		}
		now := *s.cur.Sandbox
		now.Allowed = s.spec.Allowed
		if !path && plan.Proxy != "" && len(sandbox.Forwards([]string{text})) == 0 {
			plan.Hosts = append(plan.Hosts, text)
			data, err := json.Marshal(plan)
			if err == nil {
				err = atomicfile.Write(s.wallFile(), data)
			}
			if err != nil {
				return false, err
			}
			now.Hosts = plan.Hosts
		} else {
			now.Waiting = append(slices.Clone(now.Waiting), text)
		}
		s.cur.Sandbox = &now
		return true, nil
	})
}

// maxAllowed bounds what a person lets through for one session.
const maxAllowed = 64

// wallRefuses says that the session's walls are going to refuse a call of a tool, and how to let it
// through; "" if they do not, or if that is not certain.
func (s *session) wallRefuses(c api.Caller, tool string, input json.RawMessage) string {
	write := false
	switch tool {
	case api.ToolEdit, api.ToolMultiEdit, api.ToolNotebookEdit, api.ToolWrite:
		write = true
	case api.ToolRead, api.ToolNotebookRead:
	default:
		return ""
	}
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	if s.spec.Sandbox == "" || json.Unmarshal(input, &in) != nil {
		return ""
	}
	path := cmp.Or(in.File, in.Notebook)
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.CWD, path)
	}
	plan, ok := s.planNow()
	if !ok {
		return ""
	}
	says := plan.Refuses(filepath.Clean(path), write)
	if says == "" {
		return ""
	}
	return agents.Visible("the session's sandbox "+plan.Profile+" "+says+": the person can allow it with `ccdir sandbox allow "+c.Name+" "+filepath.Clean(path)+"`", agents.MaxField)
}

// notLet publishes that the walls did not let a host through; in the actor.
func (s *session) notLet(h wire.Evidence) {
	count, err := strconv.Atoi(h.Fields["count"])
	if err != nil || s.cur.Sandbox == nil {
		return
	}
	r := api.SandboxRefusal{Sandbox: s.cur.Sandbox.Name, Host: agents.Visible(h.Fields["host"], agents.MaxField), Count: count}
	s.refused(r, h.At, r.Host)
}

// refused publishes a refusal; in the actor.
func (s *session) refused(r api.SandboxRefusal, at time.Time, what string) {
	data, _ := json.Marshal(r) // cannot fail
	s.publish(change{event: &api.Event{Type: api.EventSandboxRefused, Source: "sandbox", At: at, Message: "sandbox " + r.Sandbox + ": " + what, Data: data}}, false)
}

// wallWords are what programs print of calls that walls refuse, with what stands before on the line.
// Others print it for other reasons, too.
var wallWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\n"\\]{0,160}(?:Read-only file system|Permission denied|Operation not permitted|EROFS|EACCES|EPERM|read-only file system|permission denied|operation not permitted|is not there behind the sandbox|runs behind a sandbox|Network is unreachable|403 Forbidden by the sandbox|ENETUNREACH)[^\n"\\]{0,80}`)
})

// wallSays is the part of a tool's result that reads as a wall's refusal; "" for none.
func wallSays(h agents.Hook) string {
	if h.Evidence.Kind != api.KindToolEnds && h.Evidence.Kind != api.KindToolFails {
		return ""
	}
	return strings.TrimSpace(textsafe.Line(string(wallWords().Find(bytes.ReplaceAll(h.Data, []byte(`\n`), []byte("\n"))))))
}

// noteRefusal publishes that a tool's result reads as a wall's refusal; in the actor.
func (s *session) noteRefusal(h agents.Hook) {
	if s.cur.Sandbox == nil {
		return
	}
	if says := wallSays(h); says != "" {
		s.refused(api.SandboxRefusal{Sandbox: s.cur.Sandbox.Name, Count: 1, Tool: agents.Visible(h.Tool, agents.MaxField), Says: says}, h.Evidence.At, agents.Visible(h.Tool, agents.MaxField)+": "+says)
	}
}
