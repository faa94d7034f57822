package file

import _ "embed"

// Starter is the policy file that `ccdir policy init` writes.
//
//go:embed starter.toml
var Starter string
