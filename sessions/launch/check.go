package launch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/text/textsafe"
	"ccdir/sessions/login"

	"golang.org/x/sys/unix"
)

// Limits of a request for a new session.
const (
	maxSize     = 1000 // columns and rows
	maxArgs     = 4096
	defaultCols = 80
	defaultRows = 24
)

// MaxPrompt bounds a prompt, in bytes, MaxName a session's name, in runes.
const (
	MaxPrompt = 1 << 20
	MaxName   = 64
)

// SpecOf checks a request for a new session and fills in the configuration. The spec has
// no id and, unless the request names it, no name yet. It may block for git.
func SpecOf(ctx context.Context, cfg config.Config, n api.NewSession, task bool, now time.Time) (Spec, agents.Adapter, error) {
	spec := Spec{Name: n.Name, Agent: n.Agent, CWD: n.CWD, Cols: n.Cols, Rows: n.Rows, Scrollback: n.Scrollback, Created: now, Parent: n.Parent, Request: n.Request, Beside: n.Beside}
	if n.Name != "" {
		if err := CheckName(n.Name); err != nil {
			return spec, nil, err
		}
	}
	if spec.Role = n.Role; spec.Role == "" {
		spec.Role = roleFor(ctx, cfg, n.CWD)
	}
	if !api.ValidRole(spec.Role) {
		return spec, nil, BadRole(spec.Role)
	}
	if spec.Cols == 0 && spec.Rows == 0 {
		spec.Cols, spec.Rows = defaultCols, defaultRows
	}
	if err := CheckSize(spec.Cols, spec.Rows); err != nil {
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
	if spec.Resume = n.ResumeAfterLimit; spec.Resume != "" && !slices.Contains(api.ResumeModes, spec.Resume) {
		return spec, nil, api.Errorf(api.CodeInvalid, "resume_after_limit %.20q is unknown: on, own, ask or off", string(spec.Resume))
	}
	if err := CheckConversation(n.Resume); err != nil {
		return spec, nil, err
	}
	if len(n.Prompt) > MaxPrompt {
		return spec, nil, api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", MaxPrompt)
	}
	if len(n.Argv)+len(n.Args) > maxArgs {
		return spec, nil, api.Errorf(api.CodeInvalid, "more than %d arguments", maxArgs)
	}
	if len(n.Argv) > 0 && (len(n.Args) > 0 || n.Model != "") {
		return spec, nil, api.Errorf(api.CodeInvalid, "args and model are an agent's: a command has its arguments in argv")
	}
	adapter, err := spec.takeAgent(cfg, n)
	if err == nil {
		err = spec.takeSandbox(ctx, cfg, n, task)
	}
	return spec, adapter, err
}

// takeAgent sets command, arguments and environment.
func (spec *Spec) takeAgent(cfg config.Config, n api.NewSession) (agents.Adapter, error) {
	var agent config.Agent
	switch {
	case n.Agent == "" && len(n.Argv) > 0:
		spec.Agent, agent = config.CommandAgent, config.Agent{Kind: agents.KindGeneric, Env: cfg.Command.Env}
	default:
		if spec.Agent == "" {
			spec.Agent = cfg.DefaultAgent
		}
		known := false
		if agent, known = cfg.Agents[spec.Agent]; !known {
			return nil, api.Errorf(api.CodeNoAgent, "no agent is called %q: there are %s; add it to config.toml",
				textsafe.Cut(spec.Agent, 64), strings.Join(cfg.AgentNames(), ", "))
		}
	}
	adapter, ok := adapters.Lookup(agent.Kind)
	if !ok {
		return nil, api.Errorf(api.CodeNoAgent, "agent %q has the unknown kind %q: correct it in config.toml", spec.Agent, agent.Kind)
	}
	spec.Kind, spec.Command, spec.Args = agent.Kind, agent.Command, agent.Args
	if len(n.Argv) > 0 {
		if n.Argv[0] == "" {
			return nil, api.Errorf(api.CodeInvalid, "the command is empty")
		}
		spec.Command, spec.Args, spec.Custom = n.Argv[0], n.Argv[1:], true
	}
	spec.Given, spec.Model = n.Args, n.Model
	spec.Args = slices.Concat(spec.Args, n.Args)
	for _, s := range append([]string{spec.Command}, spec.Args...) {
		if strings.ContainsRune(s, 0) {
			return nil, api.Errorf(api.CodeInvalid, "an argument contains a NUL byte")
		}
	}
	env := agents.CleanEnv(n.Env)
	spec.LoginDisplay = true
	for _, k := range slices.Sorted(maps.Keys(agent.Env)) {
		env = agents.SetEnv(env, k+"="+agent.Env[k])
		spec.LoginDisplay = spec.LoginDisplay && !login.IsDisplay(k)
	}
	signedIn, err := accountEnv(cfg, adapter, n.Account)
	if err != nil {
		return nil, err
	}
	own := said(signedIn, env)
	env = agents.SetEnv(env, signedIn...)
	for _, kv := range n.ExtraEnv {
		if i := strings.IndexByte(kv, '='); i <= 0 || strings.ContainsRune(kv, 0) {
			return nil, api.Errorf(api.CodeInvalid, "-e wants NAME=VALUE, found %q", textsafe.Cut(kv, 64))
		}
		env = agents.SetEnv(env, kv)
		spec.LoginDisplay = spec.LoginDisplay && !login.IsDisplay(kv)
	}
	if spec.Env, spec.Account = env, accountIn(cfg, adapter, n.Account, env); spec.Account == n.Account {
		spec.Own = own
	}
	return adapter, CheckModel(adapter, spec.Agent, spec.Model)
}

// maxModel bounds a model's name, in bytes.
const maxModel = 128

// CheckModel returns why an agent cannot have a model. The name becomes an argument of the
// agent, which must not mistake it for an option.
func CheckModel(adapter agents.Adapter, agent, model string) error {
	_, chooses := adapter.(agents.ModelChooser)
	switch {
	case model == "":
		return nil
	case !chooses:
		return api.Errorf(api.CodeInvalid, "the model of the agent %s cannot be chosen: leave it out", textsafe.Cut(agent, 64))
	case strings.HasPrefix(model, "-"), len(model) > maxModel, !utf8.ValidString(model), strings.ContainsFunc(model, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return api.Errorf(api.CodeInvalid, "%q is not the name of a model", textsafe.Cut(model, 64))
	}
	return nil
}

// CheckName returns what is wrong with a session's name.
func CheckName(name string) error {
	if utf8.RuneCountInString(name) > MaxName || !utf8.ValidString(name) {
		return api.Errorf(api.CodeInvalid, "a session's name has at most %d characters", MaxName)
	}
	for i, r := range name {
		good := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || strings.ContainsRune("-_.+@:", r)
		if !good || i == 0 && (r == '-' || r == '.') {
			return api.Errorf(api.CodeInvalid, "a session's name has letters, digits and - _ . + @ :, and begins with neither - nor . (found %q)", textsafe.Cut(name, MaxName))
		}
	}
	if name == "" {
		return api.Errorf(api.CodeInvalid, "the name is empty")
	}
	return nil
}

// CheckSize returns what is wrong with a terminal's size.
func CheckSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > maxSize || rows > maxSize {
		return api.Errorf(api.CodeInvalid, "a size of %dx%d is not possible: give 1x1 to %dx%d", cols, rows, maxSize, maxSize)
	}
	return nil
}

// CheckDir returns why a session cannot start in a directory.
func CheckDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return api.Errorf(api.CodeInvalid, "the directory %q is not absolute", textsafe.Cut(dir, 200))
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.Errorf(api.CodeInvalid, "the directory %s does not exist: create it or name another", textsafe.Cut(dir, 200))
	case err != nil:
		return api.Errorf(api.CodeInvalid, "cannot use the directory %s: %v", textsafe.Cut(dir, 200), errors.Unwrap(err))
	case !info.IsDir():
		return api.Errorf(api.CodeInvalid, "%s is not a directory: name one", textsafe.Cut(dir, 200))
	}
	if err := unix.Access(dir, unix.R_OK|unix.X_OK); err != nil {
		return api.Errorf(api.CodeInvalid, "cannot read the directory %s (%v): change its mode or name another", textsafe.Cut(dir, 200), err)
	}
	return nil
}

// maxConversation bounds a conversation's id, in bytes.
const maxConversation = 256

// CheckConversation returns why an id cannot name a conversation. The id becomes an
// argument of the agent, which must not mistake it for an option.
func CheckConversation(id string) error {
	if strings.HasPrefix(id, "-") || len(id) > maxConversation || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return api.Errorf(api.CodeInvalid, "%q is not the id of a conversation: `ccdir ls --json` and `ccdir history --json` list them", textsafe.Cut(id, 64))
	}
	return nil
}

// BadRole is the error of a role whose name is not allowed.
func BadRole(role string) error {
	return api.Errorf(api.CodeInvalid, "a role is 1 to 32 lower-case letters, digits, - and _, and not %q; found %.40q", api.RoleGuest, role)
}
