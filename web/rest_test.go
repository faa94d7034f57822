package web

import (
	"context"

	"ccdir/api"
)

// What the tests of approvals do not use.

func (p *place) Send(context.Context, string, api.SendPrompt) (api.SendResult, error) {
	return api.SendResult{}, nil
}
func (p *place) Kill(context.Context, string, api.Kill) (api.Session, error) {
	return api.Session{}, nil
}
func (p *place) Restart(context.Context, string) (api.Session, error) { return api.Session{}, nil }
func (p *place) Seen(context.Context, string) error                   { return nil }
func (p *place) Events(context.Context, api.EventFilter) ([]api.Event, error) {
	return nil, nil
}
func (p *place) Turns(context.Context, string, int, func(api.Turn) error) error { return nil }
func (p *place) Diff(context.Context, string, api.DiffQuestion) (api.ReviewDiff, error) {
	return api.ReviewDiff{}, nil
}
func (p *place) Add(context.Context, string, api.NewPending) (api.PendingPrompt, error) {
	return api.PendingPrompt{}, nil
}
func (p *place) List(context.Context, string) ([]api.PendingPrompt, error) { return nil, nil }
func (p *place) Tasks(context.Context) ([]api.Task, error)                 { return nil, nil }
func (p *place) Queue(context.Context) (api.Queue, error)                  { return api.Queue{}, nil }
