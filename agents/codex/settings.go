package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/tomltext"
)

// hookTable are the hooks that sessions subscribe to, with Codex's own name of each in its
// record of trust.
var hookTable = []struct{ name, key string }{
	{HookSessionStart, "session_start"},
	{HookSessionEnd, "session_end"},
	{HookUserPromptSubmit, "user_prompt_submit"},
	{HookStop, "stop"},
	{HookInterrupt, "interrupt"},
	{HookPreToolUse, "pre_tool_use"},
	{HookPostToolUse, "post_tool_use"},
	{HookPermissionRequest, "permission_request"},
	{HookSubagentStart, "subagent_start"},
	{HookSubagentStop, "subagent_stop"},
	{HookPreCompact, "pre_compact"},
	{HookPostCompact, "post_compact"},
}

// commandOf is the command line of a hook, and its timeout in the settings.
func commandOf(name, shim string) (command string, timeout time.Duration) {
	timeout, flags := api.HookTimeout, ""
	switch name {
	case HookSessionEnd, HookInterrupt:
		timeout = 3 * time.Second // more is cut, with a warning
	case HookPermissionRequest:
		timeout, flags = holdDialog+api.HookTimeout, api.HookHoldFlag+" "
	case HookPreToolUse:
		gate := agents.Gate{Shim: shim, Hook: name, Form: api.GateOutput, Limit: api.HookTimeoutTool}
		return gate.Command(), gate.Timeout()
	}
	return fmt.Sprintf("%s hook %s %s%s%d", agents.ShellQuote(shim), name, flags, api.HookTimeoutFlag, int(timeout/time.Second)), timeout
}

// hookSettings are the hooks, and their hashes, by which Codex trusts them without asking.
// Those of the user run beside them.
func hookSettings(shim string) []string {
	var settings, trusted []string
	for _, h := range hookTable {
		command, timeout := commandOf(h.name, shim)
		seconds := int(timeout / time.Second)
		settings = append(settings, fmt.Sprintf(`hooks.%s=[{hooks=[{type="command",command=%s,timeout=%d}]}]`, h.name, tomltext.Quote(command), seconds))
		trusted = append(trusted, fmt.Sprintf(`"/<session-flags>/config.toml:%s:0:0"={trusted_hash="sha256:%s"}`, h.key, trustHash(h.key, command, seconds)))
	}
	return append(settings, "hooks.state={"+strings.Join(trusted, ",")+"}")
}

// trustHash is Codex's fingerprint of a hook: that of a JSON object without blanks, its
// members sorted.
func trustHash(event, command string, seconds int) string {
	type hook struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Type    string `json:"type"`
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // texts and numbers: it cannot fail
		Event string `json:"event_name"`
		Hooks []hook `json:"hooks"`
	}{event, []hook{{Command: command, Timeout: seconds, Type: "command"}}})
	sum := sha256.Sum256(bytes.TrimRight(b.Bytes(), "\n"))
	return hex.EncodeToString(sum[:])
}

// mcpSetting is the configuration of our server. Codex gives it no other variables than
// those that are named here; their values stay out of the command line, which every user of
// the machine can read.
func mcpSetting(s agents.Start) string {
	vars := make([]string, 0, 4)
	for _, key := range []string{api.EnvSocket, api.EnvSession, api.EnvToken, api.EnvHome} {
		if agents.Getenv(s.Env, key) != "" {
			vars = append(vars, tomltext.Quote(key))
		}
	}
	tools := make([]string, 0, len(s.Preapproved))
	for _, name := range s.Preapproved {
		tools = append(tools, tomltext.Key(name)+`={approval_mode="approve"}`)
	}
	approved := ""
	if len(tools) > 0 {
		approved = ",tools={" + strings.Join(tools, ",") + "}"
	}
	return fmt.Sprintf(`mcp_servers.%s={command=%s,args=["mcp"],env_vars=[%s],tool_timeout_sec=%d%s}`,
		api.MCPServer, tomltext.Quote(s.Shim), strings.Join(vars, ","), int(mcpTimeout/time.Second), approved)
}

// mcpTimeout is the agent's limit for each call of our server (longer than any tool of ours
// takes).
const mcpTimeout = 65 * time.Minute

// trustSetting answers Codex's question whether a directory is trusted, which it would ask
// before anything reports its state: yes, if there is nothing to trust (settings, hooks and
// servers of a project are in .codex). Otherwise, or if the user has answered it, "".
func trustSetting(s agents.Start) string {
	home := codexHome(s.Env)
	if decided(userConfig(home), s.CWD) || hasSettings(s.CWD, home) {
		return ""
	}
	return "projects={" + tomltext.Quote(s.CWD) + `={trust_level="trusted"}}`
}

// hasSettings reports whether the directory or one around it has settings for Codex, besides
// the user's own.
func hasSettings(dir, home string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, ".codex"); path != home && !empty(path) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// empty reports whether there is nothing at a path, or an empty directory: such ones appear for
// the time of a command that a sandbox of Codex runs.
func empty(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil || !info.IsDir() {
		return false
	}
	dir, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = dir.Close() }()
	_, err = dir.Readdirnames(1)
	return errors.Is(err, io.EOF) || errors.Is(err, fs.ErrNotExist)
}

// codexHome is the directory of the user's settings and conversations, "" if unknown.
func codexHome(env []string) string {
	dir := agents.Getenv(env, "CODEX_HOME")
	if home := agents.Getenv(env, "HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".codex")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// maxConfig bounds the user's configuration, in bytes.
const maxConfig = 1 << 20

// userConfig is the user's config.toml; empty if it cannot be read.
func userConfig(home string) userSettings {
	data, err := untrusted.Read(filepath.Join(home, "config.toml"), maxConfig)
	if err != nil {
		return userSettings{}
	}
	return readConfig(string(data))
}

// userSettings are the user's settings that ccdir reads.
type userSettings struct {
	Projects map[string]struct {
		Trust string `toml:"trust_level"`
	} `toml:"projects"`
	// BaseURL is that of OpenAI's own provider, Providers are others.
	BaseURL   string `toml:"openai_base_url"`
	Providers map[string]struct {
		BaseURL string `toml:"base_url"`
	} `toml:"model_providers"`
}

func readConfig(text string) (config userSettings) {
	if tomltext.Unmarshal(text, &config) != nil {
		return userSettings{} // Codex says what is wrong with it
	}
	return config
}

// decided reports whether the user has answered for the directory, for one around it, or for
// the repository that it is a work tree of.
func decided(config userSettings, dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if config.Projects[dir].Trust != "" {
			return true
		}
		if main := mainRepository(dir); main != "" && config.Projects[main].Trust != "" {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// maxGitFile bounds the file .git of a work tree, in bytes.
const maxGitFile = 4 << 10

// mainRepository is the repository of which dir is a linked work tree, "" if it is none.
func mainRepository(dir string) string {
	path := filepath.Join(dir, ".git")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := untrusted.Read(path, maxGitFile)
	if err != nil {
		return ""
	}
	git, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(git) {
		git = filepath.Join(dir, git)
	}
	main, _, ok := strings.Cut(git, "/.git/worktrees/")
	if !ok {
		return ""
	}
	return main
}
