package claude

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ccdir/agents"
)

// HomeEnv is CLAUDE_CONFIG_DIR: sign-in, settings, CLAUDE.md, conversations and history are below
// it (2.1.329); the settings of projects are read as always.
func (Adapter) HomeEnv(dir string) []string { return []string{"CLAUDE_CONFIG_DIR=" + dir} }

// CopyConversation copies the conversation's file and those of its subagents, by which the CLI
// resumes it in the same directory (2.1.329).
func (Adapter) CopyConversation(c agents.Conversation, env []string) (kept string, err error) {
	if !conversationID().MatchString(c.ID) {
		return "", errors.New("the conversation's id is not one of Claude Code")
	}
	from, to := c.Path, conversationFile(env, c.CWD, c.ID)
	if from == "" {
		from = conversationFile(c.Env, c.CWD, c.ID)
	}
	if !filepath.IsAbs(from) || !filepath.IsAbs(to) || filepath.Base(from) != c.ID+".jsonl" {
		return "", errors.New("where the conversation's file is is not known: give the session a prompt first")
	}
	if err := agents.CopyGrown(from, to); err != nil {
		return "", err
	}
	kept = "the conversation went along; what /rewind restores of files, and prompts of the other account's history, did not"
	nested := filepath.Join(strings.TrimSuffix(from, ".jsonl"), "subagents")
	files, err := os.ReadDir(nested)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	for _, f := range files {
		if f.Type().IsRegular() && strings.HasPrefix(f.Name(), "agent-") && err == nil {
			err = agents.CopyGrown(filepath.Join(nested, f.Name()), filepath.Join(strings.TrimSuffix(to, ".jsonl"), "subagents", f.Name()))
		}
	}
	if err != nil {
		kept = "the conversation went along, without what its subagents said (" + err.Error() + ")"
	}
	return kept, nil
}

// SettingsIn implements agents.Settled: memory and conversations lie there too, and are none.
func (Adapter) SettingsIn(getenv func(string) string) []string {
	return agents.Below(getenv("CLAUDE_CONFIG_DIR"), "settings.json", "settings.local.json", ".claude.json", "hooks", "plugins", "agents", "skills", "commands")
}
