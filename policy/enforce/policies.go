package enforce

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"ccdir/internal/contain"
	"ccdir/policy/file"
)

// maxProjects bounds the projects whose policies stay loaded.
const maxProjects = 128

// policies keeps the policy of each project up to date.
type policies struct {
	user, home string
	uid        int
	protect    []string
	trees      []string
	// changed is called after a policy was loaded again, without mu.
	changed func()

	ctx    context.Context
	cancel context.CancelFunc
	wg     contain.Group

	mu sync.Mutex
	// holders are the loaded policies by project, "" for the user's file alone.
	holders map[string]*kept
	clock   int64
}

type kept struct {
	holder *file.Holder
	cancel context.CancelFunc
	used   int64
	seen   atomic.Uint64 // last value of its Loads that was reported
}

func newPolicies(o Options) *policies {
	p := &policies{user: o.User, home: o.Home, uid: o.UID, protect: o.Protect, trees: o.Trees, holders: map[string]*kept{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// close stops watching files and waits for the watchers.
func (p *policies) close() {
	p.cancel()
	p.wg.Wait()
}

// of returns the holder of the policy for sessions that were started in root.
func (p *policies) of(root string) (*file.Holder, *kept) {
	project := ""
	if root != "" {
		project = file.FindProject(root, p.home)
	}
	if project != "" && filepath.Join(project, file.ProjectFile) == p.user {
		project = "" // the user's own file is not a project's
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	if k := p.holders[project]; k != nil {
		k.used = p.clock
		return k.holder, k
	}
	if len(p.holders) >= maxProjects {
		p.evict()
	}
	ctx, cancel := context.WithCancel(p.ctx)
	k := &kept{cancel: cancel, used: p.clock, holder: file.NewHolder(file.Options{
		User: p.user, Project: project, Home: p.home, UID: p.uid, Protect: p.protect, Trees: p.trees})}
	p.holders[project] = k
	p.wg.Keep(ctx, func(ctx context.Context) {
		// If files cannot be watched, changes are seen at the next request.
		_ = k.holder.Run(ctx, p.changed)
	})
	return k.holder, k
}

// evict drops the policy that was used least recently. mu is held.
func (p *policies) evict() {
	oldest := ""
	for project, k := range p.holders {
		if first := p.holders[oldest]; first == nil || k.used < first.used {
			oldest = project
		}
	}
	p.holders[oldest].cancel()
	delete(p.holders, oldest)
}

// all returns the loaded holders.
func (p *policies) all() []*file.Holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*file.Holder
	for _, k := range p.holders {
		out = append(out, k.holder)
	}
	return out
}
