package codex

import (
	"errors"
	"path/filepath"
	"strings"

	"ccdir/agents"
)

// HomeEnv is CODEX_HOME, which has sign-in, settings and conversations.
func (Adapter) HomeEnv(dir string) []string { return []string{"CODEX_HOME=" + dir} }

// CopyConversation copies the rollout to the same day of the other home, which suffices to resume
// it (0.169.0).
func (Adapter) CopyConversation(c agents.Conversation, env []string) (kept string, err error) {
	home, to := codexHome(c.Env), codexHome(env)
	if !conversationID().MatchString(c.ID) || home == "" || to == "" {
		return "", errors.New("where Codex keeps the conversation is not known: set HOME or CODEX_HOME to an absolute path")
	}
	from := findRollout(home, c.ID)
	if from == "" {
		return "", errors.New("Codex has no file of the conversation in " + home + ": give the session a prompt first")
	}
	if err := agents.CopyGrown(from, filepath.Join(to, strings.TrimPrefix(from, home+"/"))); err != nil {
		return "", err
	}
	return "the conversation went along; the other account's history of prompts did not", nil
}

// SettingsIn implements agents.Settled.
func (Adapter) SettingsIn(getenv func(string) string) []string {
	return agents.Below(getenv("CODEX_HOME"), "")
}
