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
func Load(o Options) (*policy.Policy, error) {
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
	source.Files = withTargets(source.Files) // the file that a link leads to is protected as well
	source.Protect = withTargets(o.Protect)
	return policy.New(source), stamps, nil
}

// withTargets adds to paths those that their links lead to.
func withTargets(paths []string) []string {
	out := slices.Clone(paths)
	for _, p := range paths {
		if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
			out = append(out, real)
		}
	}
	return out
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
