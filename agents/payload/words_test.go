package payload

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestWordsKeepEveryName: whatever an agent reads of several members that say the same, a rule sees
// each file that one of them names.
func TestWordsKeepEveryName(t *testing.T) {
	words := Words{
		"read":      {Name: "Read", Members: map[string]string{"absolute_path": "file_path", "path": "file_path"}},
		"read_many": {Name: "Read", Members: map[string]string{"include": "paths"}},
	}
	for _, c := range []struct {
		tool, input string
		want        []string
	}{
		{"read", `{"path":"a"}`, []string{"a"}},
		{"read", `{"path":"a","absolute_path":"a"}`, []string{"a"}},
		{"read", `{"path":"a","absolute_path":"b"}`, []string{"a", "b"}},
		{"read", `{"path":"a","absolute_path":"b","file_path":"c"}`, []string{"a", "b", "c"}},
		{"read", `{"path":"a","absolute_path":"b","paths":["d"]}`, []string{"a", "b", "d"}},
		{"read_many", `{"paths":["a","b"],"include":["c"]}`, []string{"a", "b", "c"}},
		{"read_many", `{"include":["c"]}`, []string{"c"}},
	} {
		for range 20 { // the order of a map
			_, in, _ := words.Call(c.tool, json.RawMessage(c.input))
			var got struct {
				Path  string   `json:"file_path"`
				Paths []string `json:"paths"`
			}
			if err := json.Unmarshal(in, &got); err != nil {
				t.Fatalf("%s: %s: %v", c.input, in, err)
			}
			if got.Path != "" {
				got.Paths = append(got.Paths, got.Path)
			}
			slices.Sort(got.Paths)
			if got.Paths = slices.Compact(got.Paths); !slices.Equal(got.Paths, c.want) {
				t.Fatalf("%s: %s", c.input, in)
			}
		}
	}
}

// FuzzWords: an input of any shape is converted without a panic, to JSON, and a text that an agent
// may read as a file is still in it.
func FuzzWords(f *testing.F) {
	f.Add(`{"path":"a","absolute_path":["b",null],"file_path":{"c":1},"paths":["d"]}`, "secret")
	f.Add(`{"paths":"x","absolute_path":"y"}`, `a"b`)
	f.Add(`[1]`, "")
	words := Words{"read": {Name: "Read", Members: map[string]string{"absolute_path": "file_path", "path": "file_path", "include": "paths"}}}
	f.Fuzz(func(t *testing.T, input, file string) {
		if !json.Valid([]byte(input)) {
			return
		}
		for _, member := range []string{"absolute_path", "path", "file_path"} {
			o := Of(json.RawMessage(input))
			if o.Members == nil {
				o.Members = map[string]json.RawMessage{}
			}
			o.Members[member] = encode(file)
			_, in, _ := words.Call("read", encode(o.Members))
			if !json.Valid(in) || !strings.Contains(string(in), string(encode(file))) {
				t.Fatalf("%s %q: %s", member, file, in)
			}
		}
		_, _, _ = words.Call("read", json.RawMessage(input))
	})
}
