package mcpserver

import (
	"context"
	"slices"

	"ccdir/mcpserver/files"
	"ccdir/mcpserver/project"
)

type readIn struct {
	Path   string `json:"path" jsonschema:"absolute, or relative to the session's directory"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of lines; default 2000"`
}

type writeIn struct {
	Path    string `json:"path" jsonschema:"absolute, or relative to the session's directory"`
	Content string `json:"content"`
	Hash    string `json:"hash,omitempty" jsonschema:"hash that read returned: refuse if the file has changed since"`
}

type editIn struct {
	Path       string `json:"path" jsonschema:"absolute, or relative to the session's directory"`
	OldString  string `json:"old_string" jsonschema:"exact text, found once unless replace_all"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
	Hash       string `json:"hash,omitempty" jsonschema:"hash that read returned: refuse if the file has changed since"`
}

type listIn struct {
	Path  string `json:"path,omitempty" jsonschema:"directory; default: the session's"`
	Depth int    `json:"depth,omitempty" jsonschema:"levels; default 1, all for a glob with a slash"`
	Glob  string `json:"glob,omitempty" jsonschema:"such as *.go, src/**/*.{ts,tsx} or !*_test.go"`
}

type searchIn struct {
	Pattern    string `json:"pattern" jsonschema:"regular expression (RE2)"`
	Path       string `json:"path,omitempty" jsonschema:"file or directory; default: the session's"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files such as *.go, src/**/*.{ts,tsx} or !*_test.go"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Literal    bool   `json:"literal,omitempty" jsonschema:"pattern is plain text"`
	Limit      int    `json:"limit,omitempty" jsonschema:"number of matches; default 100, at most 500"`
}

// allTools returns the definitions; creating them takes some milliseconds.
func allTools(c Control) []tool {
	return slices.Concat(projectTools(), runTools(), fileTools(), sessionTools(c.Sessions), startTools(c.Sessions), taskTools(c.Tasks),
		messageTools(c.Messages, c.Sessions), askTools(c.Asker), pastTools(c.Past), docsTools(c.Docs), gitTools(), forgeTools(c.Forge), reviewTools(c.Reviews, c.Sessions))
}

func projectTools() []tool {
	look, build := traits{reads: true, repeats: true}, traits{repeats: true, world: true}
	simple := func(name, text string) tool {
		return define(name, text, build, func(ctx context.Context, r *request, in watchIn) (*Result, error) {
			return r.check(ctx, name, in, project.TestOptions{})
		}).keepsTime()
	}
	return []tool{
		define("project_info", "Languages, build system, packages, dependencies, test files, scripts, commands and git state of the project.", look,
			func(ctx context.Context, r *request, in projectIn) (*project.Info, error) {
				p, _, err := r.project(in.ProjectPath)
				if err != nil {
					return nil, err
				}
				info := p.Describe(ctx)
				for _, argv := range p.Versions() {
					info.Toolchain = append(info.Toolchain, r.version(ctx, p.Dir, argv))
				}
				return info, nil
			}),
		simple(project.Compile, "Compile the project; errors come with file, line and message."),
		simple(project.Lint, "Run the project's linter."),
		simple(project.TypeCheck, "Check the project's types without building it."),
		define(project.Test, "Run the project's tests; failures come with file, line, message and output.", build,
			func(ctx context.Context, r *request, in testIn) (*Result, error) {
				return r.check(ctx, project.Test, in.watchIn, project.TestOptions{Path: in.Path, Name: in.Name, Tags: in.Tags, Seed: in.Seed, MaxFailures: in.MaxFailures})
			}).keepsTime(),
		define(project.Format, "Check the formatting of the project, or with write format it.", build,
			func(ctx context.Context, r *request, in formatIn) (*Result, error) {
				return r.action(ctx, project.Format, in.commandIn, project.TestOptions{}, in.Write)
			}).keepsTime(),
	}
}

func fileTools() []tool {
	look, change := traits{reads: true, repeats: true}, traits{destroys: true}
	return []tool{
		define("read", "Read a text file with line numbers, and its hash for edit and write.", look,
			func(ctx context.Context, r *request, in readIn) (*files.Text, error) {
				if err := r.peer.caller.Walls.mayRead(); err != nil {
					return nil, err
				}
				return r.peer.space.Read(ctx, in.Path, in.Offset, in.Limit)
			}),
		define("write", "Write a whole file at once; mode, line ends (CRLF) and byte order mark of the one before stay.", change,
			func(_ context.Context, r *request, in writeIn) (*files.Written, error) {
				if err := r.peer.caller.Walls.mayWrite(); err != nil {
					return nil, err
				}
				return r.peer.space.Write(in.Path, in.Content, in.Hash)
			}),
		define("edit", "Replace exact text in a file.", change,
			func(_ context.Context, r *request, in editIn) (*files.Written, error) {
				if err := r.peer.caller.Walls.mayWrite(); err != nil {
					return nil, err
				}
				return r.peer.space.Edit(in.Path, in.OldString, in.NewString, in.ReplaceAll, in.Hash)
			}),
		define("list", "List a directory.", look,
			func(ctx context.Context, r *request, in listIn) (*files.Listing, error) {
				if err := r.peer.caller.Walls.mayRead(); err != nil {
					return nil, err
				}
				return r.peer.space.List(ctx, orDot(in.Path), in.Depth, in.Glob)
			}),
		define("search", "Find lines that match a regular expression; what git ignores is left out.", look,
			func(ctx context.Context, r *request, in searchIn) (*files.Matches, error) {
				if err := r.peer.caller.Walls.mayRead(); err != nil {
					return nil, err
				}
				return r.peer.space.Search(ctx, files.Query{Path: orDot(in.Path), Pattern: in.Pattern, Glob: in.Glob, IgnoreCase: in.IgnoreCase, Literal: in.Literal, Limit: in.Limit, Reads: r.reads})
			}),
	}
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}
