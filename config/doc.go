// Package config loads ccdir's configuration, config.toml in paths.Config.
//
// Contract: loading never fails. A part that cannot be read, is unknown or is out of range
// is returned as a Problem with its line, and the default (or, for a reload, the caller's
// old value) takes its place, so that a typing error never locks a user out of the
// sessions. Every key is one row of one table (keys in keys.go) that gives parsing,
// checking, documentation (docs/config.md) and `ccdir config get`. A Config is a value that
// nobody changes after Load.
package config
