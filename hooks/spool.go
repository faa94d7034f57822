package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/paths"
)

// Names in a spool, as internal/hookcall writes them.
const (
	spoolSuffix   = ".json"
	spoolOverflow = "overflow"
)

// Bounds of what is read: a spooled call is at most 1 MiB, in base64, plus its
// names; the process that writes keeps at most 10,000.
const (
	maxSpoolFile  = 3 << 20
	maxSpoolFiles = 20_000
	// staleTemp is when a file that was not finished was given up by its writer.
	staleTemp = time.Hour
)

// Drained is what became of a session's spool.
type Drained struct {
	// Delivered calls; Repeats were in the spool twice.
	Delivered, Repeats int
	// Rejected calls were refused for good; Malformed files were none. Both are
	// gone from the spool.
	Rejected, Malformed int
	// Overflow: the hook processes had to drop calls.
	Overflow bool
}

// Empty reports whether there was nothing worth telling.
func (d Drained) Empty() bool { return d == Drained{} }

// String is one line for the event log.
func (d Drained) String() string {
	s := fmt.Sprintf("%d hook calls read from the spool", d.Delivered)
	if n := d.Rejected + d.Malformed; n > 0 {
		s += fmt.Sprintf(", %d refused", n)
	}
	if d.Overflow {
		s += ", older ones lost because it was full"
	}
	return s
}

// Drain hands the calls in the spool of a session's directory to deliver, in
// the order in which they fired, each once, and removes those that were taken
// or refused for good (a code with a status below 500). Any other error stops
// it: that call and those after it stay. No spool is no error.
//
// The processes that made these calls are gone: nobody waits for a reply.
func Drain(ctx context.Context, sessionDir, session string, deliver func(context.Context, Call) error) (Drained, error) {
	var d Drained
	dir := filepath.Join(sessionDir, paths.SpoolDir)
	names, err := spoolNames(dir, &d)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return d, nil
		}
		return d, fmt.Errorf("cannot read the spool: %w", err)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		path := filepath.Join(dir, name)
		call, err := readSpooled(path, session)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // its process delivered it after all
		case errors.Is(err, errNoCall):
			d.Malformed++
		case err != nil:
			return d, fmt.Errorf("cannot read the spool: %w", err)
		case seen[call.ID]:
			d.Repeats++
		default:
			seen[call.ID] = true
			if err := deliver(ctx, call); err == nil {
				d.Delivered++
			} else if api.CodeOf(err).Status() < 500 {
				d.Rejected++
			} else {
				return d, err
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d, fmt.Errorf("cannot empty the spool: %w", err)
		}
	}
	if d.Overflow {
		_ = os.Remove(filepath.Join(dir, spoolOverflow))
	}
	return d, nil
}

// spoolNames lists the complete files, oldest first, and tidies the rest up.
func spoolNames(dir string, d *Drained) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	all, err := f.Readdirnames(maxSpoolFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	names := all[:0]
	for _, name := range all {
		switch {
		case name == spoolOverflow:
			d.Overflow = true
		case strings.HasPrefix(name, "."):
			path := filepath.Join(dir, name)
			if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > staleTemp {
				_ = os.Remove(path)
			}
		case strings.HasSuffix(name, spoolSuffix):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

var errNoCall = errors.New("not a spooled hook call")

// readSpooled reads one file.
func readSpooled(path, session string) (Call, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Call{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpoolFile {
		return Call{}, errNoCall
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Call{}, err
	}
	var s api.SpooledHook
	if json.Unmarshal(data, &s) != nil {
		return Call{}, errNoCall
	}
	at, err := time.Parse(time.RFC3339Nano, s.At)
	if err != nil || s.ID == "" || s.Hook == "" {
		return Call{}, errNoCall
	}
	return Call{Session: session, Token: s.Token, Hook: s.Hook, ID: s.ID, At: at, Payload: s.Payload}, nil
}
