package codex

import (
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

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
	path, end := strings.TrimSuffix(c.Path, packing.Suffix), "-"+c.ID+".jsonl"
	if path == "" {
		if path = strings.TrimSuffix(findRollout(codexHome(c.Env), c.ID), packing.Suffix); path == "" {
			return nil
		}
	}
	if !filepath.IsAbs(path) || !strings.HasPrefix(filepath.Base(path), "rollout-") || !strings.HasSuffix(path, end) {
		return nil
	}
	return transcript.NewFile(path, rollout.Decoder{}, transcript.Options{Conversation: c.ID, Packing: packing})
}

// findRollout is the newest file of a conversation, packed or not; "": there is none.
func findRollout(home, id string) string {
	found, err := filepath.Glob(filepath.Join(escapeGlob(home), "sessions", "*", "*", "*", "rollout-*-"+id+".jsonl*"))
	found = slices.DeleteFunc(found, func(path string) bool {
		return !strings.HasSuffix(strings.TrimSuffix(path, packing.Suffix), ".jsonl")
	})
	if err != nil || len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// packing: Codex packs what it has not written for seven days when it starts, where its feature
// local_thread_store_compression is on (0.169.0); a resumed conversation is unpacked again.
var packing = transcript.Packing{Suffix: ".zst", Unpack: unpack}

// maxUnpack bounds the memory of unpacking, in bytes.
const maxUnpack = 64 << 20

func unpack(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpack), zstd.WithDecoderMaxWindow(maxUnpack))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
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
