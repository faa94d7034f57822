package ui

import (
	"context"

	"ccdir/internal/text/textsafe"
)

// Templates is the part of a client that opens templates of the configuration.
type Templates interface {
	// OpenTemplate starts the sessions of a template that do not run in a directory, with an
	// environment, arranges the grid as the template says, and returns what it has done, in words.
	OpenTemplate(ctx context.Context, name, dir string, env []string) (string, error)
}

// OpenTemplate asks for a template, in an absolute directory of this machine.
func OpenTemplate(env Env, name, dir string) Effect {
	environ := env.Environ
	return Call{What: "opening " + textsafe.Line(name), Run: func(ctx context.Context, c Client) (Result, error) {
		opener, err := As[Templates](c)
		if err != nil {
			return Result{}, err
		}
		said, err := opener.OpenTemplate(ctx, name, dir, environ)
		return Result{Effects: []Effect{Say{Text: said}}}, err
	}}
}
