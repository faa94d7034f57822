// Package turns lays the turns of a conversation out as rows of text: prompts, messages,
// tool calls as one row each that can be opened, edits, errors.
//
// Contract: pure. The texts of turns are foreign and are made harmless here. Messages and
// prompts stand at the left edge without signs between their words, so that what is copied
// of them is what was said; a row that goes on in the next one says so. Messages are set as
// Markdown (tui/widget/markdown); prompts stay as they were typed.
package turns
