// Package transcript turns the files in which agents keep their conversations into turns
// (api.Turn). An agent's package decodes its own format and tells a Builder what happened;
// File follows a growing file of lines. Agents that keep conversations elsewhere implement
// Source themselves.
//
// Contract: files are untrusted. Every text, every turn and every line is bounded; what is
// left out is counted, never dropped silently. An entry that a decoder does not know becomes
// an item with its beginning (api.ItemRaw). A turn that was left is complete and does not
// change any more. Nothing here is safe for concurrent use.
package transcript

import (
	"context"

	"ccdir/api"
)

// Source is one conversation of an agent.
type Source interface {
	// Read takes in what was written since the last call and passes on each turn that is
	// new or has changed, in order. Of a turn that was passed on before, only the items from
	// api.Turn.From on are passed, and the tools from ToolsFrom on; a turn with a number that
	// was passed on before and From 0 replaces it and all later ones. A turn's slices are
	// valid until the next call of each; turns that ended before the last one passed on stay
	// valid. Read blocks for the disk. An error of each ends it.
	Read(ctx context.Context, each func(api.Turn) error) error
}

// Decoder reads one format of lines.
type Decoder interface {
	// Line tells b what one line says, which has no line end and may be malformed.
	Line(line []byte, b *Builder)
}

// Bounds of what is kept of a turn, in bytes unless said otherwise.
const (
	// MaxText bounds a prompt, a message, a thought.
	MaxText = 1 << 20
	// MaxResult bounds a tool's result, MaxInput its input, MaxRaw an unknown entry.
	MaxResult = 64 << 10
	MaxInput  = 64 << 10
	MaxRaw    = 2 << 10
	// MaxTurn bounds all texts of a turn, MaxNested those of all turns of a subagent, MaxItems
	// a turn's items by number.
	MaxTurn   = 16 << 20
	MaxNested = 2 << 20
	MaxItems  = 10_000
	// MaxDiff bounds the lines of an edit.
	MaxDiff = 2000
	// maxID bounds ids and names.
	maxID = 256
)
