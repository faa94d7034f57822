//go:build unix

package conversation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ccdir/agents/transcript"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/jsonscan"
)

// Nested finds the files of subagents: agent-ID.jsonl in a folder named after the
// conversation's file, with a description beside each (seen with 2.1.329).
type Nested struct{}

// maxMeta bounds a description, in bytes.
const maxMeta = 64 << 10

// Agents implements transcript.Nested.
func (Nested) Agents(path string, known []transcript.Agent) []transcript.Agent {
	dir := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	if strings.HasPrefix(filepath.Base(path), "agent-") {
		dir = filepath.Dir(path) // all subagents' files of a conversation lie in one folder
	}
	// Neither a FIFO of that name blocks nor anything but a folder is opened.
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return known
	}
	names, _ := f.Readdirnames(2 * transcript.MaxAgents)
	_ = f.Close()
	slices.Sort(names)
	for _, name := range names {
		id, isAgent := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), "agent-")
		file := filepath.Join(dir, name)
		if !isAgent || !strings.HasSuffix(name, ".jsonl") || file == path || len(known) >= transcript.MaxAgents ||
			slices.ContainsFunc(known, func(a transcript.Agent) bool { return a.Path == file }) {
			continue
		}
		meta, err := untrusted.Read(filepath.Join(dir, "agent-"+id+".meta.json"), maxMeta)
		if err != nil {
			meta = nil
		}
		known = append(known, transcript.Agent{ID: id, Kind: word(jsonscan.Get(meta, "agentType")), Call: word(jsonscan.Get(meta, "toolUseId")), Path: file})
	}
	return known
}
