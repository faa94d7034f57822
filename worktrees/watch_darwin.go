package worktrees

// watcher would tell whether anything below a directory has changed; here nothing does so without
// a descriptor of each file.
type watcher struct{}

func (*watcher) begin(string) bool     { return false }
func (*watcher) unchanged(string) bool { return false }
