package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// Messages lists a mailbox, oldest first: the person's, or a session's;
// all: acknowledged ones too. limit 0 is the server's default.
func (c *Client) Messages(ctx context.Context, session string, all bool, limit int) ([]api.Message, error) {
	q := url.Values{}
	if session != "" {
		q.Set("session", session)
	}
	if all {
		q.Set("all", "1")
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out []api.Message
	err := c.call(ctx, http.MethodGet, "/v1/messages", q, nil, &out)
	return out, err
}

// SendMessage sends a message of the person's.
func (c *Client) SendMessage(ctx context.Context, n api.NewMessage) (api.Message, error) {
	var out api.Message
	err := c.keyed(ctx, "", http.MethodPost, "/v1/messages", nil, n, &out)
	return out, err
}

// AckMessages takes messages out of the person's mailbox and returns how many
// were in it.
func (c *Client) AckMessages(ctx context.Context, ids []int64) (int, error) {
	var out api.Acked
	err := c.keyed(ctx, "", http.MethodPost, "/v1/messages/ack", nil, api.AckMessages{IDs: ids}, &out)
	return out.Acked, err
}
