// Package gitview answers what git knows about a directory, as values: status, differences,
// log, blame.
//
// Contract: nothing is changed, fetched or locked, and no program runs that the repository's
// own settings name (internal/gitstatus). Answers are about the directory and what is below
// it, never about what is outside; they are bounded, and say so. A path that may refuses has no
// content in an answer, and is counted.
package gitview

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ccdir/internal/gitstatus"
)

// Bounds of answers.
const (
	maxPaths  = 500     // files of a status or a difference
	maxOutput = 8 << 20 // bytes of one answer of git
	within    = 20 * time.Second
)

// View is a directory in a work tree, for the time of one call.
type View struct {
	dir string
	// prefix is dir below the top of the work tree, with a slash at the end; "" is the top.
	prefix string
	gitDir string
	may    func(path string) bool
}

// Open finds the work tree around a directory. may decides which files the caller may read, by
// absolute paths; nil: all.
func Open(ctx context.Context, dir string, may func(path string) bool) (*View, error) {
	out, err := gitstatus.Run(ctx, dir, "rev-parse", "--is-inside-work-tree", "--show-prefix", "--absolute-git-dir")
	lines := strings.Split(out, "\n")
	if err != nil || len(lines) < 3 || lines[0] != "true" {
		return nil, fmt.Errorf("%s is in no git work tree", dir)
	}
	if may == nil {
		may = func(string) bool { return true }
	}
	return &View{dir: dir, prefix: lines[1], gitDir: lines[2], may: may}, nil
}

// shows reports whether a path, relative to the directory, may be read.
func (v *View) shows(path string) bool { return v.may(filepath.Join(v.dir, filepath.FromSlash(path))) }

// run runs git by a Look, and returns at most maxOutput bytes of what it prints; cut:
// there was more.
func (v *View) run(ctx context.Context, args ...string) (out string, cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	look, err := gitstatus.NewLook(ctx, v.dir)
	if err != nil {
		return "", false, err
	}
	defer look.Close()
	cmd := look.Command(ctx, append([]string{"-c", "core.quotePath=false", "-c", "log.showSignature=false"}, args...)...)
	w := &limited{stop: cancel}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &limited{Buffer: said, quiet: true}
	stderr := cmd.Stderr.(*limited)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case w.cut:
		return w.String(), true, nil
	case ctx.Err() != nil:
		return "", false, errors.New("git did not answer in time")
	case errors.As(err, &exit):
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", false, fmt.Errorf("git says: %s", cmp.Or(strings.TrimPrefix(line, "fatal: "), err.Error()))
	case err != nil:
		return "", false, fmt.Errorf("git cannot be run: %w", err)
	}
	return w.String(), false, nil
}

