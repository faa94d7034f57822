// Package wall puts a process, and all that descends from it, behind a plan of package sandbox:
// on Linux by bubblewrap (mounts) with Landlock's scopes inside, or by Landlock alone, and in
// both cases by a filter of system calls; on macOS by sandbox-exec.
//
// A process gets behind a wall in two steps. Argv is the command line that makes the room; it
// ends with the shim's verb wall-inner (Inner), which closes the last doors from inside and
// becomes the program. The plan reaches both by an open file, because a walled process must
// neither read nor change the file itself.
//
// Contract: either the program runs behind all that the plan's mechanism can hold, or it does
// not run, and the error says why.
package wall
