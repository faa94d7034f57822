// Package shell takes a command apart: which programs a shell would run for it, with
// which words, and which files those programs and the shell itself would open.
//
// Contract. Split runs nothing, and sees nothing of the system but by Context.Concerns. It
// prefers false alarms to gaps: a part that may not exist is marked (Part.Possible), text that
// is known only when the command runs is glob.Wild, and code that can't be seen through is a
// part of its own (KindOpaque). A command that shells could read in different ways, or
// whose analysis would cost too much, is an error; the parts before it are kept.
//
// The text of a command is attacker-controlled. Work is bounded by maxWork, maxParts and
// maxDepth, whatever it says.
package shell
