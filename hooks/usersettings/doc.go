// Package usersettings installs ccdir's hooks in the user's own settings file of Claude
// Code, for sessions that are started outside ccdir, and removes them.
//
// Contract:
//
//   - The file is edited as text: nothing in it is moved, reformatted or lost, including
//     comments, order and other hooks. Installing only inserts. A file that cannot be
//     parsed is left as it is, with an error.
//   - Removing restores the file byte for byte if nobody else has changed it since; else it
//     removes our entries, and lists that become empty. A file that did not exist before is
//     deleted.
//   - Before a file is changed, a copy is written beside it (mode 0600), except when the
//     change restores the original. The file is replaced in one step, through symbolic
//     links, and keeps its mode.
//   - Plans only read. Apply changes the file, and refuses if it differs from the one that
//     the plan was made for.
package usersettings
