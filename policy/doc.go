// Package policy decides what an agent may do: roles, rules, shell commands
// taken apart, conditions, and a policy file that is reloaded when it changes.
//
// Contract. Decide is a function of the policy and the request: it asks nobody,
// waits for nothing and keeps no state; the only thing it looks at outside is
// where symbolic links lead, through the FS of the request. A Policy is
// compiled at load and never changes; a Holder swaps whole policies.
//
// The request is split into parts: one for most tools; for a shell command one
// for each simple command it can run and for each file it redirects. Then:
//
//   - deny, if a deny rule matches any part;
//   - else allow, if a person has granted all of it to this session
//     (Extra.Grants), nothing of which a deny rule could be about;
//   - else ask, if an ask rule matches any part, or if a part that can't be
//     seen through could be one that a deny or an ask rule is about;
//   - else ask, if it changes files of the policy, of ccdir or of the agent's
//     settings;
//   - else allow, if an allow rule matches every part and all can be seen
//     through, or a person has relaxed the policy so far (Extra.Relax);
//   - else none: the agent's own permission mode decides.
//
// Two ways of matching follow from that. For allow a rule must match the part
// as it certainly is. For deny and ask a rule matches every known way to write
// the same thing, rather too much than too little. A policy that can't be
// loaded when there is no earlier one asks about everything.
//
// What is out of reach by nature: a program that is run by its name does what
// it does. A rule about "git push" doesn't see the push inside a Makefile or a
// compiled program. See docs/policy.md.
package policy
