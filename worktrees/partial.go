package worktrees

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// A partial clone lacks objects that its remote promises. A git that looks fetches nothing, so
// that what a merge needs is fetched before.

// promisor is the remote that promises the objects which a partial clone lacks, "" for a whole
// repository.
func (r *Repo) promisor(ctx context.Context) string {
	out, err := run{dir: r.Common}.git(ctx, "config", "--type=bool", "--get-regexp", `^remote\..*\.promisor$`)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(out) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); value == "true" {
			return strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".promisor")
		}
	}
	return ""
}

// unknown is why something about files is not known: in a partial clone the reason is what it
// lacks, and the person is told what brings that.
func (r *Repo) unknown(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil || r.promisor(ctx) == "" {
		return err
	}
	return fmt.Errorf("%s is not known, since this partial clone lacks files: `ccdir worktree merge` fetches what it needs, `git fetch --refetch --no-filter` all (%w)", what, err)
}

// complete fetches what a partial clone lacks for the merge, in one call. git runs as the person
// who merges: the remote may ask for a key or a password.
func (m *merging) complete(ctx context.Context) error {
	remote := m.repo.promisor(ctx)
	if remote == "" {
		return nil
	}
	ids, err := m.lacks(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	name := textsafe.Line(remote)
	if m.in.Env == nil {
		return api.Errorf(api.CodeInvalid, "this partial clone lacks %d %s that the merge needs, and %s was not asked for them: that needs the environment of the caller", len(ids), plural(len(ids), "object"), name)
	}
	limited, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	git := run{dir: m.repo.Common, env: m.in.Env, user: true, stdin: strings.NewReader(strings.Join(ids, "\n") + "\n")}
	if _, err := git.git(limited, "-c", "fetch.negotiationAlgorithm=noop", "fetch", remote, "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--no-auto-maintenance",
		"--filter=blob:none", "--stdin"); err != nil {
		return api.Errorf(api.CodeUnavailable, "%d %s that the merge needs could not be fetched from %s: %v", len(ids), plural(len(ids), "object"), name, err)
	}
	return nil
}

// lacks lists the objects that the merge needs and that are missing: what the commits of both
// sides brought since their base, and what the base has in place of it. Not all of the three
// trees: in a sparse checkout most of them is missing, and a merge reads only what differs.
func (m *merging) lacks(ctx context.Context) (ids []string, err error) {
	git := run{dir: m.repo.Common}
	since := []string{"rev-list", "--objects", "--missing=print", "--no-object-names", m.Target, m.Head}
	base, err := git.line(ctx, "merge-base", m.Target, m.Head)
	if err != nil && !said(err, 1) { // 1: the histories have nothing in common
		return nil, err
	}
	if err == nil {
		since = append(since, "--not", base)
	}
	out, err := git.git(ctx, since...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(list string) {
		for line := range strings.Lines(list) {
			if id, missing := strings.CutPrefix(strings.TrimSpace(line), "?"); missing && !seen[id] {
				ids, seen[id] = append(ids, id), true
			}
		}
	}
	if add(out); base == "" {
		return ids, nil
	}
	var old strings.Builder
	old.WriteString(base + "\n--\n")
	for _, side := range []string{m.Target, m.Head} {
		diff, err := git.git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=a", base, side)
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(diff, "\x00") {
			if path != "" && !strings.Contains(path, "\n") {
				old.WriteString(path + "\n")
			}
		}
	}
	git.stdin = strings.NewReader(old.String())
	out, err = git.git(ctx, "--literal-pathspecs", "rev-list", "--objects", "--missing=print", "--no-object-names", "--no-walk", "--stdin")
	add(out)
	return ids, err
}
