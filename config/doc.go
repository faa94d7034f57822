// Package config loads ccdir's configuration, config.toml in paths.Config.
//
// Contract: loading never fails. What cannot be read, is unknown or is out of
// range is returned as a Problem with its line, and the default (or, for a
// reload, whatever the caller keeps) takes its place, so that a typing error
// never keeps anybody from their sessions. Every key is one row of one table
// (see keys in keys.go), which gives parsing, checking, documentation and
// explanation. A Config is a value: nobody changes it after Load.
package config
