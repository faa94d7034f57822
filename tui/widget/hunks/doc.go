// Package hunks finds what belongs together in a change: which removed line became which added one, by likeness and
// not by position, and which words of the two differ. It is pure. Its work is bounded for any text.
package hunks
