package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ccdir/daemon/httpapi"
)

// description is the API's, with schemas that allow no further properties.
type description struct {
	mux      *http.ServeMux
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
}

var described = sync.OnceValue(func() *description {
	data, err := json.Marshal(httpapi.StrictOpenAPI())
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	d := &description{mux: http.NewServeMux(), compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	d.compiler.AssertContent()
	if err := d.compiler.AddResource("ccdir.json", doc); err != nil {
		panic(err)
	}
	for path, item := range doc.(map[string]any)["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			at := "ccdir.json#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(path) + "/" + method + "/responses/"
			responses := op.(map[string]any)["responses"].(map[string]any)
			d.mux.HandleFunc(strings.ToUpper(method)+" "+path, func(w http.ResponseWriter, r *http.Request) {
				answer, known := responses[r.Header.Get("Status")].(map[string]any)
				if !known {
					w.WriteHeader(http.StatusNotFound)
					return
				}
				if content, _ := answer["content"].(map[string]any); content["application/json"] != nil {
					_, _ = w.Write([]byte(at + r.Header.Get("Status") + "/content/application~1json/schema"))
				}
			})
		}
	}
	return d
})

// conform checks an answer against the description.
func conform(t testing.TB, method, path string, status int, data []byte) {
	t.Helper()
	d := described()
	at := "ccdir.json#/components/schemas/Error"
	if status < 300 {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Status", strconv.Itoa(status))
		w := httptest.NewRecorder()
		d.mux.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Errorf("%s %s answered %d, which is not described", method, path, status)
			return
		}
		at = w.Body.String()
		if at == "" {
			if len(data) > 0 {
				t.Errorf("%s %s answered with a body that is not described: %.200s", method, path, data)
			}
			return
		}
	}
	if err := d.validate(at, data); err != nil {
		t.Errorf("the answer to %s %s is not as described: %v\n%.1000s", method, path, err, data)
	}
}

func (d *description) validate(at string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock() // schemas are compiled lazily
	schema := d.schemas[at]
	if schema == nil {
		var err error
		if schema, err = d.compiler.Compile(at); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		d.schemas[at] = schema
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
