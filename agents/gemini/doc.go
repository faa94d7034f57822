// Package gemini is the adapter of Gemini CLI. It relies on behaviour seen with version 0.61.0.
//
// Gemini CLI takes hooks and MCP servers from the settings in its home alone, so each session
// has a home of its own (overlay.go): the user's settings with ours, and links to everything
// else. Its title tells every state; its hooks say what happened. No hook answers its
// dialogs: keys do.
package gemini
