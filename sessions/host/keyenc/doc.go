// Package keyenc encodes input for an application in a PTY: names of keys, pastes, mouse
// events and focus reports become the bytes that xterm would send in the modes that the
// application has set (ctlseqs; the kitty keyboard protocol where it was asked for).
//
// Files: keys.go parses names (tmux's), encode.go encodes keys and pastes, mouse.go
// encodes mouse events. The package is pure and keeps no state: what the host writes
// depends on the name and the modes alone.
package keyenc
