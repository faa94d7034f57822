// Package tools is the daemon's MCP server: it joins the tools (mcpserver) with sessions,
// queue, mailboxes, policy and store.
//
// Contract:
//
//   - Each call is decided by role and policy before it runs (policy.go), and recorded
//     after its answer: one goroutine appends the event and keeps the result. When its
//     queue is full, calls wait.
//   - A caller is the session of its token. A process inside a session cannot use
//     another session's token, nor call without one.
//   - Close ends connections and calls, waits for them, and then for the records. A
//     session that a call was starting is started or not, never left in between.
package tools
