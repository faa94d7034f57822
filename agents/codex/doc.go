// Package codex is the adapter of the Codex CLI: its command line, what its hooks and its
// program status say, and how prompts and answers are given to it. Each file is about one of
// the interfaces of package agents.
//
// Contract: facts about the CLI were seen with version 0.169.0. Nothing of the user's is
// written: everything that ccdir needs stands in arguments of one start. Payloads, the
// user's configuration and screens are untrusted: parts of an unexpected shape are skipped,
// and all kept text is bounded.
package codex
