// Package nodes drives two installations of ccdir, a laptop and a node, that a real sshd on
// loopback connects: verbs, the life of the link, cuts of every process of it, and the ways in
// which a login can be odd. It needs sshd and ssh (openssh-server, openssh-client).
package nodes
