package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/internal/disk/atomicfile"
)

// maxGridFile bounds the file of the arrangement, in bytes.
const maxGridFile = 4 << 20

// gridKeeper keeps how a person has arranged the grid: in a file, and published
// to every attached grid.
type gridKeeper struct {
	path   string
	events *journal.Log
	mu     sync.Mutex // one is saved and published at a time
}

// Grid returns the arrangement.
func (k *gridKeeper) Grid() api.Grid { return k.events.Grid() }

// SetGrid saves and publishes an arrangement: the latest wins. It is published
// even if it could not be saved.
func (k *gridKeeper) SetGrid(_ context.Context, g api.Grid) error {
	if err := g.Check(); err != nil {
		return err
	}
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	saved := atomicfile.Replace(k.path, data)
	if err := <-k.events.Append(api.WatchMessage{Grid: &g}, nil, ""); err != nil {
		return err
	}
	if saved != nil {
		return fmt.Errorf("the arrangement of the grid cannot be saved: %w", saved)
	}
	return nil
}

// loadGrid reads the arrangement. A file that cannot be read costs the
// arrangement and nothing else.
func loadGrid(path string, log *slog.Logger) api.Grid {
	g, err := readGrid(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			log.Warn("the arrangement of the grid is forgotten", "file", path, "error", err)
		}
		return api.Grid{}
	}
	return g
}

func readGrid(path string) (g api.Grid, err error) {
	f, err := os.Open(path)
	if err != nil {
		return g, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGridFile))
	if err != nil {
		return g, err
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return api.Grid{}, err
	}
	return g, g.Check()
}
