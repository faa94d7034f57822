package opencode

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Adapter is the adapter of opencode.
type Adapter struct{}

// Kind returns KindOpencode.
func (Adapter) Kind() string { return agents.KindOpencode }

// Managed is true: the server's events report the state.
func (Adapter) Managed() bool { return true }

// Names of opencode's environment.
const (
	envPassword = "OPENCODE_SERVER_PASSWORD"
	envUser     = "OPENCODE_SERVER_USERNAME"
	envConfig   = "OPENCODE_CONFIG_CONTENT"
	loopback    = "127.0.0.1"
)

// Prepare chooses port and password, and adds our settings to the environment. The password
// is never on the command line, which other users can read.
func (Adapter) Prepare(s agents.Start) (agents.Launch, error) {
	launch, err := prepare(s, asked, gate{Reported: true})
	if err != nil {
		return launch, err
	}
	port, err := freePort()
	if err != nil {
		return launch, fmt.Errorf("no port is free for opencode's server: %w", err)
	}
	password := rand.Text() + rand.Text()
	launch.Env = agents.SetEnv(launch.Env, envPassword+"="+password, envUser+"="+user)
	launch.Argv = append(launch.Argv, "--hostname", loopback, "--port", strconv.Itoa(port))
	launch.Control = agents.Control{Network: "tcp", Address: net.JoinHostPort(loopback, strconv.Itoa(port)), Secret: password,
		Conversations: databasePath(s.Env)}
	switch {
	case s.Fork: // --fork would do it before ccdir can see the new conversation
		launch.Control.Fork = s.Resume
	case s.Resume != "":
		launch.Argv, launch.Conversation = append(launch.Argv, "--session", s.Resume), s.Resume
	}
	return launch, nil
}

// CanFork is true for every version that is known.
func (Adapter) CanFork(string) bool { return true }

// prepare makes the common part of a launch in a terminal and of a one-shot run, which asks for the
// permissions of asks. g says what else is particular to it.
func prepare(s agents.Start, asks []string, g gate) (agents.Launch, error) {
	if s.Command == "" {
		return agents.Launch{}, errors.New("opencode was not found: " + agents.InstallHint(agents.KindOpencode))
	}
	own := agents.Getenv(s.Env, envConfig)
	g.Asks = map[string]string{}
	if !answersItself(s.Args) {
		g.Asks = toolsOf(without(asks, fixed(own)))
	}
	plugin, err := gatePlugin(s, g)
	if err != nil {
		return agents.Launch{}, err
	}
	config, err := managedConfig(s, own, asks, plugin, g.Closed)
	if err != nil {
		return agents.Launch{}, err
	}
	argv := append([]string{s.Command}, s.Args...)
	if s.Model != "" {
		argv = append(argv, "--model", s.Model)
	}
	launch := agents.Launch{Argv: argv, Env: agents.SetEnv(s.Env, envConfig+"="+config)}
	if answersItself(s.Args) {
		launch.Mode = modeAuto
	}
	return launch, nil
}

// modeAuto is the permission mode in which opencode answers its requests by itself.
const modeAuto = "auto"

// answersItself reports whether the arguments have opencode answer its requests by itself.
func answersItself(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, value, _ := strings.Cut(arg, "=")
		return value != "false" && slices.Contains([]string{"--auto", "--yolo", "--dangerously-skip-permissions", "--dangerouslySkipPermissions"}, name)
	})
}

// without are the names but those of some.
func without(names, some []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(some, name) })
}

// freePort is a port that nobody listens on now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// asked are the permissions for which the server asks, so that the policy and people decide.
var asked = slices.Concat(changes, reads)

// changes are those of asked that a one-shot run needs the policy's word for, because nobody can be asked.
var changes = []string{"bash", "edit", "webfetch", folders}

// folders is the permission for folders other than the session's.
const folders = "external_directory"

// reads are those of asked about which opencode by itself asks nobody as a rule: where it would not,
// people are asked only if the policy says so (agents.Report.Unasked).
var reads = []string{"read", "grep", "glob", "list"}

