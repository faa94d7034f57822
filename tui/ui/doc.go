// Package ui is the contract between the grid (package tui) and the things on its
// screen. A thing is a Component: a value that gets keys with an Env and returns what it
// becomes and the Effects that it asks for, and that draws itself from an Env. It knows
// no other component and not the grid. What is always there is a Part, which is changed in
// place.
//
// An Effect is something that several components ask for. What one part alone does are
// values that it is told (Tell); what one opener alone can do it gives to the component that
// it opens.
//
// Everything here runs on the program's goroutine but Call.Run, Step.Run and Stream.Run, which
// may block. The grid applies what a component becomes first, then its effects in their
// order. An answer to a Call comes to the component that made it (Receiver) as long as
// that is open; effects in a Result are carried out wherever it is by then. Keys of the
// focused pane don't come here.
//
// What only some components can do are optional interfaces (component.go); the grid asks
// for each of them in one place, tui/layer.go.
package ui
