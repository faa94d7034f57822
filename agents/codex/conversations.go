package codex

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/codex/rollout"
	"ccdir/agents/transcript"
)

// conversationID matches Codex's ids of conversations.
var conversationID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f-]{36}$`) })

// OpenConversation reads the file that a hook reported, or the one that is named after the
// conversation in Codex's own folders: a process of the session can report any path.
func (Adapter) OpenConversation(c agents.Conversation) transcript.Source {
	if !conversationID().MatchString(c.ID) {
		return nil
	}
	path, end := c.Path, "-"+c.ID+".jsonl"
	if path == "" {
		found, err := filepath.Glob(filepath.Join(escapeGlob(codexHome(c.Env)), "sessions", "*", "*", "*", "rollout-*"+end))
		if err != nil || len(found) == 0 {
			return nil
		}
		path = slices.Max(found)
	}
	if !filepath.IsAbs(path) || !strings.HasPrefix(filepath.Base(path), "rollout-") || !strings.HasSuffix(path, end) {
		return nil
	}
	return transcript.NewFile(path, rollout.Decoder{}, transcript.Options{Conversation: c.ID})
}

// escapeGlob makes a path a pattern that matches it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// ConversationEvents are SessionStart, and UserPromptSubmit.
func (Adapter) ConversationEvents() (changes, any string) {
	return HookSessionStart, HookUserPromptSubmit
}

// ConversationOf reads the common fields of a hook.
func (Adapter) ConversationOf(data json.RawMessage) (agents.Conversation, bool) {
	var said struct {
		ID    string `json:"session_id"`
		Path  string `json:"transcript_path"`
		CWD   string `json:"cwd"`
		Agent string `json:"agent_id"`
	}
	err := json.Unmarshal(data, &said)
	return agents.Conversation{ID: said.ID, Path: said.Path, CWD: said.CWD}, err == nil && said.ID != "" && said.Agent == ""
}
