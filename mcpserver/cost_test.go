package mcpserver

import (
	"encoding/json"
	"testing"

	"ccdir/api"
)

// maxDescriptions bounds the descriptions that an agent pays for in each of its turns, in bytes.
const maxDescriptions = 8 << 10

// TestDescriptionsAreShort: what tools and their arguments are described with in
// tools/list of each role. Output schemas don't count: agents don't pass them to models.
func TestDescriptionsAreShort(t *testing.T) {
	s := New(Options{LogDir: t.TempDir(), Control: (&fakes{}).control()})
	for _, role := range []string{api.RoleGuest, api.RoleDev, api.RoleReviewer, api.RoleLead} {
		text, whole, tools := 0, 0, 0
		for _, tool := range s.Tools() {
			if !s.May(role, tool.Name) {
				continue
			}
			tools++
			raw, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			var d struct {
				Name, Description string
				InputSchema       any
			}
			if err := json.Unmarshal(raw, &d); err != nil {
				t.Fatal(err)
			}
			text += len(d.Description) + descriptions(d.InputSchema)
			in, _ := json.Marshal(d)
			whole += len(in)
		}
		t.Logf("%s: %d tools, %d bytes of descriptions, %d with names and input schemas", role, tools, text, whole)
		if text == 0 || text > maxDescriptions {
			t.Errorf("%s: %d bytes of descriptions, at most %d are allowed", role, text, maxDescriptions)
		}
	}
}

// descriptions counts the bytes of all descriptions in a schema.
func descriptions(schema any) (n int) {
	switch v := schema.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && key == "description" {
				n += len(text)
			}
			n += descriptions(value)
		}
	case []any:
		for _, value := range v {
			n += descriptions(value)
		}
	}
	return n
}
