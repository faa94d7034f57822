// Package restore brings back sessions that a reboot or a crash has ended.
//
// Contract:
//
//   - Run writes what runs into generations on disk, a second after each change and at
//     the daemon's end. Sessions of tasks are left out (the queue restarts them), and so
//     are external ones.
//   - Open compares the newest generation with what the registry has adopted. What a
//     reboot ended becomes the offer, a file of its own: it stays until each session runs
//     again or was removed, or somebody refuses it. Sessions whose state is lost are
//     offered besides, whether a daemon or the next one noticed.
//   - Restore blocks until every chosen session runs or has failed; one that fails stops
//     no other. A call can be retried (retry.go): no session is started twice.
//   - Losing the files loses the offer only; no session depends on them.
package restore
