package demo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"ccdir/api"
)

// record is the file of the conversation: lines of Claude Code's shape. A nil record writes
// nothing. A line that cannot be written is lost, as with the real agents.
type record struct {
	path string
	mu   sync.Mutex // held while a line is written
}

// newRecord returns the file in the session's directory; nil outside of ccdir.
func newRecord(o options, environ []string) *record {
	dir := ""
	for _, kv := range environ {
		if len(kv) > len(api.EnvDir) && kv[:len(api.EnvDir)+1] == api.EnvDir+"=" {
			dir = kv[len(api.EnvDir)+1:]
		}
	}
	if !filepath.IsAbs(dir) || filepath.Base(o.sessionID) != o.sessionID {
		return nil
	}
	return &record{path: filepath.Join(dir, "conversations", o.sessionID+".jsonl")}
}

// add appends one entry.
func (r *record) add(kind string, members map[string]any) {
	if r == nil {
		return
	}
	entry := map[string]any{"type": kind, "timestamp": time.Now().UTC().Format(time.RFC3339Nano)}
	for k, v := range members {
		entry[k] = v
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if os.MkdirAll(filepath.Dir(r.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

// user writes an entry of role user.
func (r *record) user(content any, members map[string]any) {
	entry := map[string]any{"message": map[string]any{"role": "user", "content": content}}
	for k, v := range members {
		entry[k] = v
	}
	r.add("user", entry)
}

// prompt writes a prompt.
func (r *record) prompt(text string) {
	origin := "human"
	if text == taskNote {
		origin = "task-notification"
	}
	r.user(text, map[string]any{"origin": map[string]any{"kind": origin}})
}

// assistant writes one block of an answer.
func (r *record) assistant(stop string, block map[string]any) { r.answer("demo", 20, stop, block) }

// answer writes one block of an answer of a model.
func (r *record) answer(model string, tokens int, stop string, block map[string]any) {
	r.add("assistant", map[string]any{"message": map[string]any{"role": "assistant", "id": "msg_" + newToolID()[6:], "model": model,
		"stop_reason": stop, "content": []any{block}, "usage": map[string]any{"input_tokens": 10, "output_tokens": tokens}}})
}

// used writes an answer that is known for what it used.
func (r *record) used(model string, tokens int) {
	r.answer(model, tokens, "tool_use", map[string]any{"type": "text", "text": strconv.Itoa(tokens) + " tokens"})
}

func (r *record) text(text string) {
	r.assistant("tool_use", map[string]any{"type": "text", "text": text}) // the turn may go on
}

func (r *record) thinking(text string) {
	r.assistant("tool_use", map[string]any{"type": "thinking", "thinking": text})
}

func (r *record) call(id, tool string, input any) {
	r.assistant("tool_use", map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
}

// result writes what became of a call; denied is the kind of a refusal, "" for none.
func (r *record) result(id, text, denied string) {
	block := map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}
	members := map[string]any{}
	if denied != "" {
		block["is_error"] = true
		members = map[string]any{"toolDenialKind": denied, "toolDenialBeforeRun": true}
	}
	r.user([]any{block}, members)
}

// failed writes an error of the API.
func (r *record) failed(text string) {
	r.add("assistant", map[string]any{"isApiErrorMessage": true, "error": "unknown", "message": map[string]any{"role": "assistant",
		"model": "<synthetic>", "content": []any{map[string]any{"type": "text", "text": text}}}})
}

// interrupted writes that a person stopped the turn.
func (r *record) interrupted() {
	r.user([]any{map[string]any{"type": "text", "text": "[Request interrupted by user]"}}, nil)
}

// ended writes the regular end of a turn.
func (r *record) ended(begun time.Time) {
	r.add("system", map[string]any{"subtype": "turn_duration", "durationMs": time.Since(begun).Milliseconds()})
}
