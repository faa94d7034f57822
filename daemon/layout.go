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
	"reflect"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/internal/disk/atomicfile"
)

// maxLayoutFile bounds the file of the layout, in bytes.
const maxLayoutFile = 4 << 20

// layoutStore keeps the layout of the grid, as the person arranged it: in a file, and
// published to every attached grid.
type layoutStore struct {
	path   string
	events *journal.Log
	// spent is what all agents have cost since a day began, in US dollars.
	spent func(ctx context.Context, day time.Time) (float64, error)
	mu    sync.Mutex // held while one is saved and published
}

// Grid returns the layout.
func (k *layoutStore) Grid() api.Grid { return k.events.Grid() }

// SetGrid saves and publishes a layout: the latest wins. It is published even if it
// could not be saved.
func (k *layoutStore) SetGrid(ctx context.Context, g api.Grid) error {
	if err := g.Check(); err != nil {
		return err
	}
	if g.Spent = nil; !g.Left.IsZero() {
		if usd, err := k.spent(ctx, g.Left); err == nil {
			g.Spent = &usd
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	saved := k.write(g)
	if err := <-k.events.Append(api.WatchMessage{Grid: &g}, nil, ""); err != nil {
		return err
	}
	if saved != nil {
		return fmt.Errorf("the arrangement of the grid cannot be saved: %w", saved)
	}
	return nil
}

// save writes the layout again, unless a newer one is published meanwhile.
func (k *layoutStore) save(g api.Grid) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !reflect.DeepEqual(g, k.events.Grid()) {
		return nil
	}
	return k.write(g)
}

func (k *layoutStore) write(g api.Grid) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return atomicfile.Replace(k.path, data)
}

// loadLayout reads the layout. A file that cannot be read costs the layout and nothing
// else.
func loadLayout(path string, log *slog.Logger) api.Grid {
	g, err := readLayout(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			log.Warn("the arrangement of the grid is forgotten", "file", path, "error", err)
		}
		return api.Grid{}
	}
	return g
}

func readLayout(path string) (g api.Grid, err error) {
	f, err := os.Open(path)
	if err != nil {
		return g, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLayoutFile))
	if err != nil {
		return g, err
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return api.Grid{}, err
	}
	return g, g.Check()
}
