// Package keymap is the one table of keys: what the grid does, by which keys,
// under which name it stands in the configuration, in the help and in the
// palette, and when it is not possible and why. Each subject has a file with its
// actions and their bindings; defaults puts them together.
//
// Keys are named as tmux names them: "C-b", "M-x", "Up", "S-F5", "Enter",
// "BSpace", "?", "é". The prefix key comes before each of them, except in groups
// with a mode of their own (ModeOf), whose keys are pressed alone while that lasts.
package keymap
