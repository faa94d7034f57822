package proxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"ccdir/sandbox"
)

// upstream is the proxy by which this machine reaches others; zero for none.
type upstream struct {
	at    string // HOST:PORT
	auth  string // the value of Proxy-Authorization, "" for none
	wrong string // why it cannot be used
	not   []string
}

// upstreamOf reads it from an environment, as programs do.
func upstreamOf(env []string) (u upstream) {
	get := func(names ...string) string {
		for _, name := range names {
			for i := len(env) - 1; i >= 0; i-- {
				if value, ok := strings.CutPrefix(env[i], name+"="); ok && value != "" {
					return value
				}
			}
		}
		return ""
	}
	text := get("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
	if text == "" {
		return u
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	for _, name := range strings.FieldsFunc(get("no_proxy", "NO_PROXY"), func(r rune) bool { return r == ',' || r == ' ' }) {
		u.not = append(u.not, sandbox.CleanHost(strings.TrimPrefix(name, "*")))
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Hostname() == "":
		u.wrong = "HTTPS_PROXY of the session is no address"
	case at.Scheme != "http":
		u.wrong = "HTTPS_PROXY of the session is of the kind " + at.Scheme + ", by which a sandbox with a list of hosts cannot go: only http"
	default:
		port := at.Port()
		if port == "" {
			port = "80"
		}
		u.at = net.JoinHostPort(at.Hostname(), port)
		if at.User != nil {
			password, _ := at.User.Password()
			u.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(at.User.Username()+":"+password))
		}
	}
	return u
}

// serves reports whether a host is reached by it.
func (u upstream) serves(host string) bool {
	if u.at == "" && u.wrong == "" || sandbox.Loopback(host) {
		return false
	}
	for _, name := range u.not {
		bare := strings.TrimPrefix(name, ".")
		if bare == "" || host == bare || strings.HasSuffix(host, "."+bare) {
			return false
		}
	}
	return true
}

// dial connects with at, HOST:PORT, through it. Names are resolved there.
func (u upstream) dial(ctx context.Context, at string) (net.Conn, error) {
	if u.wrong != "" {
		return nil, errors.New(u.wrong)
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.at)
	if err != nil {
		return nil, fmt.Errorf("the proxy of HTTPS_PROXY does not answer: %w", err)
	}
	if until, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(until)
	}
	ask := "CONNECT " + at + " HTTP/1.1\r\nHost: " + at + "\r\n"
	if u.auth != "" {
		ask += "Proxy-Authorization: " + u.auth + "\r\n"
	}
	status := ""
	if _, err = c.Write([]byte(ask + "\r\n")); err == nil {
		status, err = connected(c)
	}
	if err == nil && !strings.HasPrefix(status, "2") {
		err = errors.New(status)
	}
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("the proxy of HTTPS_PROXY does not connect with %s: %w", at, err)
	}
	_ = c.SetDeadline(time.Time{})
	return c, nil
}

// connected reads the answer's head by single bytes: what follows is the host's.
func connected(c net.Conn) (status string, err error) {
	r := bufio.NewReaderSize(oneByte{c}, 16)
	for left := maxHead; left > 0; {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		left -= len(line)
		line = strings.TrimRight(line, "\r\n")
		if status == "" {
			_, status, _ = strings.Cut(line, " ")
		} else if line == "" {
			return status, nil
		}
	}
	return "", errors.New("its answer is too long")
}

// oneByte reads one byte at a time, so that no reader takes more than it was asked for.
type oneByte struct{ c net.Conn }

func (o oneByte) Read(b []byte) (int, error) { return o.c.Read(b[:min(len(b), 1)]) }
