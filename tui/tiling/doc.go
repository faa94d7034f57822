// Package tiling divides an area into panes: pure geometry, no drawing.
//
// A layout makes a shape of a number of panes: lines (rows, or columns) of
// cells. Where the borders between them are is given in parts of ten thousand,
// for each shape on its own, so that it holds for terminals of any size and
// comes back when a shape does. Panes of one area never overlap, cover it, and
// are never smaller than the least size as long as the area can hold that.
package tiling
