package opencode

import (
	"encoding/json"
	"path/filepath"

	"ccdir/agents"
	"ccdir/agents/transcript"
)

// databasePath is where opencode keeps its conversations in that environment; "" if it names no
// home.
func databasePath(env []string) string {
	data := agents.Getenv(env, "XDG_DATA_HOME")
	if home := agents.Getenv(env, "HOME"); data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	path := filepath.Join(data, "opencode", "opencode.db")
	if own := agents.Getenv(env, "OPENCODE_DB"); filepath.IsAbs(own) {
		path = own
	} else if own != "" {
		path = filepath.Join(data, "opencode", own)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// placeMember is the member of a report's data that says where the conversation is kept.
const placeMember = "transcript_path"

// OpenConversation reads opencode's database.
func (Adapter) OpenConversation(c agents.Conversation) transcript.Source {
	path := c.Path
	if path == "" {
		path = databasePath(c.Env)
	}
	if !sessionID().MatchString(c.ID) || !filepath.IsAbs(path) {
		return nil
	}
	return &conversation{path: path, id: c.ID}
}

// ConversationEvents are session.created, and the event of a prompt.
func (Adapter) ConversationEvents() (changes, any string) {
	return "session.created", "message.part.updated"
}

// ConversationOf reads the data of those reports that say where the conversation is: they are of
// no subagent.
func (Adapter) ConversationOf(data json.RawMessage) (agents.Conversation, bool) {
	var said struct {
		ID    string `json:"sessionID"`
		Place string `json:"transcript_path"`
	}
	err := json.Unmarshal(data, &said)
	return agents.Conversation{ID: said.ID, Path: said.Place}, err == nil && said.ID != "" && said.Place != ""
}
