package request

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"

	"ccdir/api"
	"ccdir/internal/text/toolinput"
)

// Command is the command in a tool's input; ok is false if there is none.
func Command(input json.RawMessage) (command string, ok bool) {
	fields, ok := toolinput.Fields(input)
	i := slices.IndexFunc(fields, func(f toolinput.Field) bool { return f.Key == "command" })
	if !ok || i < 0 {
		return "", false
	}
	return fields[i].Text()
}

// WithCommand is the input with another command, the rest as it was.
func WithCommand(input json.RawMessage, command string) (json.RawMessage, error) {
	fields, _ := toolinput.Fields(input)
	text, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, f := range fields {
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		if f.Key == "command" {
			f.Value = text
		}
		out.WriteByte("{,"[min(i, 1)])
		out.Write(key)
		out.WriteByte(':')
		out.Write(f.Value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Writes is the file that a request would write whole; ok is false for others.
func Writes(r api.Request) (path string, ok bool) {
	fields, ok := toolinput.Fields(r.Input)
	content := false
	for _, f := range fields {
		text, isText := f.Text()
		switch {
		case f.Key == "file_path" && isText:
			path = text
		case f.Key == "content" && isText:
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
