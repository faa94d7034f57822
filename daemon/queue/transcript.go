package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/disk/untrusted"
)

// usage reads an agent's transcripts as they grow, and sums up turns and tokens: of the
// conversation itself and of its subagents, whose transcripts are in a directory named
// after it (seen with Claude Code 2.1.329). The files are untrusted.
type usage struct {
	offsets map[string]int64 // bytes read, by file
	// turns are the API's messages of the conversation itself, others those of
	// subagents: tokens by message id.
	turns, others map[string]int64
	// calls are the tool calls in flight, by id. refused are those that a person denied
	// in the pane.
	calls   map[string]api.Denial
	refused api.Denials
	told    spent
	// reset is the end of the last usage limit, zero: unknown.
	reset time.Time
}

const (
	// maxTranscriptLine bounds the lines, in bytes. Longer ones are skipped.
	maxTranscriptLine = 4 << 20
	// maxSubagents bounds the transcripts of subagents.
	maxSubagents = 1000
	// maxCalls bounds the tool calls in flight, maxTurns the counted messages, maxID their
	// ids and names, in bytes.
	maxCalls, maxTurns, maxID = 1000, 100_000, 256
	// maxLook bounds one read of a file, in bytes: it may grow faster than it is read.
	maxLook = 256 << 20
)

// read reads the new lines and returns the turns and tokens so far. Lines from before
// since do not count.
func (u *usage) read(path string, since time.Time) (turns int, tokens int64) {
	if filepath.IsAbs(path) {
		if u.offsets == nil {
			u.offsets, u.turns, u.others, u.calls = map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]api.Denial{}
		}
		u.readOn(path, since, u.turns)
		files, _ := filepath.Glob(filepath.Join(globSafe(strings.TrimSuffix(path, ".jsonl")), "subagents", "*.jsonl")) // cannot fail: the pattern is valid
		for _, f := range files[:min(len(files), maxSubagents)] {
			u.readOn(f, since, u.others)
		}
	}
	for _, m := range []map[string]int64{u.turns, u.others} {
		for _, n := range m {
			tokens += n
		}
	}
	return len(u.turns), tokens
}

// globSafe escapes a path for filepath.Glob.
func globSafe(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (u *usage) readOn(path string, since time.Time, into map[string]int64) {
	file, info, err := untrusted.Open(path)
	if err != nil {
		return // it may not exist yet
	}
	defer file.Close()
	if info.Size() <= u.offsets[path] {
		return
	}
	if _, err := file.Seek(u.offsets[path], io.SeekStart); err != nil {
		return
	}
	r := bufio.NewReaderSize(io.LimitReader(file, maxLook), 64<<10)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return // the last line is not complete yet
		}
		u.offsets[path] += int64(line.n)
		if err != nil {
			return
		}
		u.take(line.data, since, into)
	}
}

// textLine is a line and its size in the file, in bytes; data is nil if it is too long.
type textLine struct {
	data []byte
	n    int
}

func readLine(r *bufio.Reader) (l textLine, err error) {
	for {
		part, err := r.ReadSlice('\n')
		l.n += len(part)
		if l.n <= maxTranscriptLine {
			l.data = append(l.data, part...)
		} else {
			l.data = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

// transcriptLine has the parts of a transcript's line that are used here.
type transcriptLine struct {
	Type    string    `json:"type"`
	At      time.Time `json:"timestamp"`
	Failed  bool      `json:"isApiErrorMessage"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
			Made   int64 `json:"cache_creation_input_tokens"`
			Read   int64 `json:"cache_read_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
	// Outcome is a string for a tool that did not run, otherwise an object.
	Outcome json.RawMessage `json:"toolUseResult"`
}

func (u *usage) take(line []byte, since time.Time, into map[string]int64) {
	if !bytes.Contains(line, []byte(`"usage"`)) && !bytes.Contains(line, []byte(`"tool_result"`)) {
		return
	}
	var in transcriptLine
	if json.Unmarshal(line, &in) != nil || in.At.Before(since) {
		return
	}
	switch {
	case in.Type == "user":
		u.outcome(in)
	case in.Type != "assistant" || in.Message.ID == "" || len(in.Message.ID) > maxID:
	case in.Failed: // an API error, written by the agent itself
		u.reset = claude.LimitReset(line)
	default:
		v := in.Message.Usage
		if _, known := into[in.Message.ID]; known || len(into) < maxTurns {
			into[in.Message.ID] = v.Input + v.Output + v.Made + v.Read
		}
		u.call(in)
	}
}

// block is a content block of a message, with its parts about tools.
type block struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Use   string          `json:"tool_use_id"`
}

// call records the tool calls of a message.
func (u *usage) call(in transcriptLine) {
	var blocks []block
	if json.Unmarshal(in.Message.Content, &blocks) != nil {
		return // a plain string
	}
	for _, b := range blocks {
		if b.Type == "tool_use" && len(u.calls) < maxCalls && len(b.ID) <= maxID && len(b.Name) <= maxID {
			if len(b.Input) > agents.MaxDenialInput {
				b.Input = nil // too large for a result anyway
			}
			u.calls[b.ID] = api.Denial{Tool: b.Name, ID: b.ID, Input: b.Input}
		}
	}
}

// refusedInPane is Claude Code's outcome of a tool call that a person denied in the pane,
// by No or Escape (2.1.294 and 2.1.329).
const refusedInPane = "User rejected tool use"

// outcome records the ends of tool calls.
func (u *usage) outcome(in transcriptLine) {
	var blocks []block
	if json.Unmarshal(in.Message.Content, &blocks) != nil {
		return
	}
	var outcome string
	_ = json.Unmarshal(in.Outcome, &outcome) // an object leaves it ""
	for _, b := range blocks {
		if b.Type != "tool_result" {
			continue
		}
		call, known := u.calls[b.Use]
		delete(u.calls, b.Use)
		if outcome == refusedInPane && known && len(u.refused) < agents.MaxDenials {
			call.By, call.Reason = "person", "refused in the pane"
			u.refused = append(u.refused, call)
		}
	}
}
