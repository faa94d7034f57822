package transcript

import (
	"reflect"

	"ccdir/api"
)

// Build returns one turn of what fill tells a Builder, whole, with the number 1; false if that
// begins none. It is for sources whose messages can be read again. nested: it is a subagent's.
func Build(nested bool, fill func(*Builder)) (api.Turn, bool) {
	b := &Builder{nested: nested, left: func(*Builder) {}}
	fill(b)
	return b.turn, b.turn.Turn > 0
}

// News is a turn without what stands in it as it was passed on before; false if nothing has
// changed.
func News(t, before api.Turn) (api.Turn, bool) {
	for t.From < min(len(t.Items), len(before.Items)) && t.Items[t.From] == before.Items[t.From] {
		t.From++
	}
	for t.ToolsFrom < min(len(t.Tools), len(before.Tools)) && reflect.DeepEqual(t.Tools[t.ToolsFrom], before.Tools[t.ToolsFrom]) {
		t.ToolsFrom++
	}
	same := t.From == max(len(t.Items), len(before.Items)) && t.ToolsFrom == max(len(t.Tools), len(before.Tools))
	t.Items, t.Tools = t.Items[t.From:], t.Tools[t.ToolsFrom:]
	head := t
	head.Items, head.Tools, head.From, head.ToolsFrom = before.Items, before.Tools, before.From, before.ToolsFrom
	return t, !same || !reflect.DeepEqual(head, before)
}
