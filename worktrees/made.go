package worktrees

import (
	"encoding/json"
	"path/filepath"
	"time"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
)

// madeFile is the file in a tree's own directory of the repository that says how ccdir
// made the tree; others have none.
const madeFile = "ccdir.json"

// maxMade bounds madeFile, in bytes.
const maxMade = 4 << 20

// made is the content of madeFile.
type made struct {
	// Base is the full name of the branch from which the tree was made, "" if it was a
	// commit; Commit is where it began.
	Base   string    `json:"base,omitempty"`
	Commit string    `json:"commit,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Port is the first of its ten ports.
	Port int `json:"port,omitempty"`
	// Brought are the ignored files that were copied or linked.
	Brought []string `json:"brought,omitempty"`
}

// readMade reads the file of a tree; the zero value if there is none that can be read.
func readMade(gitDir string) (m made) {
	if gitDir == "" {
		return m
	}
	data, err := untrusted.Read(filepath.Join(gitDir, madeFile), maxMade)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return made{}
	}
	return m
}

// write saves it.
func (m made) write(gitDir string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(gitDir, madeFile), data)
}

// brought is the set of Brought.
func (m made) brought() map[string]bool {
	set := make(map[string]bool, len(m.Brought))
	for _, path := range m.Brought {
		set[path] = true
	}
	return set
}
