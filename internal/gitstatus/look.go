package gitstatus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/contain"
)

// Look is how git looks at a repository without running any of its programs: from a git
// directory of our own, with the repository's objects, refs and index, and a configuration
// into which only known settings are copied. What is written into the repository's settings
// while git runs is never read, so that there is nothing to win by being quick. Make one with
// NewLook, and Close it. It holds what HEAD and the settings were when it was made.
type Look struct {
	// dir is where git runs, place our git directory, top the work tree, "" for none.
	dir, place, top string
	// gitDir and common are the repository's own, "" for none.
	gitDir, common string
	lock           *os.File // of place
	env            []string
	// filters are the names of filters that have a program.
	filters map[string]bool
	// lent: for other programs, with what they ask about remotes.
	lent bool
}

// NewLook makes a Look at the repository around dir. It runs git twice, and blocks as long.
func NewLook(ctx context.Context, dir string) (*Look, error) { return newLook(ctx, dir, false) }

func newLook(ctx context.Context, dir string, lent bool) (*Look, error) {
	var settings string
	var wg contain.Group
	var failed error
	wg.Go(func() { // fails where there are none
		failed = contain.Call(nil, func() error { // without the settings a filter would run
			settings, _ = Run(ctx, dir, "config", "--includes", "--show-scope", "-z", "--list")
			return nil
		})
	})
	where, err := Run(ctx, dir, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--is-inside-work-tree", "--show-cdup")
	wg.Wait()
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	lines := strings.Split(where, "\n")
	if len(lines) < 4 {
		return nil, errors.New("git does not say where the repository is")
	}
	real, err := filepath.EvalSymlinks(dir) // git's .. is that of the file system
	if err != nil {
		return nil, err
	}
	gitDir, common, top := lines[0], lines[1], filepath.Join(real, lines[3])
	if !filepath.IsAbs(common) {
		common = filepath.Join(real, common)
	}
	place, lock, err := newPlace()
	if err != nil {
		return nil, err
	}
	l := &Look{dir: dir, place: place, gitDir: gitDir, common: common, lock: lock, filters: map[string]bool{}, lent: lent}
	if err := errors.Join(l.link(gitDir, common), l.configure(settings)); err != nil {
		l.Close()
		return nil, fmt.Errorf("git cannot be run: %w", err)
	}
	l.env = append(Env(), "GIT_DIR="+place, "GIT_INDEX_FILE="+filepath.Join(gitDir, "index"), "GIT_OBJECT_DIRECTORY="+filepath.Join(common, "objects"),
		"HOME="+place, "XDG_CONFIG_HOME="+place, "GIT_CONFIG_NOSYSTEM=1")
	if lines[2] == "true" {
		l.top = top
		l.env = append(l.env, "GIT_WORK_TREE="+top)
	}
	return l, nil
}

// NewEmpty makes a Look at a directory as if it were the work tree of a repository without files, with
// the settings of the person alone. It runs git once, and blocks as long.
func NewEmpty(ctx context.Context, dir string) (*Look, error) {
	place, lock, err := newPlace()
	if err != nil {
		return nil, err
	}
	l := &Look{dir: dir, place: place, lock: lock, top: dir, filters: map[string]bool{}}
	err = os.WriteFile(filepath.Join(place, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600)
	for _, name := range []string{"objects", "refs"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(place, name), 0o700))
	}
	list := Acting(ctx, dir, "config", "--includes", "-z", "--show-scope", "--list")
	list.Env = append(list.Env, "GIT_DIR="+place)
	settings, _ := Output(ctx, list) // fails where there are none
	if err = errors.Join(err, l.configure(settings)); err != nil {
		l.Close()
		return nil, fmt.Errorf("git cannot be run: %w", err)
	}
	l.env = append(Env(), "GIT_DIR="+place, "GIT_WORK_TREE=.", "HOME="+place, "XDG_CONFIG_HOME="+place, "GIT_CONFIG_NOSYSTEM=1")
	return l, nil
}

// Where is where the repository lies: the top of the work tree, its own git directory, and the one
// that all work trees share. "" is none.
func (l *Look) Where() (top, gitDir, common string) { return l.top, l.gitDir, l.common }

// AtTop is the same Look from the top of the work tree; it ends with l.
func (l *Look) AtTop() *Look {
	top := *l
	if l.top != "" {
		top.dir = l.top
	}
	return &top
}

// Close removes what the Look has on disk.
func (l *Look) Close() {
	_ = os.RemoveAll(l.place)
	_ = l.lock.Close()
}

// shared are the files of the common directory that git needs to look, own those of the work
// tree's directory.
var (
	shared = []string{"refs", "packed-refs", "reftable", "logs", "info", "shallow"}
	own    = []string{"HEAD"}
)

