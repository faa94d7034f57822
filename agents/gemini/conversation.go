package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/transcript"
)

// conversationID matches the CLI's ids of conversations.
var conversationID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z-]{8,64}$`) })

// OpenConversation reads the file that a hook reported, or one of the user's that is named
// after the conversation. A reported path leads through the session's own home, which ends
// with the session: behind it is the user's.
func (Adapter) OpenConversation(c agents.Conversation) transcript.Source {
	if !conversationID().MatchString(c.ID) {
		return nil
	}
	home := filepath.Join(userHome(c.Env), configDir)
	path := c.Path
	if _, inside, ok := strings.Cut(path, "/"+overlayDir+"/"+configDir+"/"); ok && filepath.IsAbs(home) {
		path = filepath.Join(home, inside)
	}
	end := "-" + c.ID[:8] + ".jsonl"
	if path == "" && filepath.IsAbs(home) {
		found, err := filepath.Glob(filepath.Join(escape(home), "tmp", "*", "chats", "session-*"+end))
		if err != nil || len(found) == 0 {
			return nil
		}
		slices.SortFunc(found, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
		path = found[len(found)-1]
	}
	if !filepath.IsAbs(path) || !strings.HasSuffix(path, end) {
		return nil
	}
	return transcript.NewFile(path, decoder{}, transcript.Options{Conversation: c.ID})
}

// escape makes a path match itself alone.
func escape(path string) string {
	if os.PathSeparator != '/' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// ConversationEvents are SessionStart, and BeforeAgent of sessions that were there before.
func (Adapter) ConversationEvents() (changes, any string) { return HookSessionStart, HookBeforeAgent }

// ConversationOf reads the common fields of a hook.
func (Adapter) ConversationOf(data json.RawMessage) (agents.Conversation, bool) {
	var said struct {
		ID   string `json:"session_id"`
		Path string `json:"transcript_path"`
		CWD  string `json:"cwd"`
	}
	err := json.Unmarshal(data, &said)
	return agents.Conversation{ID: said.ID, Path: said.Path, CWD: said.CWD}, err == nil && said.ID != ""
}
