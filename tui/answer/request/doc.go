// Package request makes lines of what an agent asks permission for, and takes from
// its input what the grid needs to know. It is pure: the file that a request would
// replace is read by its caller.
//
// Nothing of an input is hidden, since a person decides by what is shown: each field
// is there, in the order in which the agent has it but for what matters most, and what
// is too long says so. Lines pass textsafe.
package request
