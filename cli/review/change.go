package review

import (
	"context"
	"fmt"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// change stages changes, puts them back, or undoes the last of these.
func (f *reviewFlags) change(ctx context.Context, a *verb.App, c *client.Client, ref string) error {
	done := []api.ReviewChanged{}
	if f.undo {
		one, err := c.UndoChange(ctx, ref)
		if err != nil {
			return err
		}
		done = append(done, one)
	}
	for _, at := range append(f.stage, f.putBack...) {
		one, err := f.changeAt(ctx, c, ref, at)
		if err != nil {
			return err
		}
		done = append(done, one)
	}
	return a.Output(done, func() error {
		for _, one := range done {
			line := textsafe.Line(one.Line())
			if f.undo {
				line = "undone: " + line
			}
			if _, err := fmt.Fprintln(a.Out, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeAt stages the changes at a place of the difference, or puts them back.
func (f *reviewFlags) changeAt(ctx context.Context, c *client.Client, ref, at string) (done api.ReviewChanged, err error) {
	name, from, end := placeOf(at)
	if name == "" {
		return done, api.Errorf(api.CodeInvalid, "changes are those of a file: name it, from the top of the work tree")
	}
	d, err := c.Diff(ctx, ref, api.DiffQuestion{Scope: api.DiffScope(f.scope), Turn: f.turn}) // of all, as renamed files are told
	if err != nil {
		return done, err
	}
	in := api.ReviewChange{Do: api.ReviewStage, Base: d.Base, Head: d.Head, Path: name}
	if len(f.putBack) > 0 {
		in.Do = api.ReviewPutBack
	}
	if from == 0 {
		return c.Change(ctx, ref, in)
	}
	for _, file := range d.Files {
		if file.Path != name {
			continue
		}
		if file.LeftOut == api.LeftOutGenerated || file.LeftOut == api.LeftOutTotal {
			whole, err := c.Diff(ctx, ref, api.DiffQuestion{Scope: api.DiffScope(f.scope), Turn: f.turn, Paths: []string{name}})
			if err != nil {
				return done, err
			}
			for _, one := range whole.Files {
				file = one
			}
		}
		in.Old, in.New = touching(file, from, end)
		if in.Old == nil && in.New == nil && !file.Binary && file.LeftOut == "" {
			return done, api.Errorf(api.CodeInvalid, "nothing was changed at %s (scope %s)", textsafe.Line(at), f.scope)
		}
	}
	return c.Change(ctx, ref, in)
}

// touching are the lines of the runs of changes that touch the lines from to end of a file as it became. Lines that were only
// removed touch those around them.
func touching(f api.ReviewFile, from, end int) (old, now *api.LineRange) {
	for _, h := range f.Hunks {
		o, n := h.OldStart+btoi(h.OldLines == 0), h.NewStart+btoi(h.NewLines == 0)
		for i := 0; i < len(h.Lines); {
			if h.Lines[i].Kind == api.LineContext {
				i, o, n = i+1, o+1, n+1
				continue
			}
			removed, added := o, n
			for ; i < len(h.Lines) && h.Lines[i].Kind != api.LineContext; i++ {
				if h.Lines[i].Kind == api.LineRemoved {
					o++
				} else {
					n++
				}
			}
			first, last := added, n-1
			if n == added {
				first, last = added-1, added
			}
			if last >= from && first <= end {
				old, now = wider(old, removed, o-1), wider(now, added, n-1)
			}
		}
	}
	return old, now
}

// wider is a range with the lines from to end too; none if there are none.
func wider(r *api.LineRange, from, end int) *api.LineRange {
	switch {
	case end < from:
		return r
	case r == nil:
		return &api.LineRange{From: from, End: end}
	}
	return &api.LineRange{From: r.From, End: end}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
