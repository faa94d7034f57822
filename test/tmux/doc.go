// Package tmux drives the real program in a real terminal: its tests build
// ccdir and ccdir-shim, open the grid inside tmux and look at what is on the
// screen. It holds no code; tmux has to be installed.
package tmux
