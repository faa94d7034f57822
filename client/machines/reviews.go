package machines

import (
	"context"

	"ccdir/api"
	"ccdir/nodes/merge"
)

func (ms *Client) Diff(ctx context.Context, id string, q api.DiffQuestion) (api.ReviewDiff, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return api.ReviewDiff{}, err
	}
	return c.Diff(ctx, id, q)
}

func (ms *Client) Looked(ctx context.Context, id, head string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Looked(ctx, id, head)
}

func (ms *Client) Comments(ctx context.Context, id string) ([]api.ReviewComment, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.Comments(ctx, id)
}

func (ms *Client) AddComment(ctx context.Context, id string, n api.NewComment) (api.ReviewComment, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return api.ReviewComment{}, err
	}
	return c.AddComment(ctx, id, n)
}

func (ms *Client) EditComment(ctx context.Context, id, comment string, e api.EditComment) (api.ReviewComment, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return api.ReviewComment{}, err
	}
	return c.EditComment(ctx, id, comment, e)
}

func (ms *Client) DropComment(ctx context.Context, id, comment string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.DropComment(ctx, id, comment)
}

// SendComments sends a session's drafts; to another session only on the same machine.
func (ms *Client) SendComments(ctx context.Context, id string, in api.SendComments) (api.SentComments, error) {
	ctx, c, node, id, err := ms.at(ctx, id)
	if err != nil {
		return api.SentComments{}, err
	}
	if of, own := merge.Split(in.To); of == node {
		in.To = own
	}
	return c.SendComments(ctx, id, in)
}

// Change stages changes of a file, or puts them back.
func (ms *Client) Change(ctx context.Context, id string, in api.ReviewChange) (api.ReviewChanged, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return api.ReviewChanged{}, err
	}
	return c.Change(ctx, id, in)
}

// UndoChange undoes what was staged or put back last.
func (ms *Client) UndoChange(ctx context.Context, id string) (api.ReviewChanged, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return api.ReviewChanged{}, err
	}
	return c.UndoChange(ctx, id)
}

// Viewed notes that a person has seen a file as it is, or not.
func (ms *Client) Viewed(ctx context.Context, id string, v api.ReviewViewed) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Viewed(ctx, id, v)
}
