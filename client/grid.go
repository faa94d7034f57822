package client

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Grid returns how the person has arranged the grid.
func (c *Client) Grid(ctx context.Context) (api.Grid, error) {
	var out api.Grid
	err := c.call(ctx, http.MethodGet, "/v1/grid", nil, nil, &out)
	return out, err
}

// SetGrid keeps how the person has arranged the grid: the latest wins.
func (c *Client) SetGrid(ctx context.Context, g api.Grid) error {
	return c.call(ctx, http.MethodPut, "/v1/grid", nil, g, nil)
}