// link makes our git directory out of the repository's. Settings and hooks are left out.
func (l *Look) link(gitDir, common string) error {
	for _, name := range shared {
		if err := os.Symlink(filepath.Join(common, name), filepath.Join(l.place, name)); err != nil {
			return err
		}
	}
	parts, _ := os.ReadDir(gitDir) // an index may be in two parts
	for _, e := range parts {
		if strings.HasPrefix(e.Name(), "sharedindex.") {
			if err := os.Symlink(filepath.Join(gitDir, e.Name()), filepath.Join(l.place, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, name := range own {
		data, err := os.ReadFile(filepath.Join(gitDir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(l.place, name), data, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copied are the settings that decide what git says about files and commits, and name no
// program. Others are left out: a new one of git has to be looked at first. A name that ends
// in a dot is a section, of which settings without a part in the middle count.
var copied = []string{
	"core.repositoryformatversion", "extensions.", "core.bare", "core.sharedrepository", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.autocrlf",
	"core.eol", "core.safecrlf", "core.excludesfile", "core.attributesfile", "core.trustctime", "core.checkstat", "core.checkroundtripencoding",
	"core.sparsecheckout", "core.sparsecheckoutcone", "core.bigfilethreshold", "core.abbrev", "core.commentchar", "core.usereplacerefs",
	"core.quotepath", "core.protecthfs", "core.protectntfs", "core.notesref", "core.logallrefupdates", "status.", "index.", "i18n.",
	"diff.renames", "diff.renamelimit", "diff.algorithm", "diff.context", "diff.indentheuristic", "diff.noprefix", "diff.mnemonicprefix",
	"merge.renames", "merge.renamelimit", "merge.directoryrenames", "merge.conflictstyle", "merge.renormalize", "log.date", "blame.",
}

// takes reports whether a setting is copied.
func takes(section, middle, key string) bool {
	switch section {
	case "branch":
		return middle != "" && (key == "remote" || key == "merge")
	case "remote":
		return middle != "" && (key == "fetch" || key == "promisor")
	}
	return middle == "" && (slices.Contains(copied, section+"."+key) || slices.Contains(copied, section+"."))
}

// lends reports whether a setting is copied for a program that asks a forge: what the forge is, and
// what the program itself keeps there.
func lends(section, key string) bool {
	switch section {
	case "remote":
		return key == "url" || key == "pushurl" || key == "pushdefault" || key == "gh-resolved" || key == "glab-resolved"
	case "branch":
		return key == "pushremote" || key == "gh-merge-base"
	case "url":
		return key == "insteadof" || key == "pushinsteadof"
	}
	return false
}

// configure writes our configuration out of git's list of all settings.
func (l *Look) configure(settings string) error {
	var b strings.Builder
	home, xdg := os.Getenv("HOME"), os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	write := func(section, middle, key, value string) {
		fmt.Fprintf(&b, "[%s", section)
		if middle != "" {
			fmt.Fprintf(&b, ` "%s"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(middle))
		}
		fmt.Fprintf(&b, "]\n\t%s = \"%s\"\n", key, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(value))
	}
	// git reads these files of the person's even if nothing names them.
	write("core", "", "excludesfile", filepath.Join(xdg, "git", "ignore"))
	write("core", "", "attributesfile", filepath.Join(xdg, "git", "attributes"))
	fields := strings.Split(settings, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		name, value, ok := strings.Cut(fields[i+1], "\n")
		if !ok {
			value = "true"
		}
		section, rest, _ := strings.Cut(name, ".")
		middle, key := "", rest
		if at := strings.LastIndexByte(rest, '.'); at >= 0 {
			middle, key = rest[:at], rest[at+1:]
		}
		switch {
		case section == "filter" && (key == "clean" || key == "process") && value != "":
			l.filters[middle] = true
		case section == "merge" && middle != "" && key == "driver":
			write(section, middle, key, "false") // a file that needs it counts as a conflict
		case takes(section, middle, key), l.lent && lends(section, key):
			if rest, ok := strings.CutPrefix(value, "~/"); ok && (key == "excludesfile" || key == "attributesfile") {
				value = filepath.Join(home, rest)
			}
			write(section, middle, key, value)
		}
	}
	return os.WriteFile(filepath.Join(l.place, "config"), []byte(b.String()), 0o600)
}

// Command makes a command that runs git as the Look does.
func (l *Look) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := Acting(ctx, l.dir, args...)
	cmd.Env = slices.Clone(l.env)
	return cmd
}

// Run runs git as the Look does until ctx ends, and returns its output; not in submodules.
func (l *Look) Run(ctx context.Context, args ...string) (string, error) {
	return Output(ctx, l.Command(ctx, inside(args)...))
}

// Converted are those of paths whose content a filter converts: whether such a file has
// changed, only its program knows. Paths are relative to the directory looked at.
func (l *Look) Converted(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(l.filters) == 0 || len(paths) == 0 {
		return nil, nil
	}
	cmd := l.Command(ctx, "check-attr", "-z", "--stdin", "filter")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := Output(ctx, cmd)
	if err != nil {
		return nil, err
	}
	converted := map[string]bool{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if l.filters[fields[i+2]] {
			converted[fields[i]] = true
		}
	}
	return converted, nil
}
