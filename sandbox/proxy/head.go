package proxy

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"ccdir/sandbox"
)

// maxHead bounds a request's head, in bytes.
const maxHead = 64 << 10

// head is what a request says.
type head struct {
	connect bool
	// host is clean (sandbox.CleanHost).
	host string
	port int
	// password is that of the request; "" if it has none.
	password string
	// forOrigin is the head as the host is to get it: of plain HTTP only.
	forOrigin string
}

// readHead reads a request's head, up to its empty line.
func readHead(r *bufio.Reader) (h head, err error) {
	left := maxHead
	line := func() (string, error) {
		var text []byte
		for {
			part, err := r.ReadSlice('\n')
			text, left = append(text, part...), left-len(part)
			switch {
			case left < 0:
				return "", errors.New("the request's head is too long")
			case err == bufio.ErrBufferFull:
				continue
			case err != nil:
				return "", errors.New("the request ends within its head")
			}
			clean := strings.TrimRight(string(text), "\r\n")
			if strings.ContainsFunc(clean, func(r rune) bool { return r < ' ' && r != '\t' }) {
				return "", errors.New("the request's head has control characters")
			}
			return clean, nil
		}
	}
	first, err := line()
	if err != nil {
		return h, err
	}
	method, rest, _ := strings.Cut(first, " ")
	target, version, ok := strings.Cut(rest, " ")
	if !ok || method == "" || !strings.HasPrefix(version, "HTTP/1.") {
		return h, errors.New("this is a proxy: it takes CONNECT, and plain HTTP with absolute addresses")
	}
	path := ""
	if h.connect = method == "CONNECT"; h.connect {
		err = h.take(target, 0)
	} else {
		path, err = h.absolute(target)
	}
	if err != nil {
		return h, err
	}
	origin := &strings.Builder{}
	fmt.Fprintf(origin, "%s %s %s\r\n", method, path, version)
	for {
		text, err := line()
		if err != nil {
			return h, err
		}
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || strings.ContainsAny(name, " \t") {
			return h, errors.New("the request's head has a line that is no field")
		}
		switch strings.ToLower(name) {
		case "proxy-authorization":
			h.password = passwordOf(value)
		case "connection", "proxy-connection", "keep-alive", "proxy-authenticate", "host":
		default:
			origin.WriteString(text + "\r\n")
		}
	}
	// One request a connection: the next could be for another host.
	fmt.Fprintf(origin, "Host: %s\r\nConnection: close\r\n\r\n", h.authority())
	if !h.connect {
		h.forOrigin = origin.String()
	}
	return h, nil
}

// absolute takes the host of an address http://HOST[:PORT]/PATH, and returns its path.
func (h *head) absolute(target string) (path string, err error) {
	rest, ok := strings.CutPrefix(strings.ToLower(target[:min(len(target), len("http://"))]), "http://")
	if !ok || rest != "" {
		return "", errors.New("this is a proxy: it takes CONNECT, and plain HTTP with absolute addresses")
	}
	target = target[len("http://"):]
	end := strings.IndexAny(target, "/?#")
	if end < 0 {
		end = len(target)
	}
	path = target[end:]
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path, h.take(target[:end], 80)
}

// take reads HOST:PORT; fallback is the port of one without, 0 for none.
func (h *head) take(authority string, fallback int) (err error) {
	host, port, err := net.SplitHostPort(authority)
	if err != nil && fallback != 0 {
		host, port, err = authority, strconv.Itoa(fallback), nil
	}
	if err == nil {
		h.port, err = strconv.Atoi(port)
	}
	if h.host = sandbox.CleanHost(host); err != nil || h.port < 1 || h.port > 65535 || h.host == "" || strings.ContainsFunc(h.host, notInHost) {
		return errors.New("the request names no host with a port")
	}
	return nil
}

// authority is the host as a field Host has it.
func (h *head) authority() string {
	if h.port == 80 {
		if strings.Contains(h.host, ":") {
			return "[" + h.host + "]"
		}
		return h.host
	}
	return net.JoinHostPort(h.host, strconv.Itoa(h.port))
}

// notInHost: a zone (%eth0) would choose an interface of the machine.
func notInHost(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:", r)
}

// passwordOf is that of a field of basic authentication.
func passwordOf(value string) string {
	scheme, encoded, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "basic") {
		return ""
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return ""
	}
	_, password, _ := strings.Cut(string(plain), ":")
	return password
}
