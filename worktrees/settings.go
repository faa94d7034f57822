package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/tomltext"
)

// settingsFile is a project's file of settings, maxSettings its bound in bytes.
const (
	settingsFile = ".ccdir.toml"
	maxSettings  = 1 << 20
)

// Values of Settings.Isolate: when a new session gets a work tree without being asked.
const (
	IsolateNever  = "never"
	IsolateAlways = "always"
	IsolateIfBusy = "if-busy"
)

// Settings are what a project's .ccdir.toml says about work trees, and its checks.
type Settings struct {
	// Isolate is one of the constants.
	Isolate string
	// Place is a template for places, "" for the user's.
	Place string
	// Copy and Link are patterns, as in .gitignore, of ignored files that come along.
	Copy, Link []string
	// SetupCommand is run in a new tree, in a pane of its own; Wait: the agent starts after it.
	SetupCommand string
	Wait         bool
	// Sandbox is the profile of the walls that it asks for, "" for none.
	Sandbox string
	// Checks are [checks], in the order of their names.
	Checks []Check
}

// SettingsKeys are the keys of [worktree], with what they do.
func SettingsKeys() map[string]string {
	return map[string]string{
		"place": "where work trees are made: {root}, {repo}, {branch} and ~ are replaced",
		"copy":  "patterns, as in .gitignore, of ignored files that a new work tree gets copies of (so does .worktreeinclude)",
		"link":  "patterns of ignored files and folders that it gets links to",
		"setup": "a shell command that is run in a new work tree, in a pane of its own, after you agreed to its text",
		"wait":  "the agent starts when it is done; false: at once",
	}
}

// ReadSettings reads a project's settings; without a file they are the defaults.
func ReadSettings(top string) (Settings, error) {
	s := Settings{Isolate: IsolateNever, Wait: true}
	file := filepath.Join(top, settingsFile)
	raw, err := untrusted.Read(file, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, api.Errorf(api.CodeInvalid, "cannot read %s: %v", file, err)
	}
	if err := s.parse(string(raw)); err != nil {
		return s, api.Errorf(api.CodeInvalid, "%s: %v", file, err)
	}
	return s, nil
}

// setupNote says that the setup command of a new tree is another one than the file says where the
// caller is: that has changes which the tree's commit lacks. here is nil outside of the trees.
func setupNote(onDisk, own Settings, here *Tree) string {
	if here == nil || onDisk.SetupCommand == "" || onDisk.SetupCommand == own.SetupCommand {
		return ""
	}
	is := "has none"
	if own.SetupCommand != "" {
		is = "is another one"
	}
	return fmt.Sprintf("copy and link were read from %s as it is on disk; setup is read from the commit at which the branch begins, which %s: commit %s, or run the command yourself",
		filepath.Join(here.Path, settingsFile), is, settingsFile)
}

// SetupOf returns the setup command that a new tree would have, by the commit that it would begin
// at; "" if it has none, or if the branch has a tree already.
func (k *Keeper) SetupOf(ctx context.Context, n api.NewWorktree) (command string, err error) {
	r, err := Open(ctx, n.Dir)
	if err != nil {
		return "", err
	}
	for _, t := range r.Trees {
		if t.Branch == n.Branch {
			return "", nil
		}
	}
	n.Fetch = false
	start, err := k.startOf(ctx, r, r.around(n.Dir), n)
	if err != nil {
		return "", err
	}
	s := Settings{}
	text, err := run{dir: r.Common}.git(ctx, "cat-file", "blob", start.commit+":"+settingsFile)
	if err != nil || len(text) > maxSettings || s.parse(text) != nil {
		return "", nil //nolint:nilerr // without the file, or with one that says nothing, nothing is run
	}
	return s.SetupCommand, nil
}

// parse reads the text of the file; other tables are not looked at.
func (s *Settings) parse(text string) error {
	values, _, err := tomltext.Decode(text)
	if err != nil {
		var syntax *tomltext.Error
		if errors.As(err, &syntax) {
			return fmt.Errorf("line %d: %s", syntax.Line, syntax.Message)
		}
		return err
	}
	if v, ok := values["isolate"]; ok {
		s.Isolate, _ = v.(string)
		if known := []string{IsolateNever, IsolateAlways, IsolateIfBusy}; !slices.Contains(known, s.Isolate) {
			return fmt.Errorf(`isolate must be "never", "always" or "if-busy"`)
		}
	}
	if v, ok := values["sandbox"]; ok {
		if s.Sandbox, ok = v.(string); !ok || s.Sandbox == "" {
			return fmt.Errorf("sandbox must be the name of a profile")
		}
	}
	if s.Checks, err = parseChecks(values["checks"]); err != nil {
		return err
	}
	table, _ := values["worktree"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if err := s.set(key, table[key]); err != nil {
			return fmt.Errorf("worktree.%s: %w", key, err)
		}
	}
	return nil
}

// set sets a key of [worktree].
func (s *Settings) set(key string, v any) error {
	var ok bool
	switch key {
	case "place":
		s.Place, ok = v.(string)
	case "setup":
		s.SetupCommand, ok = v.(string)
		if s.SetupCommand = strings.TrimSpace(s.SetupCommand); strings.ContainsRune(s.SetupCommand, 0) {
			return errors.New("it has a NUL byte")
		}
	case "wait":
		s.Wait, ok = v.(bool)
	case "copy":
		s.Copy, ok = texts(v)
	case "link":
		s.Link, ok = texts(v)
	default:
		return fmt.Errorf("no such key; there are %s", strings.Join(slices.Sorted(maps.Keys(SettingsKeys())), ", "))
	}
	if !ok {
		return errors.New("it has another type: see docs/worktrees.md")
	}
	return nil
}

// texts is a list of strings without NUL bytes and newlines.
func texts(v any) (list []string, ok bool) {
	all, ok := v.([]any)
	for _, one := range all {
		s, isText := one.(string)
		if !isText || strings.ContainsAny(s, "\x00\n") {
			return nil, false
		}
		list = append(list, s)
	}
	return list, ok
}