// limited keeps the first maxOutput bytes, and then ends the command.
type limited struct {
	bytes.Buffer
	stop       func()
	cut, quiet bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := maxOutput - l.Len(); len(p) > room {
		if !l.quiet {
			l.cut = true
			l.stop()
		}
		l.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// commit is the id of a revision, which must not look like an option.
func (v *View) commit(ctx context.Context, rev string) (string, error) {
	out, err := gitstatus.Run(ctx, v.dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil || strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("git knows no commit %.80q", rev)
	}
	return strings.TrimSpace(out), nil
}

// trunk is the branch that work is merged into, as far as the repository says.
func (v *View) trunk(ctx context.Context) string {
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		if _, err := gitstatus.Run(ctx, v.dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil {
			return ref
		}
	}
	return ""
}

// paths checks paths below the directory, and returns them as git takes them literally.
func paths(list []string) ([]string, error) {
	if len(list) == 0 {
		return []string{"."}, nil
	}
	specs := make([]string, 0, len(list))
	for _, p := range list {
		if !filepath.IsLocal(p) {
			return nil, fmt.Errorf("path %.80q must be relative, and in the project", p)
		}
		specs = append(specs, ":(literal)"+filepath.ToSlash(filepath.Clean(p)))
	}
	return specs, nil
}

// File is a file with changes.
type File struct {
	Path string `json:"path"`
	// Index and Worktree are git's letters: M, A, D, R, U; "" is unchanged.
	Index    string `json:"index"`
	Worktree string `json:"worktree"`
}

// Tree is a work tree of the repository.
type Tree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Commit string `json:"commit"`
}

// Status is what differs, and where.
type Status struct {
	Branch    string   `json:"branch" jsonschema:"(detached) without one"`
	Commit    string   `json:"commit"`
	Upstream  string   `json:"upstream"`
	Ahead     int      `json:"ahead"`
	Behind    int      `json:"behind"`
	Under     string   `json:"under" jsonschema:"merge, rebase, cherry-pick, revert or bisect that is under way"`
	Files     []File   `json:"files" jsonschema:"tracked files with changes"`
	Untracked []string `json:"untracked"`
	Conflicts []string `json:"conflicts"`
	Worktrees []Tree   `json:"worktrees" jsonschema:"all work trees of the repository"`
	Truncated bool     `json:"truncated"`
}

// operations are files in the git directory while something is under way.
var operations = []struct{ file, name string }{{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"}}

// Status returns the state of the work tree, and the files below the directory with changes.
func (v *View) Status(ctx context.Context) (*Status, error) {
	out, cut, err := v.run(ctx, "status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=all", "--untracked-files=normal", "--", ".")
	if err != nil {
		return nil, err
	}
	s := &Status{Files: []File{}, Untracked: []string{}, Conflicts: []string{}, Worktrees: []Tree{}, Truncated: cut}
	head, err := gitstatus.Read(ctx, v.dir)
	if err != nil {
		return nil, err
	}
	s.Branch, s.Commit, s.Upstream, s.Ahead, s.Behind = head.Branch, head.Commit, head.Upstream, head.Ahead, head.Behind
	for _, o := range operations {
		if _, err := os.Lstat(filepath.Join(v.gitDir, o.file)); err == nil && s.Under == "" {
			s.Under = o.name
		}
	}
	v.changed(s, out)
	s.Worktrees = v.trees(ctx)
	return s, nil
}

// changed reads the entries of git status.
func (v *View) changed(s *Status, out string) {
	entries := strings.Split(out, "\x00")
	for i := 0; i < len(entries); i++ {
		fields := strings.SplitN(entries[i], " ", 9)
		if len(s.Files)+len(s.Untracked)+len(s.Conflicts) >= maxPaths {
			s.Truncated = true
			return
		}
		switch kind := fields[0]; {
		case kind == "1" && len(fields) == 9:
			s.Files = append(s.Files, File{v.below(fields[8]), letter(fields[1], 0), letter(fields[1], 1)})
		case kind == "2" && len(fields) == 9:
			_, path, _ := strings.Cut(fields[8], " ") // behind the score
			s.Files = append(s.Files, File{v.below(path), letter(fields[1], 0), letter(fields[1], 1)})
			i++ // the old name
		case kind == "u":
			if fields := strings.SplitN(entries[i], " ", 11); len(fields) == 11 {
				s.Conflicts = append(s.Conflicts, v.below(fields[10]))
			}
		case kind == "?":
			s.Untracked = append(s.Untracked, v.below(strings.TrimPrefix(entries[i], "? ")))
		}
	}
}

// below is a path of the work tree as seen from the directory.
func (v *View) below(path string) string { return strings.TrimPrefix(path, v.prefix) }

func letter(xy string, i int) string {
	if i >= len(xy) || xy[i] == '.' {
		return ""
	}
	return xy[i : i+1]
}

func (v *View) trees(ctx context.Context) []Tree {
	out, _ := gitstatus.Run(ctx, v.dir, "worktree", "list", "--porcelain", "-z") // an old git: none
	list := []Tree{}
	for entry := range strings.SplitSeq(out, "\x00\x00") {
		var t Tree
		for line := range strings.SplitSeq(entry, "\x00") {
			name, value, _ := strings.Cut(line, " ")
			switch name {
			case "worktree":
				t.Path = value
			case "HEAD":
				t.Commit = value
			case "branch":
				t.Branch = strings.TrimPrefix(value, "refs/heads/")
			}
		}
		if t.Path != "" && len(list) < maxPaths {
			list = append(list, t)
		}
	}
	return list
}
