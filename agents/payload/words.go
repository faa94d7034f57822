package payload

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/patchtext"
)

// Word is an agent's tool in ccdir's words.
type Word struct {
	// Name is ccdir's name of the tool.
	Name string
	// Members are ccdir's names of members of the input, by the agent's.
	Members map[string]string
	// Dir is the member that names the directory in which the call works; "" for none.
	Dir string
	// Convert changes members further; nil: nothing more.
	Convert func(members map[string]json.RawMessage)
}

// Words are an agent's tools by its own names. A tool that is missing is called the same by
// ccdir, or unknown to it.
type Words map[string]Word

// Call is a call in ccdir's words, with the directory that it names. The input stays as it is
// unless it is an object.
func (w Words) Call(tool string, input json.RawMessage) (name string, in json.RawMessage, dir string) {
	word, ok := w[tool]
	if !ok {
		return tool, input, ""
	}
	o := Of(input)
	if o.Members == nil {
		return word.Name, input, ""
	}
	out := make(map[string]json.RawMessage, len(o.Members))
	for k, v := range o.Members {
		if word.Members[k] == "" && k != word.Dir {
			out[k] = v
		}
	}
	var others []json.RawMessage // of members of the same meaning: a version of the agent may read either
	for _, k := range slices.Sorted(maps.Keys(word.Members)) {
		v, there := o.Members[k]
		if !there {
			continue
		}
		known := word.Members[k]
		if other, twice := out[known]; twice && string(other) != string(v) {
			others = append(others, other)
		}
		out[known] = v
	}
	if len(others) > 0 {
		out["paths"] = encode(flat(append(others, out["paths"])))
	}
	if word.Convert != nil {
		word.Convert(out)
	}
	return word.Name, encode(out), o.Text(word.Dir)
}

// flat are the values of a list, each element of an array by itself; missing ones are left out.
func flat(values []json.RawMessage) (out []json.RawMessage) {
	for _, v := range values {
		var several []json.RawMessage
		switch {
		case len(v) == 0:
		case json.Unmarshal(v, &several) == nil:
			out = append(out, several...)
		default:
			out = append(out, v)
		}
	}
	return out
}

// Patch converts a member that holds a patch to the files that it changes. A text that is no
// patch names none, so that no rule can allow it.
func Patch(member string) func(map[string]json.RawMessage) {
	return func(members map[string]json.RawMessage) {
		text := Object{members}.Text(member)
		clear(members)
		if files, whole := patchtext.Parse(text); whole {
			members["files"] = encode(files)
		} else {
			members["text"] = encode(text)
		}
	}
}

// URLs adds the addresses in a member with prose.
func URLs(member string) func(map[string]json.RawMessage) {
	return func(members map[string]json.RawMessage) {
		var urls []string
		for _, word := range strings.Fields(Object{members}.Text(member)) {
			if strings.Contains(word, "://") {
				urls = append(urls, strings.Trim(word, "\"'`<>()[]{},;.!?"))
			}
		}
		if len(urls) > 0 {
			members["urls"] = encode(urls)
		}
	}
}

// filesLine names the files of a patch, "" for other inputs.
func filesLine(o Object) string {
	var files []patchtext.File
	if !o.Into("files", &files) {
		return ""
	}
	var names []string
	for _, f := range files {
		name := f.Path
		if f.MoveTo != "" {
			name += " → " + f.MoveTo
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// ToolPhrase describes a change or a typed text in a few words, "" for other tools.
func ToolPhrase(tool string, input json.RawMessage) string {
	switch o := Of(input); tool {
	case api.ToolPatch:
		return "edit " + filesLine(o)
	case api.ToolType:
		return "type " + o.Text("text")
	}
	return ""
}
