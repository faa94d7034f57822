// Package policy decides what an agent may do: roles, rules, conditions, and the decision.
//
// Contract. Decide is a function of policy and request. It asks nobody, waits for nothing and
// keeps no state. Its only look outside is the target of symbolic links, through Request.FS.
// A Policy is immutable; package policy/file replaces whole policies when their files change.
//
// A request is split into parts. Most tools have one. A shell command has one for each simple
// command that it can run and one for each file that it opens (policy/shell). The decision is
// the first of these that applies:
//
//   - deny, if a deny rule matches any part;
//   - allow, if a person granted every part to this session (Extra.Grants) and no deny rule
//     may match any of them;
//   - ask, if an ask rule matches any part, or if a deny or ask rule may match a part that is
//     not fully known;
//   - ask, if the request changes files of the policy, of ccdir or of the agent's settings;
//   - allow, if allow rules match every part and every part is fully known, or if a person
//     relaxed the policy that far (Extra.Relax);
//   - none: the agent's own permission mode decides.
//
// Rules match in two ways. An allow rule must match the part as it certainly is. A deny or
// ask rule matches every known way to write the same thing; false alarms are preferred to
// gaps. A policy that cannot be loaded, with no earlier one in memory, asks about everything.
//
// Out of reach: a program that is run by its name does what it does. A rule about "git push"
// does not see the push inside a Makefile or a compiled program. See docs/policy.md.
package policy
