package tui

import (
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"ccdir/internal/api"
)

// present is the file that a Write would replace.
type present struct {
	asked bool
	known bool
	text  string
	// absent: there is no such file yet. problem is why it is not compared.
	absent  bool
	problem string
}

// followAnswer reads the file that the request in the bar would replace, once, so
// that the person sees what changes.
func (m *model) followAnswer() cmd {
	d, ok := m.overlay.(answerBar)
	if !ok || d.file.asked {
		return nil
	}
	path, ok := writes(d.req)
	d.file.asked = true
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

// writes is the file that a request would write whole; ok is false for others.
func writes(r api.Request) (path string, ok bool) {
	fields, ok := orderedFields(r.Input)
	content := false
	for _, f := range fields {
		text, isText := f.text()
		switch {
		case f.key == "file_path" && isText:
			path = text
		case f.key == "content" && isText:
			content = true
		}
	}
	if !ok || !content || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.CWD, path)
	}
	return path, true
}

// readExisting reads a regular file of at most maxDiff bytes of text.
func readExisting(path string) present {
	out := present{asked: true, known: true}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		out.absent = true
		return out
	case err != nil:
		out.problem = "the present file cannot be read"
		return out
	case !info.Mode().IsRegular():
		out.problem = "it is no regular file now"
		return out
	case info.Size() > maxDiff:
		out.problem = "the present file is too large to be compared"
		return out
	}
	f, err := os.Open(path)
	if err != nil {
		out.problem = "the present file cannot be read"
		return out
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDiff+1))
	switch {
	case err != nil:
		out.problem = "the present file cannot be read"
	case len(data) > maxDiff || !utf8.Valid(data):
		out.problem = "the present file is no text that can be compared"
	default:
		out.text = string(data)
	}
	return out
}
