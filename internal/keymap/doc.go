// Package keymap is the one table of keys: the actions of the grid, their keys, their names
// in the configuration, in the help and in the palette, and when each is disabled and why.
// Each subject has a file with its actions and their bindings; defaults joins them.
//
// Keys are named as tmux names them: "C-b", "M-x", "Up", "S-F5", "Enter", "BSpace", "?",
// "é". The prefix key comes before each of them, except in groups with a mode of their own
// (ModeOf), whose keys are pressed alone while the mode lasts.
package keymap
