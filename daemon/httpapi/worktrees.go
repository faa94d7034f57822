package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Worktrees makes, lists and removes work trees of git repositories.
type Worktrees interface {
	// List returns those of the repository around dir, or of all that are known for ""; sizes:
	// with what they take on disk.
	List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error)
	Add(ctx context.Context, n api.NewWorktree) (api.WorktreeMade, error)
	// Remove moves one into the trash; a retry with the same Request finds it there.
	Remove(ctx context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error)
	// Trash lists the trash of the repository around dir, or all of it for "".
	Trash(ctx context.Context, dir string) ([]api.RemovedWorktree, error)
	Restore(ctx context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error)
	Move(ctx context.Context, in api.MoveWorktree) (api.Worktree, error)
	Prune(ctx context.Context, dir string) (api.PrunedWorktrees, error)
	// Merge merges the branch of a tree, or plans that.
	Merge(ctx context.Context, in api.MergeWorktree) (api.MergedWorktree, error)
	// Commit commits what is in a tree.
	Commit(ctx context.Context, in api.CommitWorktree) (api.CommittedWorktree, error)
	// PushBranch pushes the branch of a tree, or plans that.
	PushBranch(ctx context.Context, in api.PushWorktree) (api.PushedWorktree, error)
	// Conflicts returns the pairs of sessions whose work would collide, in the repository
	// around dir, or in all for "".
	Conflicts(ctx context.Context, dir string) ([]api.Conflict, error)
	// PullRequest pushes a tree's branch and makes its pull request, or only looks.
	PullRequest(ctx context.Context, n api.NewPullRequest) (api.BranchPullRequest, error)
	// Setup returns the setup command of the work tree that a session would get.
	Setup(ctx context.Context, n api.NewSession) (api.WorktreeSetup, error)
	// Checks are the checks of the project around a directory.
	Checks(ctx context.Context, dir string) ([]api.ProjectCheck, error)
	// Consent records that the person agrees to a setup command, or to a check.
	Consent(ctx context.Context, c api.SetupConsent, client string, call api.Call) error
}

func (s *server) worktrees(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	list, err := s.Worktrees.List(r.Context(), q.Get("dir"), truth(q.Get("sizes")))
	return ok(w, list, err)
}

func (s *server) worktreeSetup(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	out, err := s.Worktrees.Setup(r.Context(), api.NewSession{CWD: q.Get("dir"), Worktree: q.Get("branch"), Base: q.Get("base")})
	return ok(w, out, err)
}

func (s *server) worktreeChecks(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Worktrees.Checks(r.Context(), r.URL.Query().Get("dir"))
	return ok(w, list, err)
}

func (s *server) worktreeTrash(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Worktrees.Trash(r.Context(), r.URL.Query().Get("dir"))
	return ok(w, list, err)
}

func (s *server) conflicts(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Worktrees.Conflicts(r.Context(), r.URL.Query().Get("dir"))
	return ok(w, list, err)
}

// onWorktrees makes the handler of a call that changes work trees. It is completed even if
// the caller hangs up; git is ended when the daemon stops.
func onWorktrees[In, Out any](do func(s *server, ctx context.Context, r *http.Request, in In) (Out, error)) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		var in In
		if err := body(w, r, maxNew, &in); err != nil {
			return err
		}
		work, done := untilStop(r.Context())
		defer done()
		out, err := do(s, work, r, in)
		return ok(w, out, err)
	}
}

// lifeKey is the key of the server's life in the contexts of its connections.
type lifeKey struct{}

// WithLife adds to the context of a connection the context that ends when the server stops.
func WithLife(ctx context.Context, life context.Context) context.Context {
	return context.WithValue(ctx, lifeKey{}, life)
}

// untilStop is a call's context that ends when the server stops, not when the caller hangs up.
func untilStop(ctx context.Context) (work context.Context, done func()) {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	life, ok := ctx.Value(lifeKey{}).(context.Context)
	if !ok {
		return work, func() { cancel(nil) }
	}
	stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return work, func() { stop(); cancel(nil) }
}

func worktreeRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/worktrees", name: "worktrees.list", doc: "The work trees of git repositories, the main one of each first", query: []param{
			{name: "dir", doc: "of the repository around this directory, absolute; not given: of those of /v1/repos, and of those in which ccdir made one"},
			{name: "sizes", kind: "boolean", doc: "with what they take on disk, which reads all of them"}},
			out: []api.Worktree{}, handle: (*server).worktrees},
		{method: "POST", path: "/v1/worktrees", name: "worktrees.create", doc: "Make a work tree, or return the one that the branch has", in: api.NewWorktree{}, required: []string{"dir", "branch"}, out: api.WorktreeMade{},
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.NewWorktree) (api.WorktreeMade, error) {
				return s.Worktrees.Add(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/remove", name: "worktrees.remove", doc: "Move a work tree into the trash", in: api.RemoveWorktree{}, required: []string{"dir", "tree"}, out: api.RemovedWorktree{},
			more: "409 (asks) if there is a question and yes is not set; 409 (conflict) for what is never removed: a main work tree, one with a session in it, one that git has locked.",
			handle: onWorktrees(func(s *server, ctx context.Context, r *http.Request, in api.RemoveWorktree) (api.RemovedWorktree, error) {
				in.Request = attemptOf(r.Context()).id
				return s.Worktrees.Remove(ctx, in)
			})},
		{method: "GET", path: "/v1/worktrees/trash", name: "worktrees.trash", doc: "What lies in the trash, the newest first", query: []param{{name: "dir", doc: "of the repository around this directory; not given: of all"}},
			out: []api.RemovedWorktree{}, handle: (*server).worktreeTrash},
		{method: "POST", path: "/v1/worktrees/restore", name: "worktrees.restore", doc: "Bring a work tree back from the trash, as it was", in: api.RestoreWorktree{}, required: []string{"id"}, out: api.RestoredWorktree{},
			handle: onWorktrees(func(s *server, ctx context.Context, r *http.Request, in api.RestoreWorktree) (api.RestoredWorktree, error) {
				in.Request = attemptOf(r.Context()).id
				return s.Worktrees.Restore(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/move", name: "worktrees.move", doc: "Move a work tree to another path", in: api.MoveWorktree{}, required: []string{"dir", "tree", "path"}, out: api.Worktree{},
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.MoveWorktree) (api.Worktree, error) {
				return s.Worktrees.Move(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/prune", name: "worktrees.prune", doc: "Forget work trees whose directory is gone, finish what a crash interrupted, and empty the trash of what is old", in: api.PruneWorktrees{}, required: []string{"dir"}, out: api.PrunedWorktrees{},
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.PruneWorktrees) (api.PrunedWorktrees, error) {
				return s.Worktrees.Prune(ctx, in.Dir)
			})},
		{method: "GET", path: "/v1/conflicts", name: "conflicts.list", doc: "Pairs of sessions of one repository whose work would collide", query: []param{{name: "dir", doc: "in the repository around this directory; not given: in all"}},
			more: "Found by merging snapshots of their work trees, changes without a commit included: lines if that conflicts, file if both changed a file.", out: []api.Conflict{}, handle: (*server).conflicts},
		{method: "POST", path: "/v1/worktrees/merge", name: "worktrees.merge", doc: "Merge the branch of a work tree into another branch, or plan that", in: api.MergeWorktree{}, required: []string{"dir", "tree"}, out: api.MergedWorktree{},
			more: "A plan changes nothing; with its head and target the merge is done only if neither branch has moved on since. 409 if it conflicts, 403 if the policy of a session in the tree denies it.",
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.MergeWorktree) (api.MergedWorktree, error) {
				return s.Worktrees.Merge(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/commit", name: "worktrees.commit", doc: "Commit everything in a work tree, untracked files included", in: api.CommitWorktree{}, required: []string{"dir", "tree", "message"}, out: api.CommittedWorktree{},
			more: "As the caller, without the hooks of the repository. 403 if the policy of a session in the tree denies it.",
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.CommitWorktree) (api.CommittedWorktree, error) {
				return s.Worktrees.Commit(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/push", name: "worktrees.push", doc: "Push the branch of a work tree under its own name, or plan that", in: api.PushWorktree{}, required: []string{"dir", "tree"}, out: api.PushedWorktree{},
			more: "As the caller, without the hooks of the repository, and never over other commits there. 403 if the policy of a session in the tree denies it.",
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.PushWorktree) (api.PushedWorktree, error) {
				return s.Worktrees.PushBranch(ctx, in)
			})},
		{method: "POST", path: "/v1/worktrees/pr", name: "worktrees.pr", doc: "Push a work tree's branch and make its pull request by gh or glab, or look at it", in: api.NewPullRequest{}, required: []string{"dir", "tree"}, out: api.BranchPullRequest{},
			more: "503 if the program of the forge is missing or not signed in; 403 if the policy of a session in the tree denies the push.",
			handle: onWorktrees(func(s *server, ctx context.Context, _ *http.Request, in api.NewPullRequest) (api.BranchPullRequest, error) {
				return s.Worktrees.PullRequest(ctx, in)
			})},
		{method: "GET", path: "/v1/worktrees/setup", name: "worktrees.setup", doc: "The setup command that the work tree of a new session would have", query: []param{{name: "dir", doc: "where the session would be started, absolute"},
			{name: "branch", doc: "as worktree of a new session"}, {name: "base", doc: "as base of a new session"}},
			out: api.WorktreeSetup{}, handle: (*server).worktreeSetup},
		{method: "GET", path: "/v1/worktrees/checks", name: "worktrees.checks", doc: "The commands by which a project tells whether work on it is good ([checks] in .ccdir.toml)", query: []param{{name: "dir", doc: "a directory in its work tree, absolute"}},
			out: []api.ProjectCheck{}, handle: (*server).worktreeChecks},
		{method: "POST", path: "/v1/worktrees/consent", name: "worktrees.consent", doc: "Agree to the exact text of a setup command, or of a check", in: api.SetupConsent{}, required: []string{"command"},
			handle: func(s *server, w http.ResponseWriter, r *http.Request) error {
				var in api.SetupConsent
				if err := body(w, r, maxBody, &in); err != nil {
					return err
				}
				return done(w, s.Worktrees.Consent(r.Context(), in, clientOf(r), changeOf(r)))
			}},
	}
}
