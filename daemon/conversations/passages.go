package conversations

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
)

// maxNestedText bounds the text of a subagent that is searched, in bytes.
const maxNestedText = 256 << 10

// passages are the texts of a turn as a transcript.Source passes it on.
func passages(t api.Turn) (list []store.SaidPassage) {
	add := func(place int, part api.SaidPart, at time.Time, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if at.IsZero() {
			at = t.At
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(text)) // never fails
		list = append(list, store.SaidPassage{SaidKey: store.SaidKey{Turn: t.Turn, Place: place, Part: part}, At: at, Hash: int64(h.Sum64()), Text: text})
	}
	if t.From == 0 {
		add(0, api.SaidPrompt, t.At, t.Prompt)
	}
	for i, item := range t.Items {
		switch item.Kind {
		case api.ItemText:
			add(t.From+i, api.SaidAnswer, item.At, item.Text)
		case api.ItemThinking:
			add(t.From+i, api.SaidThinking, item.At, item.Text)
		case api.ItemTool, api.ItemRaw:
		default:
			add(t.From+i, api.SaidNote, item.At, item.Text)
		}
	}
	for i, c := range t.Tools {
		add(t.ToolsFrom+i, api.SaidInput, c.At, c.Name+"\n"+inputText(c.Input))
		add(t.ToolsFrom+i, api.SaidResult, c.At, c.Reason+"\n"+c.Result+"\n"+diffText(c.Diff))
		if c.Agent != nil {
			var b strings.Builder
			nested(&b, c.Agent.Turns)
			add(t.ToolsFrom+i, api.SaidSubagent, c.At, b.String())
		}
	}
	return list
}

// nested writes what a subagent was told, said and did.
func nested(b *strings.Builder, turns []api.Turn) {
	for _, t := range turns {
		texts := []string{t.Prompt}
		for _, item := range t.Items {
			if item.Kind != api.ItemRaw {
				texts = append(texts, item.Text)
			}
		}
		for _, c := range t.Tools {
			texts = append(texts, c.Name, inputText(c.Input), c.Result, diffText(c.Diff))
		}
		for _, text := range texts {
			if text != "" && b.Len()+len(text) < maxNestedText {
				b.WriteString(text + "\n")
			}
		}
		for _, c := range t.Tools {
			if c.Agent != nil {
				nested(b, c.Agent.Turns)
			}
		}
	}
}

func diffText(hunks []api.DiffHunk) string {
	var b strings.Builder
	for _, h := range hunks {
		for _, l := range h.Lines {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// inputText is the text in a tool's input: its strings and numbers, one a line.
func inputText(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	values(&b, v)
	return b.String()
}

func values(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case float64:
		data, _ := json.Marshal(v) // a number that came from JSON
		b.Write(append(data, '\n'))
	case []any:
		for _, e := range v {
			values(b, e)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) { // the text of an input is always the same
			if _, text := v[k].(string); !text {
				b.WriteString(k + " ")
			}
			values(b, v[k])
		}
	}
}
