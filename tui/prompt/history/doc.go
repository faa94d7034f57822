// Package history is what the prompt bar keeps and reads on disk: the history
// of prompts, and the files that can be named in one. Its functions block; the
// grid calls them off its own goroutine.
package history
