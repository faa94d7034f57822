package far

import (
	"context"

	"ccdir/api"
	"ccdir/client/machines"
	"ccdir/web"
)

type joinedReviews struct {
	web.Reviews
	far *Far
}

// Diff implements web.Reviews.
func (r joinedReviews) Diff(ctx context.Context, ref string, q api.DiffQuestion) (api.ReviewDiff, error) {
	if !elsewhere(ref) {
		return r.Reviews.Diff(ctx, ref, q)
	}
	return on(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) (api.ReviewDiff, error) { return ms.Diff(ctx, ref, q) })
}

// Looked implements web.Reviews.
func (r joinedReviews) Looked(ctx context.Context, ref, head string) error {
	if !elsewhere(ref) {
		return r.Reviews.Looked(ctx, ref, head)
	}
	return did(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) error { return ms.Looked(ctx, ref, head) })
}

// Comments implements web.Reviews.
func (r joinedReviews) Comments(ctx context.Context, ref string) ([]api.ReviewComment, error) {
	if !elsewhere(ref) {
		return r.Reviews.Comments(ctx, ref)
	}
	return on(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) ([]api.ReviewComment, error) {
		return ms.Comments(ctx, ref)
	})
}

// AddComment implements web.Reviews.
func (r joinedReviews) AddComment(ctx context.Context, ref string, n api.NewComment, request string) (api.ReviewComment, error) {
	if !elsewhere(ref) {
		return r.Reviews.AddComment(ctx, ref, n, request)
	}
	return on(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) (api.ReviewComment, error) {
		return ms.AddComment(ctx, ref, n)
	})
}

// DropComment implements web.Reviews.
func (r joinedReviews) DropComment(ctx context.Context, ref, id string) error {
	if !elsewhere(ref) {
		return r.Reviews.DropComment(ctx, ref, id)
	}
	return did(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) error { return ms.DropComment(ctx, ref, id) })
}

// SendComments implements web.Reviews.
func (r joinedReviews) SendComments(ctx context.Context, ref string, in api.SendComments) (api.SentComments, error) {
	if !elsewhere(ref) {
		return r.Reviews.SendComments(ctx, ref, in)
	}
	return on(ctx, r.far, ref, func(ctx context.Context, ms *machines.Client) (api.SentComments, error) {
		return ms.SendComments(ctx, ref, in)
	})
}
