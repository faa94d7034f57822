package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// ProjectFile is where a project keeps its policy, from its root.
const ProjectFile = ".ccdir/policy.toml"

// Options say which files make a policy.
type Options struct {
	// User is the user's file, absolute; it need not exist. "" is none.
	User string
	// Project is the root of the project whose file narrows the user's; "" is
	// none.
	Project string
	// Home is the absolute home directory, for "~/" in [trust].
	Home string
	// UID is the user that the files must belong to.
	UID int
	// Protect are absolute directories whose files agents may change only after
	// asking, as it is for the policy's files themselves.
	Protect []string
	// Texts stand for the contents of files, by name, for trying an edit.
	Texts map[string][]byte
}

// Fingerprint identifies the text of a policy file, for [trust].
func Fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ReadFile reads a policy file, refusing one that others can change.
func ReadFile(file string, uid int) ([]byte, error) {
	data, _, err := readSecure(file, uid)
	return data, err
}

// FindProject returns the nearest directory from dir upwards that has a policy
// of its own, "" if there is none. It doesn't look above the home directory or
// the top of a git work tree.
func FindProject(dir, home string) string {
	for {
		if dir == home {
			return ""
		}
		if _, err := os.Lstat(filepath.Join(dir, ProjectFile)); err == nil {
			return dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// Load reads and compiles the files. Without any the policy is Empty. The error
// is of type Problems, or from reading.
func Load(o Options) (*Policy, error) {
	p, _, err := load(o)
	return p, err
}

// stamp is what a file looked like when it was read.
type stamp struct {
	size    int64
	mode    fs.FileMode
	changed time.Time
	missing bool
	// inode and status, when the inode was last changed, tell a file that was put
	// in the place of another with the same size and time.
	inode  uint64
	status int64
}

// racyTime is how long after a change of a file another one can have the same times.
const racyTime = 50 * time.Millisecond

func stampOf(info fs.FileInfo, err error) stamp {
	if err != nil {
		return stamp{missing: true}
	}
	s := stamp{size: info.Size(), mode: info.Mode(), changed: info.ModTime()}
	s.inode, s.status = inodeOf(info)
	return s
}

func load(o Options) (*Policy, []stamp, error) {
	var docs [2]*document
	var stamps []stamp
	var prints [2]string
	var problems Problems
	for i, file := range o.files() {
		stamps = append(stamps, stampOf(os.Stat(file)))
		data, tried := o.Texts[file]
		var err error
		if !tried {
			data, err = ReadFile(file, o.UID)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, Problem{File: file, Message: err.Error()})
			continue
		}
		at := i
		if o.User == "" {
			at = 1
		}
		docs[at], prints[at] = readDocument(data, file), Fingerprint(data)
	}
	user, project := docs[0], docs[1]
	for _, d := range docs {
		if d == nil {
			continue
		}
		if d == project {
			d.checkInherits(user)
		} else {
			d.checkInherits(nil)
		}
		problems = append(problems, d.sorted()...)
	}
	if len(problems) > 0 {
		return nil, stamps, problems
	}
	trusted := user != nil && project != nil && user.trust[user.trustKey(o)] == prints[1]
	p := build(user, project, trusted)
	for _, f := range slices.Clone(p.files) { // the file that a link leads to is protected as well
		if real, err := filepath.EvalSymlinks(f); err == nil && real != f {
			p.files = append(p.files, real)
		}
	}
	for _, dir := range o.Protect {
		p.protect = append(p.protect, newPlace(dir).fold)
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			p.protect = append(p.protect, newPlace(real).fold)
		}
	}
	return p, stamps, nil
}

// trustKey is the name in [trust] of the options' project, its directory if it
// isn't there.
func (d *document) trustKey(o Options) string {
	for name := range d.trust {
		dir := name
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(o.Home, rest)
		}
		if filepath.Clean(dir) == filepath.Clean(o.Project) {
			return name
		}
	}
	return o.Project
}

func (o Options) files() (out []string) {
	if o.User != "" {
		out = append(out, o.User)
	}
	if o.Project != "" {
		out = append(out, filepath.Join(o.Project, ProjectFile))
	}
	return out
}

// Holder keeps the policy of some files current. Policy may be called from any
// goroutine; Run belongs to one.
type Holder struct {
	options Options
	current atomic.Pointer[loaded]
	// loads counts the reloads.
	loads atomic.Uint64
	// reloading is held while files are read.
	reloading sync.Mutex
}

type loaded struct {
	policy *Policy
	stamps []stamp
	err    error
	// racy: a file had changed so shortly before it was read at, that a later change
	// may have left no trace.
	racy bool
	at   time.Time
}

// NewHolder loads the policy. It always succeeds: with faulty files the policy
// asks about everything until they are mended, and Err tells why.
func NewHolder(o Options) *Holder {
	h := &Holder{options: o}
	h.Reload()
	return h
}

// Policy returns the policy that holds now. It looks at the files' times first,
// one stat for each, so it is current also where no change is notified.
func (h *Holder) Policy() *Policy {
	l := h.current.Load()
	if h.changed(l) {
		h.Reload()
		l = h.current.Load()
	}
	return l.policy
}

// Err is the error of the last load, nil if the files are in force as they are.
func (h *Holder) Err() error { return h.current.Load().err }

func (h *Holder) changed(l *loaded) bool {
	if l.racy && time.Since(l.at) > racyTime {
		return true
	}
	for i, file := range h.options.files() {
		if stampOf(os.Stat(file)) != l.stamps[i] {
			return true
		}
	}
	return false
}

// Reload reads the files again. When they are faulty the last good policy stays.
func (h *Holder) Reload() {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	at := time.Now()
	p, stamps, err := load(h.options)
	next := &loaded{policy: p, stamps: stamps, err: err, at: at}
	next.racy = slices.ContainsFunc(stamps, func(s stamp) bool { return !s.missing && at.Sub(s.changed).Abs() < racyTime })
	if err != nil {
		next.policy = &Policy{broken: err}
		if last := h.current.Load(); last != nil && last.policy.broken == nil {
			next.policy = last.policy
		}
	}
	h.current.Store(next)
	h.loads.Add(1)
}

// Loads counts how often the files were read: a change of it means that Policy or
// Err may have changed.
func (h *Holder) Loads() uint64 { return h.loads.Load() }

// Run reloads the policy when a file changes, until ctx ends. changed, if not
// nil, is called after each reload, in Run's goroutine.
func (h *Holder) Run(ctx context.Context, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the policy are seen only when a request comes: %w", err)
	}
	defer w.Close()
	for _, file := range h.options.files() {
		// Editors replace files, so the directory is watched. One that isn't there
		// yet is covered by the check that Policy makes.
		if err := w.Add(filepath.Dir(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			if !ok {
				return nil
			}
			if slices.Contains(h.options.files(), e.Name) && h.changed(h.current.Load()) {
				h.Reload()
				if changed != nil {
					changed()
				}
			}
		case _, ok := <-w.Errors: // an overflow: look at the files themselves
			if !ok {
				return nil
			}
			h.Policy()
		}
	}
}
