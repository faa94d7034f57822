// Package repositories has what the daemon knows of the git repositories around sessions: it lists
// repositories, makes, merges and removes work trees for the API, gives new sessions theirs, and
// keeps up to date what sessions show of branches, conflicts and pull requests.
//
// Contract: Repositories owns the worktrees.Keeper, the memories of its three followers and what
// they set; everything else (sessions, event log, policy, configuration) is asked through the
// interfaces of Options. The API calls it (httpapi.Worktrees, Repos, Directories), the registry
// calls Prepare before it starts a session, and the daemon calls Run once and EmptyTrash now and
// then. Calls may run at the same time; they block while git, the forge's program or the policy's
// ledger works, and end with their context. A change that was made is an event.
//
// A merge and a push are asked of the policy of the sessions that live in the work tree: what it
// denies is not done; what it would ask about, the person who calls has decided. A setup command
// runs only if the person has agreed to its exact text.
//
// Run owns five goroutines and waits for them; they end with its context. One finishes what an
// earlier daemon's end interrupted. One (branches) asks git about the directories in which
// something happened, and says so to the two others; one (radar) compares work trees, told of
// ends of turns by a fifth goroutine that watches the event log; one (pulls) asks the forge. The
// three plan by an agenda each: latest wins, bounded, at rest most of the time. What they cannot
// find out leaves what sessions show as it was.
package repositories
