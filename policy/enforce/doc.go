// Package enforce decides what sessions may do and keeps the record of it: it
// joins the policy files (policy) with what is known of a session, what
// a person granted it, the lead, and the ledger.
//
// Contract:
//
//   - Use decides at once and asks nobody: it is what hooks that must not wait,
//     and tools over MCP, are answered by. An approval that the ledger cannot keep
//     becomes a question.
//   - Without a policy file and without an override of a person nothing is
//     decided: every verdict is none, and nothing is recorded by Use.
//   - Roles, directories and overrides come from the daemon's own knowledge of the
//     session (api.Caller), never from the caller.
//   - A faulty policy file leaves the last good policy in force; Changed is called
//     with the error, once for each.
//   - Nobody grants what he may not do himself: a lead's answer counts only where
//     the policy allows the same to the lead's own role. Deny rules hold for
//     everybody, edited inputs included.
//   - Rules that an approval writes go into the file that the person was shown,
//     into nothing else, never into a file that is faulty, and are recorded first.
package enforce
