// Package glob compares texts with patterns where pieces of the text are unknown.
//
// There are two questions, and rules need both: does the pattern surely match (Match, for
// allow rules), and can it match some text that the unknown pieces turn out as (MayMatch,
// for deny and ask rules). Fold makes names equal that a file system may take for the same.
package glob
