package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/policy"
)

// ProjectFile is the path of a project's policy below its root.
const ProjectFile = ".ccdir/policy.toml"

// Options name the files of a policy.
type Options struct {
	// User is the absolute path of the user's file, which need not exist; "" for none.
	User string
	// Project is the root of the project whose file narrows the user's; "" for none.
	Project string
	// Home is the absolute home directory, for "~/" in [trust].
	Home string
	// UID is the required owner of the files.
	UID int
	// Protect are absolute directories. Agents may change files below them only after asking,
	// as with policy files.
	Protect []string
	// Trees are directories of work trees below Protect, to whose files that does not apply.
	Trees []string
	// Texts replaces the contents of files, by name, to try an edit. Nil for none.
	Texts map[string][]byte
}

// Fingerprint returns the hash of a policy file, as [trust] has it.
func Fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ReadFile reads a policy file. It refuses a file that other users can change.
func ReadFile(file string, uid int) ([]byte, error) {
	data, _, err := readSecure(file, uid)
	return data, err
}

// Load reads and compiles the files. Without any file the policy is policy.Empty. The error
// is of type Problems, or an error of reading.
func Load(o Options) (*policy.Policy, error) {
	p, _, err := load(o)
	return p, err
}

// stamp identifies the state of a file when it was read.
type stamp struct {
	size    int64
	mode    fs.FileMode
	changed time.Time
	missing bool
	// inode, and status (the time of its last change), reveal a file that replaced another of
	// the same size and time.
	inode  uint64
	status int64
}

// racyTime is the resolution of file times: within it two changes can have the same time.
const racyTime = 50 * time.Millisecond

func stampOf(info fs.FileInfo, err error) stamp {
	if err != nil {
		return stamp{missing: true}
	}
	s := stamp{size: info.Size(), mode: info.Mode(), changed: info.ModTime()}
	s.inode, s.status = inodeOf(info)
	return s
}

func load(o Options) (*policy.Policy, []stamp, error) {
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
	source := build(user, project, trusted)
	source.Files = withTargets(source.Files) // the target of a link is protected as well
	source.Protect = withTargets(o.Protect)
	source.Trees = withTargets(o.Trees)
	return policy.New(source), stamps, nil
}

// withTargets returns paths and the targets of those that are links.
func withTargets(paths []string) []string {
	out := slices.Clone(paths)
	for _, p := range paths {
		if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
			out = append(out, real)
		}
	}
	return out
}

// trustKey returns the key of the project in [trust], o.Project if it has none.
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
