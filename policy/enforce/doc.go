// Package enforce applies the policy to sessions and records every decision. It joins policy
// files (policy/file) with what is known of a session, what a person granted it, its lead,
// and the ledger.
//
// Contract:
//
//   - Use decides without asking anybody. Hooks that must not wait, and MCP tools, are
//     answered by it. An approval that the ledger cannot store becomes a question.
//   - Without a policy file and without an override every verdict is none, and Use records
//     nothing.
//   - Roles, directories and overrides come from the daemon's own records of the session
//     (api.Caller), never from the caller.
//   - An invalid policy file leaves the last valid policy in force. Options.Changed is called
//     with the error, once for each.
//   - Nobody can grant more than he may do himself: a lead's answer counts only if the policy
//     allows the same to the lead's own role. Deny rules hold for everybody, and for edited
//     inputs.
//   - A rule that an approval writes is recorded first. It goes only into the file that the
//     person was shown, and never into an invalid file.
package enforce
