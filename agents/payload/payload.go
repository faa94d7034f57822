// Package payload reads what agents report as JSON objects: the payloads of their hooks and
// the inputs of their tools.
//
// Contract: a payload is untrusted. Members are found by their exact names, those of an
// unexpected type count as missing, and all that is kept of a payload is bounded and has no
// likely secrets. Only a payload that is no object is an error.
package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"ccdir/agents"
)

// Object is a JSON object. The zero value has no members.
type Object struct {
	Members map[string]json.RawMessage
}

// Of decodes an object by the exact names of its members: a struct would accept "Command"
// for "command", and agents do not. The result is empty if data is no object.
func Of(data json.RawMessage) (o Object) {
	if json.Unmarshal(data, &o.Members) != nil {
		o.Members = nil
	}
	return o
}

// OfHook decodes the payload of a hook. text is the payload with invalid UTF-8 replaced:
// parts of it go to WebSockets, which refuse that.
func OfHook(hook string, payload []byte) (o Object, text []byte, err error) {
	if !utf8.Valid(payload) {
		payload = bytes.ToValidUTF8(payload, []byte("\uFFFD"))
	}
	if err := json.Unmarshal(payload, &o.Members); err != nil {
		return Object{}, nil, fmt.Errorf("the payload of hook %s is not a JSON object: %w", agents.Visible(hook, 64), err)
	}
	if o.Members == nil {
		return Object{}, nil, errors.New("the payload of hook " + agents.Visible(hook, 64) + " is null")
	}
	return o, payload, nil
}

// Into decodes a member if it exists; false if it has another type.
func (o Object) Into(name string, v any) bool {
	raw, there := o.Members[name]
	return !there || json.Unmarshal(raw, v) == nil
}

// Text is a member that is a string, "" if it is none.
func (o Object) Text(name string) string {
	var s string
	_ = json.Unmarshal(o.Members[name], &s)
	return s
}

// True reports whether a member is true.
func (o Object) True(name string) bool {
	var b bool
	return json.Unmarshal(o.Members[name], &b) == nil && b
}

// SetField sets a field of a hook's evidence unless the value is empty.
func SetField(h *agents.Hook, name, value string) {
	if value != "" {
		h.Evidence.Fields[name] = agents.Visible(value, agents.MaxField)
	}
}

// ToolLine describes a tool's input in one line: its most telling member.
func ToolLine(input json.RawMessage) string {
	o := Of(input)
	for _, name := range []string{"command", "cmd", "file_path", "filePath", "notebook_path", "path", "pattern", "url", "query", "description", "prompt", "subject", "text"} {
		if s := o.Text(name); s != "" {
			return s
		}
	}
	if line := filesLine(o); line != "" {
		return line
	}
	for line := range strings.Lines(o.Text("plan")) { // in Markdown: its heading
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return line
		}
	}
	var b bytes.Buffer
	if len(o.Members) == 0 || json.Compact(&b, input) != nil {
		return ""
	}
	return b.String()
}
