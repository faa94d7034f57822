// Package arch holds no code: its test reads the import graph of the module
// and fails when a package imports what the architecture does not let it (see
// ARCHITECTURE.md, "Who may import whom").
package arch
