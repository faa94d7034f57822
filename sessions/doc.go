// Package sessions is the registry of sessions. It starts, adopts and ends hosts, weighs
// the evidence about each session, delivers prompts, and publishes every change.
//
// Contract:
//
//   - Each session has one actor: a goroutine that owns its state and runs functions from a
//     bounded mailbox one after another. A full mailbox blocks its senders (hook calls, host
//     connections, API calls), which can wait.
//   - A session's state is a pure function of its evidence (package state), in the order in
//     which the actor weighed it. The winning rule and its reason are kept.
//   - The actor passes changes to the Journal in order. A caller is answered once its change
//     is durable and published. If the journal cannot save, the change is in force and
//     visible nevertheless, and the journal retries; a call that a person made for the change
//     (a new name, role, override or snooze) fails and says so.
//   - A prompt is typed at most once per id, and not before it is recorded. Its outcome is
//     kept, so that a retry of Send, or the next daemon, returns it instead of typing again.
//   - Hosts outlive the registry. Close ends the connections and leaves the hosts running.
//     The next registry adopts them by host.json, reads on from the last evidence number, and
//     drains the hook spools before Start returns.
//   - The registry knows neither database nor HTTP: it declares the interfaces that it needs
//     (Journal, Store, Launcher, Policy).
//   - A permission request has one owner, the actor of its session (state.Requests). It ends
//     exactly once: its end is recorded in the ledger, then published, and then taken by the
//     calls that wait for it. A call that is made again with the same id joins its request,
//     also shortly after the end. Whatever ends a request without an answer leaves the dialog
//     in the pane as it is, so nothing is ever allowed by default.
//
// Lock order: Registry.outsideMu, Registry.mu. Registry.mu guards only the maps
// and is never held during I/O.
package sessions
