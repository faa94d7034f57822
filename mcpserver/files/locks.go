package files

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"sync"
)

// changing serialises changes of one file. It is global: each session has a Space of
// its own, and two sessions may edit the same file. Files share a lock by chance, which
// costs only time.
var changing [64]sync.Mutex

// lockFile locks a file for a change; the returned function unlocks it. The key is the
// real path of its directory with its name: the file need not exist.
func lockFile(root *os.Root, rel string) (unlock func()) {
	name := filepath.Join(root.Name(), rel)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // cannot fail
	mu := &changing[h.Sum32()%uint32(len(changing))]
	mu.Lock()
	return mu.Unlock
}
