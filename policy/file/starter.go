package file

import _ "embed"

// Starter is the policy that `ccdir policy init` writes.
//
//go:embed starter.toml
var Starter string
