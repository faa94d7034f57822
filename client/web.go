package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// Web returns whether the page is served, and where.
func (c *Client) Web(ctx context.Context) (out api.Web, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/web", nil, nil, &out)
	return out, err
}

// SetWeb turns the page on or off.
func (c *Client) SetWeb(ctx context.Context, on bool) (out api.Web, err error) {
	err = c.keyed(ctx, "", http.MethodPut, "/v1/web", nil, api.SetWeb{On: on}, &out)
	return out, err
}

// WebCode makes a code by which one device can pair with the page.
func (c *Client) WebCode(ctx context.Context, rights api.WebRights) (out api.WebCode, err error) {
	err = c.call(ctx, http.MethodPost, "/v1/web/codes", nil, api.NewWebCode{Rights: rights}, &out)
	return out, err
}

// WebDevices lists the devices that are paired with the page.
func (c *Client) WebDevices(ctx context.Context) (out []api.WebDevice, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/web/devices", nil, nil, &out)
	return out, err
}

// RevokeDevice forgets a device of the page.
func (c *Client) RevokeDevice(ctx context.Context, ref string) (out api.WebDevice, err error) {
	err = c.keyed(ctx, "", http.MethodDelete, "/v1/web/devices/"+url.PathEscape(ref), nil, nil, &out)
	return out, err
}
