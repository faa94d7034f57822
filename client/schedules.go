package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// schedule returns the path of a schedule's resource.
func schedule(ref, rest string) (string, error) {
	if ref == "" || ref == "." || ref == ".." { // they would select another route
		return "", api.Errorf(api.CodeNotFound, "no schedule %q: `ccdir schedule ls` lists them", ref)
	}
	return "/v1/schedules/" + url.PathEscape(ref) + rest, nil
}

func (c *Client) onSchedule(ctx context.Context, ref, rest string, in any) (out api.Schedule, err error) {
	path, err := schedule(ref, rest)
	if err != nil {
		return out, err
	}
	err = c.keyed(ctx, "", http.MethodPost, path, nil, in, &out)
	return out, err
}

// Schedules lists the schedules, the one that is due next first.
func (c *Client) Schedules(ctx context.Context) (out []api.Schedule, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/schedules", nil, nil, &out)
	return out, err
}

// Schedule returns a schedule by its id or name.
func (c *Client) Schedule(ctx context.Context, ref string) (out api.Schedule, err error) {
	path, err := schedule(ref, "")
	if err != nil {
		return out, err
	}
	err = c.call(ctx, http.MethodGet, path, nil, nil, &out)
	return out, err
}

// AddSchedule makes a schedule. It is on disk when AddSchedule returns.
func (c *Client) AddSchedule(ctx context.Context, n api.NewSchedule) (out api.Schedule, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/schedules", nil, n, &out)
	return out, err
}

// EditSchedule changes a schedule.
func (c *Client) EditSchedule(ctx context.Context, ref string, e api.EditSchedule) (api.Schedule, error) {
	return c.onSchedule(ctx, ref, "/edit", e)
}

// RunSchedule runs a schedule now.
func (c *Client) RunSchedule(ctx context.Context, ref string) (api.Schedule, error) {
	return c.onSchedule(ctx, ref, "/run", nil)
}

// PauseSchedule keeps a schedule from running.
func (c *Client) PauseSchedule(ctx context.Context, ref string) (api.Schedule, error) {
	return c.onSchedule(ctx, ref, "/pause", nil)
}

// ResumeSchedule lets a schedule run again, from now on.
func (c *Client) ResumeSchedule(ctx context.Context, ref string) (api.Schedule, error) {
	return c.onSchedule(ctx, ref, "/resume", nil)
}

// RemoveSchedule forgets a schedule.
func (c *Client) RemoveSchedule(ctx context.Context, ref string) error {
	path, err := schedule(ref, "")
	if err != nil {
		return err
	}
	return c.keyed(ctx, "", http.MethodDelete, path, nil, nil, nil)
}

// Reactions lists the commands that events start.
func (c *Client) Reactions(ctx context.Context) (out []api.Reaction, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/reactions", nil, nil, &out)
	return out, err
}

// TestReactions runs the commands of an event with a sample of it, and waits for them.
func (c *Client) TestReactions(ctx context.Context, t api.ReactionTest) (out []api.ReactionRun, err error) {
	err = c.call(ctx, http.MethodPost, "/v1/reactions/test", nil, t, &out)
	return out, err
}

// Watches lists the watches.
func (c *Client) Watches(ctx context.Context) (out []api.Watch, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/watches", nil, nil, &out)
	return out, err
}

// watch calls what is below a watch's resource.
func (c *Client) watch(ctx context.Context, name, rest string, in, out any) error {
	if name == "" || name == "." || name == ".." { // they would select another route
		return api.Errorf(api.CodeNotFound, "no watch %q: `ccdir watch ls` lists them", name)
	}
	return c.call(ctx, http.MethodPost, "/v1/watches/"+url.PathEscape(name)+rest, nil, in, out)
}

// RunWatch has a watch look now; an issue becomes one task, however often it is called.
func (c *Client) RunWatch(ctx context.Context, name string, run api.RunWatch) (out []api.WatchItem, err error) {
	err = c.watch(ctx, name, "/run", run, &out)
	return out, err
}

// PauseWatch keeps a watch from looking by itself.
func (c *Client) PauseWatch(ctx context.Context, name string) (out api.Watch, err error) {
	err = c.watch(ctx, name, "/pause", nil, &out)
	return out, err
}

// ResumeWatch lets it look again.
func (c *Client) ResumeWatch(ctx context.Context, name string) (out api.Watch, err error) {
	err = c.watch(ctx, name, "/resume", nil, &out)
	return out, err
}
