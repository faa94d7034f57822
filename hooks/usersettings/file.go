package usersettings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/internal/disk/atomicfile"
)

// maxSize bounds a settings file, in bytes.
const maxSize = 8 << 20

// File is the user's settings file, with the hooks to install in it.
type File struct {
	// Path is the settings file, as the user knows it.
	Path string
	// Record is the file in which ccdir records the inserted ranges, so that it can
	// restore the original exactly. It holds no text of the settings.
	Record string
	// Shim is the absolute path of ccdir-shim.
	Shim string
	// Version is the agent's version, zero if unknown.
	Version agents.Version
	// Now is time.Now or a test's.
	Now func() time.Time
}

// DefaultPath is the user's settings file of Claude Code.
func DefaultPath(getenv func(string) string) (string, error) {
	dir := getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("HOME is not set to an absolute path: set it, or set CLAUDE_CONFIG_DIR")
		}
		dir = filepath.Join(home, ".claude")
	}
	dir, err := filepath.Abs(dir)
	return filepath.Join(dir, "settings.json"), err
}

// Plan is a change that Apply can make.
type Plan struct {
	// Path is the file, Target the same with symbolic links resolved.
	Path, Target string
	// Change is false if the file is already as planned.
	Change bool
	// Create: the file does not exist yet. Delete: it is deleted.
	Create, Delete bool
	// Exact: the original is restored byte for byte.
	Exact bool
	// Before and After are the texts.
	Before, After string
	// Added and Removed are the events whose hooks are added and removed.
	Added, Removed []string

	mode   fs.FileMode
	record *record // to be saved; nil: to be deleted
}

// record describes an installation.
type record struct {
	Target string `json:"target"`
	// Before and After are SHA-256 sums.
	Before string `json:"before"`
	After  string `json:"after"`
	// Created: the file did not exist before.
	Created  bool   `json:"created"`
	Inserted []span `json:"inserted"`
}

// current is the file's present state.
type current struct {
	target string
	exists bool
	text   string
	mode   fs.FileMode
}

// load reads the file.
func (f File) load() (c current, err error) {
	c = current{target: f.Path, mode: 0o600}
	target, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(f.Path); err == nil {
			return c, fmt.Errorf("%s is a symbolic link to a file that does not exist: make that file, or remove the link", f.Path)
		}
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("cannot read %s: %w", f.Path, err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return c, fmt.Errorf("cannot read %s: %w", f.Path, err)
	case !info.Mode().IsRegular():
		return c, fmt.Errorf("%s is not a regular file: nothing was changed", f.Path)
	case info.Size() > maxSize:
		return c, fmt.Errorf("%s is larger than %d MiB: nothing was changed", f.Path, maxSize>>20)
	}
	data, err := os.ReadFile(target)
	return current{target: target, exists: true, text: string(data), mode: info.Mode().Perm()}, err
}

// understand parses the settings; an empty text counts as {}.
func (f File) understand(text string) (*document, error) {
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		text = "{}\n"
	}
	d, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not understood (%w): correct it first; it was not changed", f.Path, err)
	}
	return d, nil
}

// base is the text without our hooks; exact: it is the original.
func (f File) base(c current) (text string, exact, created bool, removed []string, err error) {
	d, err := f.understand(c.text)
	if err != nil {
		return "", false, false, nil, err
	}
	for _, e := range d.ours() {
		if !slices.Contains(removed, e.hook.Event) {
			removed = append(removed, e.hook.Event)
		}
	}
	if r, ok := f.recall(c.target); ok && r.After == sum(c.text) {
		if text, ok := cut(c.text, r.Inserted); ok && sum(text) == r.Before {
			return text, true, r.Created, removed, nil
		}
	}
	if len(removed) == 0 {
		return c.text, false, false, nil, nil
	}
	text, _ = d.without()
	if _, err := read(text); err != nil {
		return "", false, false, nil, fmt.Errorf("our hooks cannot be taken out of %s (%w): remove them by hand; it was not changed", f.Path, err)
	}
	return text, false, false, removed, nil
}

