package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// ErrNotRunning: no daemon answers on the socket. Test with errors.Is.
var ErrNotRunning = errors.New("the ccdir daemon is not running: start it with `ccdir daemon start`")

// errCrashed is ErrNotRunning with the socket still there. A clean stop removes it, so the
// daemon was not stopped on purpose, and another one may be started.
var errCrashed = fmt.Errorf("%w (its socket was left behind: it was killed or it crashed)", ErrNotRunning)

// startError is why a daemon that crashed could not be started again.
type startError struct{ why error }

func (e startError) Error() string { return e.why.Error() }
func (e startError) Unwrap() error { return e.why }

// passes reports whether an error may pass, though not at once: no daemon can be started
// (a full disk, a locked database), or one hangs.
func passes(err error) bool {
	var start startError
	return errors.As(err, &start) || api.CodeOf(err) == api.CodeTimeout
}

// VersionError: the running daemon is of another version.
type VersionError struct {
	// Daemon and Client are the versions, PID the daemon's process.
	Daemon, Client string
	PID            int
}

// Newer reports whether the daemon is of a later version.
func (e *VersionError) Newer() bool { return newer(e.Daemon, e.Client) }

// Error says what to do in one line.
func (e *VersionError) Error() string {
	if e.Newer() {
		return fmt.Sprintf("the running daemon (pid %d) is version %s, newer than this ccdir, %s: install that version here, too, or go back by `ccdir daemon restart` (sessions keep running)",
			e.PID, textsafe.Line(e.Daemon), e.Client)
	}
	return fmt.Sprintf("the running daemon (pid %d) is version %s, this ccdir is %s: run `ccdir daemon restart` (sessions keep running)",
		e.PID, textsafe.Line(e.Daemon), e.Client)
}

// newer reports whether version a is later than b. Both have to be numbers with dots; what
// follows "-" or "+" is ignored.
func newer(a, b string) bool {
	x, okX := numbers(a)
	y, okY := numbers(b)
	return okX && okY && slices.Compare(x, y) > 0
}

func numbers(version string) (list []int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	version, _, _ = strings.Cut(version, "+")
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// dialError turns a failure to reach the socket into one that says what to do.
func dialError(socket string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errCrowded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotRunning
	case errors.Is(err, syscall.ECONNREFUSED):
		return errCrashed
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot open the daemon's socket %s: it belongs to another user: remove it or run as that user", socket)
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("the socket's path %s is too long for this system: %w", socket, err)
	}
	return fmt.Errorf("cannot reach the daemon at %s: %w", socket, err)
}

// callError turns a failed round trip into an error for people. Errors made by
// dialError pass through.
func callError(err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, ErrNotRunning):
		return unwrapURL(err)
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return &api.Error{Code: api.CodeTimeout, Message: "the daemon did not answer in time: see `ccdir daemon status` and `ccdir doctor`"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, &op),
		strings.HasSuffix(err.Error(), closedIdle):
		return errBroken
	}
	return unwrapURL(err)
}

// closedIdle is net/http's message for an idle connection that was closed while a call was
// given to it. The error is not exported (errServerClosedIdle, Go 1.26).
const closedIdle = "http: server closed idle connection"

// errCrowded: the daemon takes connections more slowly than processes make them.
var errCrowded = &api.Error{Code: api.CodeUnavailable,
	Message: "more processes connect to the daemon's socket than it can take: end the one that does so without end (`ss -xp` names it), and try again"}

// errBroken: the daemon ended in the middle of a call.
var errBroken = &api.Error{Code: api.CodeUnavailable,
	Message: "the daemon ended in the middle of the call: try again (its log says why: `ccdir daemon status`)"}

// unwrapURL takes net/http's wrapping (method and URL) off an error.
func unwrapURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
