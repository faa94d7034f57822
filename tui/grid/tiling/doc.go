// Package tiling is where everything in the grid goes: pure geometry, no drawing. A
// Screen places what is around the panes, a Plan divides the area that is left into
// panes.
//
// A layout makes a shape of a number of panes: lines (rows, or columns) of
// cells. Where the borders between them are is given in parts of ten thousand,
// for each shape on its own, so that it holds for terminals of any size and
// comes back when a shape does. Panes of one area never overlap, cover it, and
// are never smaller than the least size as long as the area can hold that.
package tiling