// PlanInstall plans to install every hook. Our hooks with another path or form are
// replaced.
func (f File) PlanInstall() (Plan, error) {
	c, err := f.load()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Path: f.Path, Target: c.target, Before: c.text, After: c.text, Create: !c.exists, mode: c.mode}
	status, err := f.status(c)
	if err != nil || status.State == Installed {
		return p, err
	}
	base, exact, created, removed, err := f.base(c)
	if err != nil {
		return p, err
	}
	d, err := f.understand(base)
	if err != nil {
		return p, err
	}
	hooks := claude.OutsideHooks(f.Shim, f.Version)
	text, inserted, err := d.with(hooks)
	if err != nil {
		return p, fmt.Errorf("the hooks cannot be put into %s: %w; it was not changed", f.Path, err)
	}
	if len(bytes.TrimSpace([]byte(base))) == 0 {
		inserted = []span{{len(base), len(text)}}
		text = base + text
	}
	for _, h := range hooks {
		p.Added = append(p.Added, h.Event)
	}
	p.Change, p.After, p.Removed = true, text, removed
	p.record = &record{Target: c.target, Before: sum(base), After: sum(text), Inserted: inserted, Created: !c.exists || exact && created}
	return p, nil
}

// PlanUninstall plans to remove all our hooks.
func (f File) PlanUninstall() (Plan, error) {
	c, err := f.load()
	p := Plan{Path: f.Path, Target: c.target, Before: c.text, After: c.text, mode: c.mode}
	if err != nil || !c.exists {
		return p, err
	}
	base, exact, created, removed, err := f.base(c)
	if err != nil || len(removed) == 0 {
		return p, err
	}
	p.Change, p.After, p.Removed, p.Exact, p.Delete = true, base, removed, exact, exact && created
	return p, nil
}

// Apply makes the change and returns the path of the backup of the old file, "" if none
// was needed.
func (f File) Apply(p Plan) (backup string, err error) {
	if !p.Change {
		return "", nil
	}
	c, err := f.load()
	if err != nil {
		return "", err
	}
	if c.target != p.Target || c.text != p.Before || c.exists == p.Create {
		return "", fmt.Errorf("%s was changed meanwhile: try again", f.Path)
	}
	if c.exists && c.mode&0o200 == 0 {
		// A rename would replace it nevertheless, against the user's intention.
		return "", fmt.Errorf("%s is read-only: make it writable (chmod u+w), or change it where it comes from; it was not changed", f.Path)
	}
	if c.exists && !p.Exact {
		if backup, err = f.backup(c.text); err != nil {
			return "", fmt.Errorf("cannot make a copy of %s: %w; it was not changed", f.Path, err)
		}
	}
	// The record first: without it the original could not be restored, and it alone
	// does no harm.
	if p.record != nil {
		if err := f.remember(*p.record); err != nil {
			return backup, fmt.Errorf("cannot write %s: %w; %s was not changed", f.Record, err, f.Path)
		}
	}
	if now, again := f.load(); again != nil || now.text != p.Before || now.exists == p.Create {
		return backup, fmt.Errorf("%s was changed meanwhile: try again", f.Path)
	}
	if p.Delete {
		err = os.Remove(p.Target)
	} else {
		if err = os.MkdirAll(filepath.Dir(p.Target), 0o700); err == nil {
			err = atomicfile.WriteMode(p.Target, []byte(p.After), p.mode)
		}
	}
	if err != nil {
		return backup, fmt.Errorf("cannot write %s: %w; it was not changed", f.Path, err)
	}
	if p.record == nil {
		if err := os.Remove(f.Record); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return backup, err
		}
	}
	return backup, nil
}

// backup writes a copy beside the file.
func (f File) backup(text string) (string, error) {
	stamp := f.Path + ".ccdir-" + f.Now().Format("20060102-150405")
	for n := 1; ; n++ {
		path := stamp + ".bak"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.bak", stamp, n)
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.WriteString(text)
		return path, errors.Join(err, file.Sync(), file.Close())
	}
}

// recall reads the record if it belongs to that file.
func (f File) recall(target string) (r record, ok bool) {
	data, err := os.ReadFile(f.Record)
	return r, err == nil && json.Unmarshal(data, &r) == nil && r.Target == target
}

// remember writes the record.
func (f File) remember(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Record), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(f.Record, append(data, '\n'))
}

// sum is the SHA-256 of a text in hexadecimal.
func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
