package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// environments deduplicates the environments of tasks: each is saved once, and a task's
// record has a mark instead. Many tasks have the same one.
type environments struct {
	store Store

	mu    sync.Mutex
	saved map[string][]string // by mark
}

func newEnvironments(s Store) *environments {
	return &environments{store: s, saved: map[string][]string{}}
}

// envMark begins a mark; the environment's hash follows.
const envMark = "@env:"

// load reads the environments whose marks are in use, and deletes the others.
func (e *environments) load(ctx context.Context, used map[string]bool) error {
	all, err := e.store.TaskEnvs(ctx)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var unused []string
	for hash, data := range all {
		var env []string
		if !used[envMark+hash] {
			unused = append(unused, hash)
		} else if json.Unmarshal(data, &env) == nil {
			e.saved[envMark+hash] = env
		}
	}
	if len(unused) == 0 {
		return nil
	}
	return e.store.DropTaskEnvs(unused)
}

// keep saves an environment, if it is new, and returns its mark for the record. It blocks
// for the disk.
func (e *environments) keep(env []string) ([]string, error) {
	data, err := json.Marshal(env)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:16])
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.saved[envMark+hash] == nil {
		if err := e.store.SaveTaskEnv(hash, data); err != nil {
			return nil, fmt.Errorf("the task's environment could not be saved: %w", err)
		}
		e.saved[envMark+hash] = env
	}
	return []string{envMark + hash}, nil
}

// get returns the environment of a record: that of its mark, or the one in it.
func (e *environments) get(kept []string) []string {
	if len(kept) != 1 || !strings.HasPrefix(kept[0], envMark) {
		return kept
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.saved[kept[0]]
}
