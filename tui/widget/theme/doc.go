// Package theme is the colours of the chrome: the palettes, which of them suits a
// terminal, and what the state of a session or task, a kind of event, a place that was
// found or selected text looks like. It is pure, and a Theme is not changed once it is
// made: scenes share it.
package theme
