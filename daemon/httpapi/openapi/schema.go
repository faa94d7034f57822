// Package openapi makes JSON Schemas (2020-12, as in OpenAPI 3.1) from Go types, with the
// types' comments as descriptions.
//
// Contract: a schema describes what encoding/json writes for a value of the type, or reads
// into one. The package does nothing at init.
//
// google/jsonschema-go v0.4.3 was tried in its place. It knows no components,
// fails on 3 of the API's 60 types (embedded structs), allows null for every list
// and writes references that only null satisfies for pointers: 44 of the other 57
// schemas needed mending afterwards.
package openapi

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Comments are the comments in the source code of types, by their names.
type Comments struct {
	// Types has the comment of each type, and of fields as "Type.Field".
	Types map[string]string `json:"types"`
	// Enums are the constants of types that have some, in the source's order.
	Enums map[string][]string `json:"enums"`
}

// Builder makes schemas and keeps those of named structs as components. The zero value
// with Comments set is ready. Not safe for concurrent use.
type Builder struct {
	Comments Comments
	// Required are the required JSON fields of types that are read. Of types that are
	// written all fields are required but those with omitempty or omitzero.
	Required map[string][]string
	// Empty are the fields, as Type.Field, that may be "" besides the constants of their
	// type.
	Empty []string
	// Strict schemas allow no further properties. For tests: clients must ignore unknown
	// ones.
	Strict bool

	components map[string]any
	written    map[reflect.Type]bool
}

// Components are the schemas of the named structs asked for so far, by name.
func (b *Builder) Components() map[string]any { return b.components }

// Written returns the schema of values that are written. All calls of Written come before
// the first Read.
func (b *Builder) Written(t reflect.Type) map[string]any { return b.schema(t, false) }

// Read returns the schema of values that are read. A struct that is also written gets the
// suffix Input.
func (b *Builder) Read(t reflect.Type) map[string]any { return b.schema(t, true) }

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[encoding.TextMarshaler]()
	jsonType = reflect.TypeFor[json.Marshaler]()
)

func (b *Builder) schema(t reflect.Type, read bool) map[string]any {
	switch {
	case t == timeType:
		return map[string]any{"type": "string", "format": "date-time"}
	case t == rawType || t.Kind() == reflect.Interface:
		return map[string]any{}
	case t.Implements(textType):
		return b.described(t, map[string]any{"type": "string"})
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.schema(t.Elem(), read)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		s := map[string]any{"type": "string"}
		if values := b.Comments.Enums[t.Name()]; values != nil {
			s["enum"] = values
		}
		if t.Implements(jsonType) { // "" is false (api.Merged)
			return map[string]any{"anyOf": []any{map[string]any{"const": false}, s}}
		}
		return s
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}
		}
		return map[string]any{"type": "array", "items": b.element(t.Elem(), read)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": b.element(t.Elem(), read)}
	case reflect.Struct:
		return b.component(t, read)
	}
	return map[string]any{"type": "integer"}
}

// element returns the schema of a list's or map's elements, where nil lists and pointers
// are written as null.
func (b *Builder) element(t reflect.Type, read bool) map[string]any {
	s := b.schema(t, read)
	if t == rawType || t.Kind() != reflect.Slice && t.Kind() != reflect.Map && t.Kind() != reflect.Pointer {
		return s
	}
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}

// component returns a reference to a struct's schema, which is made once.
func (b *Builder) component(t reflect.Type, read bool) map[string]any {
	if b.components == nil {
		b.components, b.written = map[string]any{}, map[reflect.Type]bool{}
	}
	name := t.Name()
	if read && b.written[t] {
		name += "Input"
	}
	if _, known := b.components[name]; !known {
		b.components[name] = nil // it may refer to itself
		if !read {
			b.written[t] = true
		}
		b.components[name] = b.object(t, read)
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

func (b *Builder) object(t reflect.Type, read bool) map[string]any {
	properties, required := map[string]any{}, []string{}
	b.fields(t, read, properties, &required)
	if read {
		required = b.Required[t.Name()]
	}
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	if b.Strict {
		s["additionalProperties"] = false
	}
	return b.described(t, s)
}

// fields adds a struct's fields, those of embedded ones as encoding/json does.
func (b *Builder) fields(t reflect.Type, read bool, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && tag == "":
			b.fields(f.Type, read, properties, required)
			continue
		case tag == "":
			tag = f.Name
		}
		s := b.schema(f.Type, read)
		left := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if f.Type.Kind() == reflect.Pointer && !left {
			s = map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
		path := t.Name() + "." + f.Name
		if values, ok := s["enum"].([]string); ok && (read || slices.Contains(b.Empty, path)) {
			s["enum"] = append(slices.Clone(values), "")
		}
		if text := b.Comments.Types[path]; text != "" {
			s["description"] = text
		}
		properties[tag] = s
		if !left {
			*required = append(*required, tag)
		}
	}
}

func (b *Builder) described(t reflect.Type, s map[string]any) map[string]any {
	if text := b.Comments.Types[t.Name()]; text != "" {
		s["description"] = text
	}
	return s
}
