package mcpserver

import (
	"context"

	"ccdir/api"
)

type docsIn struct {
	Query     string `json:"query" jsonschema:"a symbol, or in words what it is to do"`
	Package   string `json:"package,omitempty" jsonschema:"NAME or NAME@VERSION; default: all that the project uses"`
	Ecosystem string `json:"ecosystem,omitempty" jsonschema:"go, node, python, rust, man or project"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"default 2000"`
}

type docsReadIn struct {
	ID string `json:"id" jsonschema:"an id that docs_lookup returned"`
}

type docsOut struct {
	Docs api.DocsHit `json:"docs"`
}

// docsTools look up documentation for the session's directory.
func docsTools(docs Docs) []tool {
	if docs == nil {
		return nil
	}
	look := traits{reads: true, repeats: true}
	return []tool{
		define("docs_lookup", "Documentation of exactly the versions of the libraries that this project uses, and of the project, offline.", look,
			func(ctx context.Context, r *request, in docsIn) (*api.DocsAnswer, error) {
				dir, err := r.directory("")
				if err != nil {
					return nil, err
				}
				out, err := docs.Lookup(ctx, api.DocsQuestion{Dir: dir, Query: in.Query, Package: in.Package, Ecosystem: in.Ecosystem, MaxTokens: in.MaxTokens}, r.reads)
				return &out, err
			}),
		define("docs_read", "One piece of documentation whole, by its id.", look,
			func(ctx context.Context, r *request, in docsReadIn) (*docsOut, error) {
				dir, err := r.directory("")
				if err != nil {
					return nil, err
				}
				hit, err := docs.Read(ctx, dir, in.ID, r.reads)
				return &docsOut{hit}, err
			}),
	}
}
