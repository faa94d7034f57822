package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Kinds of adapters.
const (
	KindClaude   = "claude"
	KindCodex    = "codex"
	KindGemini   = "gemini"
	KindOpencode = "opencode"
	KindShell    = "shell"
	KindDemo     = "demo"
	KindGeneric  = "generic"
)

// FindExecutable resolves a command as a shell would: a name with a slash is relative
// to cwd, any other is looked up in env's PATH. The result is absolute. The error says
// what was searched and what to do.
func FindExecutable(command, cwd string, env []string) (string, error) {
	if command == "" {
		return "", errors.New("no command is given")
	}
	if strings.ContainsRune(command, '/') {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		if err := executable(path); err != nil {
			return "", fmt.Errorf("cannot run %s: %w", path, err)
		}
		return path, nil
	}
	var denied error
	for _, dir := range filepath.SplitList(Getenv(env, "PATH")) {
		if dir == "" {
			dir = "."
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		path := filepath.Join(dir, command)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = fmt.Errorf("cannot run %s: %w", path, err)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("%s is not in PATH: install it, or set its command in config.toml", command)
}

// executable returns why path cannot be executed.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return errors.Unwrap(err)
	case info.IsDir():
		return errors.New("is a directory")
	case info.Mode().Perm()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// installs are what installs the agent of a kind.
var installs = map[string]string{
	KindClaude:   "install Claude Code (npm install -g @anthropic-ai/claude-code), or set command in config.toml",
	KindCodex:    "install Codex (npm install -g @openai/codex), or set command in config.toml",
	KindGemini:   "install Gemini CLI (npm install -g @google/gemini-cli), or set command in config.toml",
	KindOpencode: "install opencode (npm install -g opencode-ai), or set command in config.toml",
}

// InstallHint says how to install the agent of that kind, "" if it needs no
// installation.
func InstallHint(kind string) string { return installs[kind] }
