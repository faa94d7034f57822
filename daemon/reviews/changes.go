package reviews

import (
	"context"
	"errors"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/review"
)

// maxViewed bounds the files of a session of which it is kept that a person has seen them.
const maxViewed = 5000

// Change stages changes of a file of a difference, or puts them back, once for its request.
func (r *Reviews) Change(ctx context.Context, ref string, c api.ReviewChange, request string) (done api.ReviewChanged, err error) {
	for _, lines := range []*api.LineRange{c.Old, c.New} {
		if lines != nil && (lines.From < 1 || lines.End < lines.From) {
			return done, api.Errorf(api.CodeInvalid, "lines count from 1, the first one first")
		}
	}
	return r.changed(ctx, ref, func(o *review.Repo, session string) (api.ReviewChanged, error) {
		switch c.Do {
		case api.ReviewStage:
			return o.Stage(ctx, session, c, request)
		case api.ReviewPutBack:
			return o.PutBack(ctx, session, c, request)
		}
		return done, api.Errorf(api.CodeInvalid, "changes are staged (stage) or put back (put_back), not %.20q", string(c.Do))
	})
}

// Undo undoes what was staged or put back last of a session's work, once for its request.
func (r *Reviews) Undo(ctx context.Context, ref, request string) (api.ReviewChanged, error) {
	return r.changed(ctx, ref, func(o *review.Repo, session string) (api.ReviewChanged, error) {
		return o.Undo(ctx, session, request)
	})
}

// changed changes the work tree of a session or its index.
func (r *Reviews) changed(ctx context.Context, ref string, act func(o *review.Repo, session string) (api.ReviewChanged, error)) (done api.ReviewChanged, err error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return done, err
	}
	o, _, leave, err := r.openOf(ctx, s)
	if err != nil {
		return done, outside(s, err)
	}
	defer leave()
	if note, isOutside := o.Outside(); isOutside {
		return done, api.Errorf(api.CodeConflict, "%s: nothing is staged or put back there", note)
	}
	done, err = act(o, s.ID)
	switch {
	case errors.Is(err, review.ErrPath):
		return done, api.Errorf(api.CodeInvalid, "%v", err)
	case err != nil && api.CodeOf(err) != api.CodeInvalid:
		return done, api.Errorf(api.CodeConflict, "%v", err)
	}
	return done, err
}

// Viewed notes that a person has seen a file as it is, or not.
func (r *Reviews) Viewed(ctx context.Context, ref string, v api.ReviewViewed) error {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return err
	}
	if len(v.Content) > 64 || len(v.Path) > 8<<10 {
		return api.Errorf(api.CodeInvalid, "%s is no file of a difference", textsafe.Cut(textsafe.Line(v.Path), 80))
	}
	return r.o.Store.SetViewed(s.ID, v, maxViewed)
}

// markViewed marks the files of a difference that a person has seen as they are.
func (r *Reviews) markViewed(ctx context.Context, session string, files []api.ReviewFile) error {
	seen, err := r.o.Store.Viewed(ctx, session)
	for i := range files {
		content, known := seen[files[i].Path]
		files[i].Viewed = known && content == files[i].Content
	}
	return err
}
