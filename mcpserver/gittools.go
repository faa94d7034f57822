package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/mcpserver/diag"
	"ccdir/mcpserver/gitview"
	"ccdir/mcpserver/project"
)

type gitIn struct {
	projectIn
}

type gitDiffIn struct {
	projectIn
	Scope    string   `json:"scope,omitempty" jsonschema:"worktree (default: all that is not committed), staged, branch (since it left the main branch) or turn (since yours began)"`
	Revision string   `json:"revision,omitempty" jsonschema:"instead of scope: COMMIT, or A..B"`
	Paths    []string `json:"paths,omitempty" jsonschema:"relative; default: all"`
	MaxBytes int      `json:"max_bytes,omitempty" jsonschema:"of patches; default 30000; -1: only the list of files"`
}

type gitLogIn struct {
	projectIn
	Revision string   `json:"revision,omitempty" jsonschema:"COMMIT, or A..B; default HEAD"`
	Paths    []string `json:"paths,omitempty" jsonschema:"only commits that changed one of them"`
	Limit    int      `json:"limit,omitempty" jsonschema:"default 20, at most 200"`
}

type gitBlameIn struct {
	projectIn
	Path     string `json:"path" jsonschema:"relative"`
	Revision string `json:"revision,omitempty"`
	From     int    `json:"from,omitempty" jsonschema:"first line"`
	To       int    `json:"to,omitempty" jsonschema:"last line"`
}

// gitTools tell what git knows, without changing anything.
func gitTools() []tool {
	look := traits{reads: true, repeats: true}
	open := func(ctx context.Context, r *request, in projectIn) (*gitview.View, error) {
		dir, err := r.directory(in.ProjectPath)
		if err != nil {
			return nil, err
		}
		return gitview.Open(ctx, dir, r.reads)
	}
	return []tool{
		define("git_status", "Branch, changed, untracked and conflicting files, operation under way, work trees.", look,
			func(ctx context.Context, r *request, in gitIn) (*gitview.Status, error) {
				v, err := open(ctx, r, in.projectIn)
				if err != nil {
					return nil, err
				}
				return v.Status(ctx)
			}),
		define("git_diff", "What changed, file by file, with patches.", look,
			func(ctx context.Context, r *request, in gitDiffIn) (*gitview.Diff, error) {
				v, err := open(ctx, r, in.projectIn)
				if err != nil {
					return nil, err
				}
				q := gitview.Question{Scope: in.Scope, Revision: in.Revision, Paths: in.Paths, Bytes: in.MaxBytes}
				if in.Scope == gitview.ScopeTurn && in.Revision == "" {
					return r.turn(ctx, v, q)
				}
				return v.Diff(ctx, q)
			}),
		define("git_log", "Commits, the newest first.", look,
			func(ctx context.Context, r *request, in gitLogIn) (*gitview.Log, error) {
				v, err := open(ctx, r, in.projectIn)
				if err != nil {
					return nil, err
				}
				return v.Log(ctx, in.Revision, in.Paths, in.Limit)
			}),
		define("git_blame", "Which commit each line of a file comes from.", look,
			func(ctx context.Context, r *request, in gitBlameIn) (*gitview.Blame, error) {
				v, err := open(ctx, r, in.projectIn)
				if err != nil {
					return nil, err
				}
				return v.Blame(ctx, in.Path, in.Revision, in.From, in.To)
			}),
	}
}

// turn is what the caller's turn changed in a directory.
func (r *request) turn(ctx context.Context, v *gitview.View, q gitview.Question) (*gitview.Diff, error) {
	reviews := r.server.opts.Control.Reviews
	if reviews == nil || r.peer.caller.Session == "" {
		return nil, errors.New("when your turn began is known for sessions of ccdir alone: leave since out, or use the scope worktree, staged or branch")
	}
	d, root, err := reviews.Turn(ctx, r.peer.caller.Session, api.DiffQuestion{Stat: q.Bytes < 0})
	if err != nil {
		return nil, err
	}
	return v.Of(root, d, q)
}

// changedFiles are the files that the caller's turn changed, relative to the project.
func (r *request) changedFiles(ctx context.Context, p *project.Project) ([]string, error) {
	v, err := gitview.Open(ctx, p.Dir, nil)
	if err != nil {
		return nil, err
	}
	d, err := r.turn(ctx, v, gitview.Question{Bytes: -1})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range d.Files {
		names = append(names, filepath.FromSlash(f.Path))
	}
	return names, nil
}

// sinceTurn narrows a run to what the caller's turn changed: tests to the packages or files
// of tests, other diagnostics to the files. note says what was done.
func (r *request) sinceTurn(ctx context.Context, p *project.Project, action, since string, opts *project.TestOptions) (only []string, note string, err error) {
	switch {
	case since == "":
		return nil, "", nil
	case since != gitview.ScopeTurn:
		return nil, "", &invalidError{"since must be turn"}
	case opts.Path != "":
		return nil, "", &invalidError{"since and path exclude each other"}
	}
	only, err = r.changedFiles(ctx, p)
	switch {
	case err != nil:
		return nil, "", err
	case len(only) == 0:
		return []string{}, "no file has changed since your turn began", nil
	case action != project.Test:
		return only, "", nil
	}
	paths := p.TestPaths(only)
	if len(paths) == 0 {
		return nil, "no test belongs to what changed since your turn began: all were run", nil
	}
	opts.Path, opts.Also = paths[0], paths[1:]
	return nil, "only of what changed since your turn began: " + strings.Join(paths[:min(len(paths), 5)], ", "), nil
}

// keepOnly leaves out the diagnostics of other files; those without a file stay.
func (r *Result) keepOnly(files []string) {
	outside := func(d diag.Diagnostic) bool { return d.File != "" && !slices.Contains(files, filepath.Clean(d.File)) }
	n := len(r.Errors) + len(r.Warnings)
	r.Errors, r.Warnings = slices.DeleteFunc(r.Errors, outside), slices.DeleteFunc(r.Warnings, outside)
	if n -= len(r.Errors) + len(r.Warnings); n > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d diagnostics in files that your turn has not changed are left out", n))
	}
}
