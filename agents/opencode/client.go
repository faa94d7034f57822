package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"ccdir/agents"
)

// user is the name that the server demands beside the password.
const user = "opencode"

const (
	// callTime bounds a call of the server, which answers in some 20 ms on an idle machine.
	callTime = 20 * time.Second
	// maxAnswer bounds the answer to a call, in bytes.
	maxAnswer = 16 << 20
)

// client calls one session's server.
type client struct {
	base, secret string
	http         *http.Client
}

// newClient refuses addresses elsewhere: the password would leave the machine.
func newClient(c agents.Control) (*client, error) {
	addr, err := netip.ParseAddrPort(c.Address)
	if c.Network != "tcp" || err != nil || !addr.Addr().IsLoopback() {
		return nil, fmt.Errorf("%q is no address of an opencode server", c.Address)
	}
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: callTime}).DialContext, DisableCompression: true}
	return &client{base: "http://" + addr.String(), secret: c.Secret, http: &http.Client{Transport: transport}}, nil
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(user, c.secret)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(req)
}

// statusError is the answer to a call that failed.
type statusError struct {
	call string
	code int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("opencode answers %s with %d", e.call, e.code)
}

// call makes a call; out gets the answer unless it is nil.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	resp, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case resp.StatusCode/100 != 2:
		return &statusError{method + " " + path, resp.StatusCode}
	case out == nil:
		return nil
	}
	return json.Unmarshal(data, out)
}

func (c *client) close() { c.http.CloseIdleConnections() }
