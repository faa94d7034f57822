// Package usersettings puts ccdir's hooks into the user's own settings file of
// Claude Code, for sessions that are started outside ccdir, and takes them out
// again.
//
// Contract:
//
//   - The file is edited as text: nothing of it is moved, reformatted or lost,
//     comments, order and other hooks among it. Installing only inserts. A file
//     that is not understood is left as it is, with an error.
//   - Removing puts the file back as it was, byte for byte, if nobody else has
//     changed it since; else only our entries go, and what they leave empty. A
//     file that did not exist before is removed.
//   - Before a file is changed a copy is laid beside it (mode 0600, except when
//     exactly what was there is restored). It is replaced in one step, through
//     symbolic links, and keeps its mode.
//   - Plans only read; Apply changes, and refuses if the file is no longer what
//     the plan was made from.
package usersettings
