package agents

import (
	"runtime"
	"slices"
	"strings"

	"ccdir/internal/gitstatus"
)

// Getenv returns the value of the last entry for key, "" if there is none.
func Getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// SetEnv returns env with the K=V pairs in place of earlier entries for the
// same keys. env itself is not changed.
func SetEnv(env []string, pairs ...string) []string {
	drop := map[string]bool{}
	for _, p := range pairs {
		k, _, _ := strings.Cut(p, "=")
		drop[k] = true
	}
	out := make([]string, 0, len(env)+len(pairs))
	for _, kv := range env {
		if k, _, _ := strings.Cut(kv, "="); !drop[k] {
			out = append(out, kv)
		}
	}
	return append(out, pairs...)
}

// dropped are variables that describe the caller's terminal or session, not the new
// one.
var dropped = []string{
	"TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME",
	"KITTY_WINDOW_ID", "KITTY_PID", "KITTY_LISTEN_ON", "KITTY_PUBLIC_KEY", "KITTY_INSTALLATION_DIR",
	"VTE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "ITERM_SESSION_ID", "ITERM_PROFILE",
	"LC_TERMINAL", "LC_TERMINAL_VERSION", "WEZTERM_PANE", "WEZTERM_EXECUTABLE", "WEZTERM_UNIX_SOCKET",
	"ALACRITTY_WINDOW_ID", "ALACRITTY_SOCKET", "ALACRITTY_LOG", "GHOSTTY_RESOURCES_DIR", "GHOSTTY_BIN_DIR",
	"KONSOLE_VERSION", "KONSOLE_DBUS_SESSION", "KONSOLE_DBUS_WINDOW", "TERMINAL_EMULATOR", "TERM_SESSION_ID",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "WINDOWID", "COLUMNS", "LINES", "TERMCAP",
	"CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "AI_AGENT",
	"CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_VERSION", "CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT",
	"CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_SHELL", "CODEX_PERMISSION_PROFILE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_SESSION_ID", "GEMINI_CWD", "GEMINI_PROJECT_DIR", "GEMINI_PLANS_DIR",
	"OPENCODE", "OPENCODE_PID", "OPENCODE_CLIENT", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME", "AGENT",
	"CCDIR_SESSION", "CCDIR_TOKEN", "CCDIR_SOCKET", "CCDIR_DIR", "CCDIR_ON_DAEMON_LOSS",
}

// claudeSetting tells the CLAUDE_CODE_… variables that configure Claude Code from those
// with which a running one marks its children (2.1.329: CLAUDE_CODE_ENTRYPOINT,
// _SESSION_ID, _EXECPATH, _CHILD_SESSION, _CHILD_NOTES_DIR, _SESSION_ATTENDED,
// _MESSAGING_SOCKET, _MESSAGING_TOKEN). A user's sign-in and limits may depend on the
// first kind.
func claudeSetting(key string) bool {
	rest := strings.TrimPrefix(key, "CLAUDE_CODE_")
	for _, prefix := range []string{"USE_", "SKIP_", "DISABLE_", "ENABLE_", "MAX_", "CLIENT_", "OAUTH_TOKEN"} {
		if strings.HasPrefix(rest, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"API_KEY_HELPER_TTL_MS", "SHELL", "SHELL_PREFIX", "SUBAGENT_MODEL",
		// A conversation begun in Code Mode is resumed only with it.
		"EXPERIMENTAL_CODE_MODE", "EFFORT_LEVEL", "AUTO_COMPACT_WINDOW", "GIT_BASH_PATH", "PROXY_RESOLVES_HOSTS", "IDE_HOST_OVERRIDE"}, rest)
}

// CleanEnv returns the caller's environment without variables that a new session must
// not inherit: those of multiplexers and terminals, the repository that a hook of git
// concerns, and the marks that an agent CLI sets for its children. Entries without "=" are dropped, and of duplicate keys only
// the last is kept, since most programs read the first.
func CleanEnv(env []string) []string {
	last := make(map[string]int, len(env))
	for i, kv := range env {
		if k, _, ok := strings.Cut(kv, "="); ok && k != "" {
			last[k] = i
		}
	}
	_, inClaude := last["CLAUDECODE"]
	_, inCodex := last["CODEX_THREAD_ID"]
	_, inGemini := last["GEMINI_CLI"]
	out := make([]string, 0, len(env))
	for i, kv := range env {
		k, _, ok := strings.Cut(kv, "=")
		if !ok || k == "" || last[k] != i || strings.ContainsRune(kv, 0) || slices.Contains(dropped, k) || gitstatus.Local(k) {
			continue
		}
		if strings.HasPrefix(k, "CLAUDE_CODE_") && !claudeSetting(k) {
			continue
		}
		if inClaude && kv == "GIT_EDITOR=true" {
			continue // set for the children of Claude Code
		}
		if inCodex && kv == "GIT_PAGER=cat" {
			continue // set for the children of Codex
		}
		if inGemini && forGeminisTools(kv) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

// forGeminisTools reports whether Gemini CLI sets the variable for the commands that it runs,
// in place of the user's.
func forGeminisTools(kv string) bool {
	return slices.Contains([]string{"GIT_PAGER=cat", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_ASKPASS="}, kv) ||
		// The home of the session in which it runs, not the user's.
		strings.HasPrefix(kv, "GEMINI_CLI_HOME=") && strings.HasSuffix(kv, "/gemini-home")
}

// TerminalEnv returns env with the variables that describe our terminal. A locale that
// is not UTF-8 is replaced, since panes use UTF-8.
func TerminalEnv(env []string, version string) []string {
	env = SetEnv(env, "TERM=xterm-256color", "COLORTERM=truecolor",
		"TERM_PROGRAM=ccdir", "TERM_PROGRAM_VERSION="+version)
	// The first of these that is set decides (POSIX, section 8.2).
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := Getenv(env, key)
		if value == "" {
			continue
		}
		if isUTF8(value) {
			return env
		}
		return SetEnv(env, key+"="+defaultLocale)
	}
	return SetEnv(env, "LANG="+defaultLocale)
}

// defaultLocale is a locale that exists without being generated.
var defaultLocale = map[bool]string{true: "en_US.UTF-8", false: "C.UTF-8"}[runtime.GOOS == "darwin"]

func isUTF8(locale string) bool {
	l := strings.ToLower(locale)
	return strings.Contains(l, "utf-8") || strings.Contains(l, "utf8")
}
