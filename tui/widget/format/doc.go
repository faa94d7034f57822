// Package format is how ages, times, counts, sizes and paths are written in the grid, so
// that they are the same everywhere. It is pure: what time it is, and where home is, are
// arguments.
package format
