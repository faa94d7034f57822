// Package claude is the adapter of Claude Code: its command line and settings, what its
// hooks, screens and files say, and how prompts and answers are given to it. Each file is
// about one of the interfaces of package agents.
//
// Contract: facts about the CLI name the versions in which they were seen. Payloads,
// screens and files are untrusted: parts of an unexpected shape are skipped, and all kept
// text is bounded.
package claude
