package tui

import (
	"errors"
	"io/fs"
	"unicode/utf8"

	"ccdir/internal/disk/untrusted"
	"ccdir/tui/answer/request"
)

// followAnswer reads the file that the request in the bar would replace, once, so
// that the person sees what changes.
func (m *model) followAnswer() cmd {
	d, ok := m.overlay.(answerBar)
	if !ok || d.fileAsked {
		return nil
	}
	path, ok := request.Writes(d.req)
	d.fileAsked = true
	m.overlay = d
	if !ok {
		return nil
	}
	id := d.req.ID
	return m.call("", func(calls) (func(*model), error) {
		found := readExisting(path)
		return func(m *model) {
			if d, ok := m.overlay.(answerBar); ok && d.req.ID == id {
				d.file = found
				m.overlay = d
			}
		}, nil
	})
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
