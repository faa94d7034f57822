// Package file keeps policy files: it reads and checks them, merges the user's with the
// project's, edits them, and reloads them when they change.
//
// Contract. A file that other users can write is refused. An invalid file changes nothing: the
// last valid policy stays in force, and Holder.Err returns every error with its position.
// Edits are made on texts; the caller writes them. An edit keeps everything else in the file,
// comments included, and is checked by reading the result.
package file
