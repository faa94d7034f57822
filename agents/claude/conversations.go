package claude

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/claude/conversation"
	"ccdir/agents/transcript"
)

// conversationID matches the CLI's ids of conversations.
var conversationID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`) })

// OpenConversation reads the file that a hook reported, or the one in the folder of the
// directory. Only a file that is named after the conversation is one of it: a process
// of the session can report any path.
func (Adapter) OpenConversation(c agents.Conversation) transcript.Source {
	if !conversationID().MatchString(c.ID) {
		return nil
	}
	path := c.Path
	if path == "" {
		path = conversationFile(c.Env, c.CWD, c.ID)
	}
	if !filepath.IsAbs(path) || filepath.Base(path) != c.ID+".jsonl" {
		return nil
	}
	return transcript.NewFile(path, conversation.Decoder{LimitReset: LimitReset},
		transcript.Options{Conversation: c.ID, Nested: conversation.Nested{}})
}

// conversationFile is where the CLI keeps a conversation, by its environment and directory.
func conversationFile(env []string, cwd, id string) string {
	return filepath.Join(configDir(env), "projects", projectDir(cwd), id+".jsonl")
}

// configDir is the CLI's configuration directory; relative if the environment names none.
func configDir(env []string) string {
	dir := agents.Getenv(env, "CLAUDE_CONFIG_DIR")
	if home := agents.Getenv(env, "HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".claude")
	}
	return dir
}

// ConversationEvents are SessionStart, and UserPromptSubmit for sessions that were there before
// their hooks.
func (Adapter) ConversationEvents() (changes, any string) { return "SessionStart", "UserPromptSubmit" }

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

// projectDir is the CLI's name for the folder of a directory's conversations.
func projectDir(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, cwd)
}
