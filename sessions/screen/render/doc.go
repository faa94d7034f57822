// Package render plays a recorded stream of terminal output into an engine and
// shows the screen that results: as text, as text with escape sequences, as
// JSON, or as an SVG picture. It is the work of "ccdir screen".
//
// Contract: everything is in memory and synchronous; nothing here does I/O. The
// same stream gives the same result, however it is cut into writes.
package render
