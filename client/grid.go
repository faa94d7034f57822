package client

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Grid returns the arrangement of the grid.
func (c *Client) Grid(ctx context.Context) (api.Grid, error) {
	var out api.Grid
	err := c.call(ctx, http.MethodGet, "/v1/grid", nil, nil, &out)
	return out, err
}

// SetGrid replaces the arrangement of the grid; the last call wins.
func (c *Client) SetGrid(ctx context.Context, g api.Grid) error {
	return c.call(ctx, http.MethodPut, "/v1/grid", nil, g, nil)
}
