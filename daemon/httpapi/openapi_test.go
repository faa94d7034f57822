package httpapi

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ccdir/daemon/httpapi/openapi/source"
)

var update = flag.Bool("update", false, "write comments.json anew")

// TestComments: the comments in the description are the source's.
func TestComments(t *testing.T) {
	all, err := source.Read("../../api", "../../wire")
	if err != nil {
		t.Fatal(err)
	}
	// Only what the description has.
	schemas := OpenAPI()["components"].(map[string]any)["schemas"].(map[string]any)
	used := func(name string) bool {
		name, _, _ = strings.Cut(name, ".")
		_, plain := schemas[name]
		_, enum := all.Enums[name]
		return plain || enum || name == "Duration"
	}
	maps.DeleteFunc(all.Types, func(name, _ string) bool { return !used(name) && !used(embedded(name)) })
	want, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("comments.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(commentsJSON) != string(want) {
		t.Error("comments.json is not what the source says: go test ./daemon/httpapi -run TestComments -update")
	}
}

// embedded is a type whose fields a described type has.
func embedded(name string) string {
	switch kind, _, _ := strings.Cut(name, "."); kind {
	case "NewTask":
		return "Task"
	case "HistoryEntry":
		return "Transcript"
	}
	return ""
}

// TestDescription: description, table and mux have the same routes, every
// reference leads somewhere, and every schema is one.
func TestDescription(t *testing.T) {
	doc := decoded(t, OpenAPI())
	mux := (&server{}).mux()
	names := map[string]bool{}
	described := 0
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			described++
			r := httptest.NewRequest(strings.ToUpper(method), strings.ReplaceAll(path, "{ref}", "x"), nil)
			if _, pattern := mux.Handler(r); pattern != strings.ToUpper(method)+" "+path {
				t.Errorf("%s %s is described and served by %q", method, path, pattern)
			}
			name := op.(map[string]any)["operationId"].(string)
			if names[name] || name == "" {
				t.Errorf("two operations are called %q", name)
			}
			names[name] = true
		}
	}
	for _, r := range table() {
		if doc["paths"].(map[string]any)[r.path].(map[string]any)[strings.ToLower(r.method)] == nil {
			t.Errorf("%s %s is not described", r.method, r.path)
		}
		if !strings.HasPrefix(r.path, "/v1/") || r.doc == "" || r.handle == nil {
			t.Errorf("the route %s %s is not whole", r.method, r.path)
		}
		if r.kind == call && r.method != http.MethodGet && r.method != http.MethodDelete && r.in == nil && r.out == nil && r.name != "sessions.focus" && r.name != "sessions.seen" {
			t.Errorf("%s takes and gives nothing", r.name)
		}
		overlap(t, r)
	}
	if len(table()) != described {
		t.Errorf("%d routes, %d described", len(table()), described)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("ccdir.json", doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if _, err := compiler.Compile("ccdir.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ref := range references(doc) {
		at := any(doc)
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[part]
		}
		if at == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	}
}

// overlap finds parameters that a call of the control socket could not tell
// from fields of the body.
func overlap(t *testing.T, r route) {
	t.Helper()
	if r.in == nil || r.kind != call || reflect.TypeOf(r.in).Kind() != reflect.Struct {
		return
	}
	in := reflect.TypeOf(r.in)
	for i := range in.NumField() {
		name, _, _ := strings.Cut(in.Field(i).Tag.Get("json"), ",")
		if name == "ref" || name == "body" || slices.ContainsFunc(r.query, func(p param) bool { return p.name == name }) {
			t.Errorf("%s has %q in its body and beside it", r.name, name)
		}
	}
}

// TestUndescribedIsSeen: a type that changes changes the description.
func TestUndescribedIsSeen(t *testing.T) {
	doc := decoded(t, describe([]route{{method: "GET", path: "/v1/x", name: "x", out: struct{ A, B int }{}}}, false))
	if text, _ := json.Marshal(doc["components"]); !strings.Contains(string(text), `"B"`) {
		t.Errorf("the field B is not described: %s", text)
	}
}

func decoded(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return out.(map[string]any)
}

func references(v any) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if text, ok := e.(string); ok && k == "$ref" {
				list = append(list, text)
			}
			list = append(list, references(e)...)
		}
	case []any:
		for _, e := range v {
			list = append(list, references(e)...)
		}
	}
	return list
}
