package call

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// result is the outcome of one attempt to reach the daemon.
type result int

const (
	// unavailable: no daemon took the call; retry.
	unavailable result = iota
	// refused: the daemon refused it; a retry is of no use.
	refused
	// answered: the reply is valid.
	answered
)

// maxReply bounds the answer of a daemon, in bytes.
const maxReply = 4 << 20

// dialTimeout bounds the connect.
const dialTimeout = time.Second

// oneWrite is the largest payload that is sent together with the head, in bytes.
const oneWrite = 64 << 10

// post makes the call once. Past the deadline it goes on until c.deadline if the daemon has said
// that it works on the call.
func (c *call) post(deadline time.Time) (api.HookReply, result) {
	if c.socket == "" {
		return api.HookReply{}, unavailable
	}
	limit := time.Now().Add(dialTimeout)
	if deadline.Before(limit) {
		limit = deadline
	}
	conn, err := dial(c.socket, limit, deadline)
	if err != nil {
		return api.HookReply{}, unavailable
	}
	defer conn.close()
	// A daemon may refuse the call before it has read everything: read its answer even if
	// the write failed.
	head := c.head()
	if len(c.payload) <= oneWrite {
		head = append(head, c.payload...)
	}
	_, writeErr := conn.Write(head)
	if writeErr == nil && len(c.payload) > oneWrite {
		_, writeErr = conn.Write(c.payload)
	}
	status, body, err := readResponse(bufio.NewReader(conn), func() { conn.deadline = later(deadline, c.deadline) })
	switch {
	case err != nil, writeErr != nil && status < 400, status >= 500:
		return api.HookReply{}, unavailable
	case status != 200:
		return api.HookReply{}, refused
	}
	var reply api.HookReply
	if string(bytes.TrimSpace(body)) == "{}" {
		return reply, answered // the usual reply; to decode it would take longer than the call
	}
	if json.Unmarshal(body, &reply) != nil {
		return api.HookReply{}, refused
	}
	return reply, answered
}

// head returns the request's head. Its values were checked for control characters.
func (c *call) head() []byte {
	var b strings.Builder
	b.WriteString("POST /v1/hook HTTP/1.1\r\nHost: ccdir\r\nConnection: close\r\nContent-Type: application/json\r\n")
	for _, h := range [...][2]string{
		{"Content-Length", strconv.Itoa(len(c.payload))},
		{api.HeaderSession, c.session},
		{api.HeaderToken, c.token},
		{api.HeaderHook, c.hook},
		{api.HeaderHookID, c.id},
		{api.HeaderAt, c.at.UTC().Format(time.RFC3339Nano)},
	} {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	if c.role != "" {
		b.WriteString(api.HeaderRole + ": " + c.role + "\r\n")
	}
	if c.pid > 0 {
		b.WriteString(api.HeaderPID + ": " + strconv.Itoa(c.pid) + "\r\n")
	}
	b.WriteString("\r\n")
	return []byte(b.String())
}

var errResponse = errors.New("not an HTTP response")

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// readResponse reads one HTTP/1.x response: the final status (1xx are skipped, and sign is called)
// and a body given by Content-Length, in chunks, or up to the end.
func readResponse(r *bufio.Reader, sign func()) (status int, body []byte, err error) {
	for {
		length, chunked := int64(-1), false
		line, err := readLine(r)
		if err != nil {
			return 0, nil, err
		}
		rest, ok := strings.CutPrefix(line, "HTTP/1.")
		if !ok || len(rest) < 5 {
			return 0, nil, errResponse
		}
		if status, err = strconv.Atoi(rest[2:5]); err != nil || status < 100 {
			return 0, nil, errResponse
		}
		for lines := 0; ; lines++ {
			line, err := readLine(r)
			if err != nil {
				return 0, nil, err
			}
			if line == "" {
				break
			}
			if lines > 100 {
				return 0, nil, errResponse
			}
			name, value, _ := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			switch strings.ToLower(name) {
			case "content-length":
				if length, err = strconv.ParseInt(value, 10, 64); err != nil || length < 0 || length > maxReply {
					return 0, nil, errResponse
				}
			case "transfer-encoding":
				chunked = strings.EqualFold(value, "chunked")
			}
		}
		if status/100 == 1 {
			sign()
			continue
		}
		switch {
		case chunked:
			body, err = readChunks(r)
		case length >= 0:
			body = make([]byte, length)
			_, err = io.ReadFull(r, body)
		default:
			body, err = io.ReadAll(io.LimitReader(r, maxReply))
		}
		return status, body, err
	}
}

// readChunks reads a chunked body.
func readChunks(r *bufio.Reader) ([]byte, error) {
	var body []byte
	for {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseUint(strings.TrimSpace(size), 16, 31)
		if err != nil || len(body)+int(n) > maxReply {
			return nil, errResponse
		}
		if n == 0 {
			return body, nil
		}
		at := len(body)
		body = append(body, make([]byte, n)...)
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return nil, err
		}
		if line, err := readLine(r); err != nil || line != "" {
			return nil, errResponse
		}
	}
}

// readLine reads a line without its end; the reader's buffer bounds it.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}
