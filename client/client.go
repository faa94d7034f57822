package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/internal/text/textsafe"
)

// Limits and timeouts. The largest answers are a ring (2 MiB) in base64 and a scrollback as
// styled text. A daemon that starts opens its database and adopts up to max_sessions hosts.
const (
	maxAnswer           = 256 << 20
	defaultStartTimeout = 15 * time.Second
	dialTimeout         = 5 * time.Second
)

// Options say where the daemon is and how to start one.
type Options struct {
	// Paths are the files and directories of this installation.
	Paths paths.Paths
	// UID is the user id that must own the directory of the sockets; negative: that of this
	// process.
	UID int
	// Version is this program's version; "" is api.Version.
	Version string
	// Exe is the ccdir executable whose daemon Connect starts; "": it starts none.
	Exe string
	// Linked: daemon and shim are linked into Exe; otherwise they are the programs next to it.
	Linked bool
	// Env is the environment of a daemon that is started.
	Env []string
	// StartTimeout bounds the wait for a started daemon; 0 is 15 s.
	StartTimeout time.Duration
	// Patience bounds the retries of a call that changes something while no daemon answers;
	// 0 is 15 s. In all it may take four times that. The call's context bounds it too.
	Patience time.Duration
	// Far leads to the daemon of another machine; nil: the daemon is on this one. Then Paths
	// are still those of this machine, and nothing is started or looked for here.
	Far Far
	// Name identifies this program to daemon and hosts ("tui", "cli"); "" is "client".
	Name string
}

// Client talks to one daemon. See the package comment.
type Client struct {
	opts Options
	http *http.Client
	tr   *http.Transport
	// quiet is the read timeout of streams: quietTime, or a test's.
	quiet time.Duration
	// hosts are the addresses in the last snapshot.
	hosts hostBook
	// met is the identity of the daemon that answered last; nil: none has.
	met atomic.Pointer[api.Server]
	// opened is the stream that the next Watch begins with; nil: none.
	opened atomic.Pointer[openedStream]
}

// New returns a client. It does no I/O.
func New(opts Options) *Client {
	if opts.UID < 0 {
		opts.UID = os.Getuid()
	}
	if opts.Version == "" {
		opts.Version = api.Version
	}
	if opts.StartTimeout <= 0 {
		opts.StartTimeout = defaultStartTimeout
	}
	if opts.Patience <= 0 {
		opts.Patience = defaultPatience
	}
	if opts.Name == "" {
		opts.Name = "client"
	}
	c := &Client{opts: opts, quiet: quietTime}
	c.tr = &http.Transport{
		DialContext:        c.dial,
		DisableCompression: true,
		MaxIdleConns:       4,
		IdleConnTimeout:    30 * time.Second,
	}
	// The daemon never redirects; to follow a redirect would hide a wrong path.
	c.http = &http.Client{Transport: c.tr, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return c
}

// Named returns another client of the same daemon, which calls itself name (Options.Name). The caller closes it.
func (c *Client) Named(name string) *Client {
	o := c.opts
	o.Name = name
	return New(o)
}

// Close closes idle connections and a stream of Open that was not watched. Calls in flight
// go on.
func (c *Client) Close() {
	c.closeOpened()
	c.tr.CloseIdleConnections()
}

// Paths returns Options.Paths.
func (c *Client) Paths() paths.Paths { return c.opts.Paths }

func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if c.opts.Far != nil {
		return c.opts.Far.Dial(ctx, filepath.Base(c.opts.Paths.Socket()))
	}
	if err := CheckRuntime(c.opts.Paths, c.opts.UID); err != nil {
		return nil, err
	}
	socket := c.opts.Paths.Socket()
	conn, err := dialQueued(ctx, socket)
	if err != nil {
		return nil, dialError(socket, err)
	}
	if u, ok := conn.(*net.UnixConn); ok {
		if err := proc.CheckDialled(u, c.opts.UID); err != nil {
			conn.Close()
			return nil, fmt.Errorf("%s: %w", socket, err)
		}
	}
	return conn, nil
}

// queuePause is the pause before the next attempt where the socket's queue is full.
const queuePause = 2 * time.Millisecond

// dialQueued connects, and waits where so many processes connect that the socket's queue is full.
func dialQueued(ctx context.Context, socket string) (net.Conn, error) {
	limit, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	for {
		conn, err := d.DialContext(limit, "unix", socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		select {
		case <-time.After(queuePause):
		case <-limit.Done():
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, errCrowded
		}
	}
}

// request makes and sends one call. The caller closes the answer's body.
func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Response, error) {
	u := url.URL{RawQuery: query.Encode()}
	var err error
	if u.Path, err = url.PathUnescape(path); err != nil {
		return nil, api.Errorf(api.CodeInvalid, "bad path %q", path)
	}
	u.RawPath = path
	var body []byte
	if in != nil {
		if c.opts.Far != nil {
			in = withoutEnv(in)
		}
		if body, err = json.Marshal(in); err != nil {
			return nil, err
		}
	}
	answered := func(*http.Response) {}
	if c.opts.Far != nil {
		ctx, answered = c.answering(ctx, path)
	}
	resp, err := c.send(ctx, method, &u, body)
	hung := errors.Is(context.Cause(ctx), errHung)
	failed := ctx.Err()
	answered(resp)
	if err != nil {
		switch {
		case hung:
			return nil, c.hung()
		case failed != nil:
			err = failed
		}
		return nil, callError(err)
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		err := answerError(resp)
		if resp.Close && api.CodeOf(err) == api.CodeUnavailable {
			err = errBroken // it is stopping
		}
		return nil, err
	}
	return resp, nil
}

// send sends a JSON body (nil: none) to an address of the daemon.
func (c *Client) send(ctx context.Context, method string, u *url.URL, body []byte) (*http.Response, error) {
	u.Scheme, u.Host = "http", "ccdir"
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	setOnce(req)
	req.Header.Set("User-Agent", "ccdir/"+c.opts.Version+" ("+c.opts.Name+")")
	return c.http.Do(req)
}

// call is callOnce with retries over the death of the daemon: it starts another one (see
// Reconnect) and retries a call that was not sent or only reads.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	retry, began := backoff{}, time.Now()
	for {
		err := c.callOnce(ctx, method, path, query, in, out)
		again := errors.Is(err, errCrashed) && c.opts.Exe != "" || errors.Is(err, errBroken) && method == http.MethodGet
		if !again || time.Since(began) > connectRetry || retry.wait(ctx) != nil {
			return c.fromNode(err)
		}
		if _, failed := c.Reconnect(ctx); failed != nil && !retryable(failed) {
			return failed
		}
	}
}

// callOnce sends in (nil: no body) and decodes the answer into out (nil:
// ignored).
func (c *Client) callOnce(ctx context.Context, method, path string, query url.Values, in, out any) error {
	resp, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	} else {
		err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return callError(ctx.Err())
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return api.Errorf(api.CodeBadVersion, "the daemon's answer to %s %s is not understood (%v): run `ccdir daemon restart`", method, path, err)
	}
	return callError(err)
}

// answerError reads the error of a failed call.
func answerError(resp *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var e api.Error
	if json.Unmarshal(data, &e) == nil && e.Message != "" {
		if e.Code == "" {
			e.Code = api.CodeInternal
		}
		return &e
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	code := api.CodeInternal
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
		code = api.CodeBadVersion
	}
	return api.Errorf(code, "what listens at the daemon's socket answered %q (%s): is it another version? run `ccdir daemon restart`",
		resp.Status, textsafe.Cut(textsafe.Line(text), 200))
}
