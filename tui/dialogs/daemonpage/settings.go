package daemonpage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// setting is one value of the configuration.
type setting struct{ key, value string }

// settings are the values of a JSON object by their dotted names, in order.
func settings(raw json.RawMessage) ([]setting, error) {
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("the configuration is no JSON object: %w", err)
	}
	var out []setting
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		if table, ok := v.(map[string]any); ok && len(table) > 0 {
			for _, key := range slices.Sorted(maps.Keys(table)) {
				walk(strings.TrimPrefix(prefix+"."+key, "."), table[key])
			}
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte(err.Error())
		}
		out = append(out, setting{prefix, string(text)})
	}
	if values, ok := all["config"].(map[string]any); ok {
		walk("", values)
		delete(all, "config")
		delete(all, "file") // it is among the places
		if list, ok := all["problems"].([]any); ok && len(list) == 0 {
			delete(all, "problems")
		}
	}
	if len(all) > 0 {
		walk("", all)
	}
	return out, nil
}
