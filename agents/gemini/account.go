package gemini

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/agents"
)

// HomeEnv is GEMINI_CLI_HOME; Gemini CLI uses the folder .gemini below it.
func (Adapter) HomeEnv(dir string) []string { return []string{"GEMINI_CLI_HOME=" + dir} }

// CopyConversation copies the chat's file to the same folder of the other home, which suffices to
// resume it (0.61.0).
func (Adapter) CopyConversation(c agents.Conversation, env []string) (kept string, err error) {
	home, to := filepath.Join(userHome(c.Env), configDir), filepath.Join(userHome(env), configDir)
	if !conversationID().MatchString(c.ID) || !filepath.IsAbs(home) || !filepath.IsAbs(to) {
		return "", errors.New("where Gemini CLI keeps the conversation is not known: set HOME or GEMINI_CLI_HOME to an absolute path")
	}
	found, _ := filepath.Glob(filepath.Join(escape(home), "tmp", "*", "chats", "session-*-"+c.ID[:8]+".jsonl")) // fails for bad patterns only
	if len(found) == 0 {
		return "", errors.New("Gemini CLI has no file of the conversation in " + home + ": give the session a prompt first")
	}
	from := slices.Max(found)
	if err := agents.CopyGrown(from, filepath.Join(to, strings.TrimPrefix(from, home+"/"))); err != nil {
		return "", err
	}
	return "the conversation went along; checkpoints of files did not", nil
}

// SettingsIn implements agents.Settled. The folder below GEMINI_CLI_HOME has its usual name.
func (Adapter) SettingsIn(getenv func(string) string) (paths []string) {
	for _, key := range []string{envTrust, "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"} {
		paths = append(paths, agents.Below(getenv(key), "")...)
	}
	return paths
}
