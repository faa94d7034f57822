package answer

import (
	"context"
	"errors"
	"io/fs"
	"unicode/utf8"

	"ccdir/internal/disk/untrusted"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
)

// readFile reads the file that the request would replace, once, so that the person sees
// what changes.
func (d bar) readFile() (bar, []ui.Effect) {
	if d.fileAsked {
		return d, nil
	}
	d.fileAsked = true
	path, ok := request.Writes(d.req)
	if !ok {
		return d, nil
	}
	return d, []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		return ui.Result{Value: readExisting(path)}, nil
	}}}
}

// readExisting reads a regular file of at most request.MaxCompared bytes of text.
func readExisting(path string) request.Present {
	out := request.Present{Known: true}
	data, err := untrusted.Read(path, request.MaxCompared)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Absent = true
	case errors.Is(err, untrusted.ErrNotRegular):
		out.Problem = "it is no regular file now"
	case errors.Is(err, untrusted.ErrTooLarge):
		out.Problem = "the present file is too large to be compared"
	case err != nil:
		out.Problem = "the present file cannot be read"
	case !utf8.Valid(data):
		out.Problem = "the present file is no text that can be compared"
	default:
		out.Text = string(data)
	}
	return out
}