// managedConfig is the configuration of one start, which opencode merges over the user's files:
// the one that the environment has, with our permissions, our plugin and our MCP server. Permissions
// that the environment's has stay; last is one that denies, "" for none.
func managedConfig(s agents.Start, own string, asks []string, plugin, last string) (string, error) {
	out := map[string]any{}
	if own != "" {
		if err := json.Unmarshal([]byte(own), &out); err != nil || out == nil {
			return "", fmt.Errorf("%s is not a JSON object: %w", envConfig, err)
		}
	}
	others, _ := out["plugin"].([]any)
	out["plugin"] = append(slices.Clip(others), plugin)
	word, all := out["permission"].(string)
	if all && last != "" {
		out["permission"] = map[string]any{"*": word}
	}
	if !all || last != "" {
		permission := objectIn(out, "permission")
		for _, name := range asks {
			if permission[name] == nil && !all {
				permission[lastKey(name)] = ask
			}
		}
		if s.MCP {
			for _, name := range s.Preapproved {
				permission[api.MCPServer+"_"+name] = allow
			}
		}
		text, err := behind(permission, last)
		if err != nil {
			return "", err
		}
		out["permission"] = text
	}
	if s.MCP {
		env := map[string]string{}
		for _, key := range []string{api.EnvSocket, api.EnvSession, api.EnvToken, api.EnvHome} {
			if v := agents.Getenv(s.Env, key); v != "" {
				env[key] = v
			}
		}
		objectIn(out, "mcp")[api.MCPServer] = map[string]any{"type": "local", "command": []string{s.Shim, "mcp"}, "environment": env,
			"enabled": true, "timeout": mcpTimeout.Milliseconds()}
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// behind is an object of permissions with one that denies behind all others; "" for none.
func behind(permission map[string]any, last string) (json.RawMessage, error) {
	text, err := json.Marshal(permission)
	if err != nil || last == "" {
		return text, err
	}
	text = text[:len(text)-1]
	if len(permission) > 0 {
		text = append(text, ',')
	}
	return fmt.Appendf(text, `%q:"deny"}`, last), nil
}

// lastKey is a pattern for the name of one permission, which stands behind all that the user's files
// have: opencode merges members in place, and the last that matches decides.
func lastKey(name string) string { return name[:len(name)-1] + "?" }

// fixed are the permissions of asked that a configuration allows, for some of their patterns at
// least, so that opencode does not always ask.
func fixed(config string) []string {
	var c struct {
		Permission json.RawMessage `json:"permission"`
	}
	if json.Unmarshal([]byte(config), &c) != nil || len(c.Permission) == 0 {
		return nil
	}
	var byName map[string]json.RawMessage
	if json.Unmarshal(c.Permission, &byName) != nil {
		if allows(c.Permission) {
			return asked
		}
		return nil
	}
	return slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return !allows(byName[name]) })
}

// allows reports whether a permission is "allow", or one of its patterns is.
func allows(permission json.RawMessage) bool {
	var word string
	var patterns map[string]string
	_ = json.Unmarshal(permission, &word) // it is the one or the other, or opencode refuses it
	_ = json.Unmarshal(permission, &patterns)
	return word == allow || slices.Contains(slices.Collect(maps.Values(patterns)), allow)
}

// mcpTimeout bounds a call of our server, longer than any tool takes.
const mcpTimeout = 65 * time.Minute

// objectIn is a copy of the object at a key, which it puts there; an empty one if there is
// none.
func objectIn(in map[string]any, key string) map[string]any {
	own, _ := in[key].(map[string]any)
	out := maps.Clone(own)
	if out == nil {
		out = map[string]any{}
	}
	in[key] = out
	return out
}

// Models are none to offer: they are those of the user's providers.
func (Adapter) Models() []string { return nil }

// KillPlan is a signal, at which opencode exits with 0, in a turn too. Ctrl-C would need an
// empty input, and a signal while it ends would kill it.
func (Adapter) KillPlan() agents.KillPlan { return agents.KillPlan{Signal: "TERM"} }

// echoTime bounds the wait until a pasted text is shown.
const echoTime = time.Second

// PromptSteps pastes the text and presses Enter, for what cannot be given over HTTP.
func (Adapter) PromptSteps(text string, leftover int) []agents.Step {
	var steps []agents.Step
	if leftover > 0 {
		steps = append(steps, agents.Step{Keys: slices.Repeat([]string{"C-u"}, min(2*leftover-1, 64))})
	}
	return append(steps, agents.Step{Paste: agents.PromptText(text)}, agents.Step{Echo: echoTime}, agents.Step{Keys: []string{"Enter"}})
}

// AckOf: prompts are reported as messages; commands of the terminal are not reported.
func (Adapter) AckOf(text string) agents.Ack {
	if command(text) {
		return agents.Ack{Working: true, Kinds: []api.EventKind{api.KindPrompt, api.KindConversationBegins}, Exit: strings.HasPrefix(text, "/exit"), Idle: true}
	}
	return agents.Ack{Prompt: true}
}

// command reports whether the text is for the terminal, which has commands and runs a shell.
func command(text string) bool { return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") }

// ReadySigns are none: the server's first event shows that the terminal is drawn.
func (Adapter) ReadySigns(string) agents.ReadySigns { return agents.ReadySigns{} }
