package openapi

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

type colour string

type inner struct {
	A int `json:"a"`
}

type Outer struct {
	inner
	Name    string            `json:"name"`
	Left    *inner            `json:"left,omitempty"`
	Null    *inner            `json:"null"`
	Colour  colour            `json:"colour"`
	At      time.Time         `json:"at"`
	Raw     json.RawMessage   `json:"raw"`
	Bytes   []byte            `json:"bytes,omitempty"`
	Words   map[string]string `json:"words,omitempty"`
	Self    []Outer           `json:"self,omitempty"`
	Never   string            `json:"-"`
	private int
}

func TestSchema(t *testing.T) {
	_ = Outer{private: 1}
	b := Builder{Comments: Comments{Types: map[string]string{"Outer": "the outer one", "Outer.Name": "its name"}, Enums: map[string][]string{"colour": {"red", "blue"}}},
		Required: map[string][]string{"Outer": {"name"}}}
	if got := b.Written(reflect.TypeFor[Outer]()); got["$ref"] != "#/components/schemas/Outer" {
		t.Fatalf("got %v", got)
	}
	b.Read(reflect.TypeFor[Outer]())
	for name, want := range map[string]string{
		"Outer":      `["a","at","colour","name","null","raw"]`,
		"OuterInput": `["name"]`,
		"inner":      `["a"]`,
	} {
		s, _ := b.Components()[name].(map[string]any)
		if got, _ := json.Marshal(s["required"]); string(got) != want {
			t.Errorf("%s requires %s, want %s", name, got, want)
		}
	}
	properties := b.Components()["Outer"].(map[string]any)["properties"].(map[string]any)
	got, err := json.Marshal(properties)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"a":{"type":"integer"},"at":{"format":"date-time","type":"string"},"bytes":{"contentEncoding":"base64","type":"string"},` +
		`"colour":{"enum":["red","blue"],"type":"string"},"left":{"$ref":"#/components/schemas/inner"},"name":{"description":"its name","type":"string"},` +
		`"null":{"anyOf":[{"$ref":"#/components/schemas/inner"},{"type":"null"}]},"raw":{},` +
		`"self":{"items":{"$ref":"#/components/schemas/Outer"},"type":"array"},"words":{"additionalProperties":{"type":"string"},"type":"object"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
