package api

import (
	"errors"
	"fmt"
)

// Code is a machine-readable kind of failure.
type Code string

// The codes of errors, each with its HTTP status (see Error.Status).
const (
	CodeInvalid     Code = "invalid"     // 400: the request is malformed
	CodeForbidden   Code = "forbidden"   // 403: this caller may not
	CodeNotFound    Code = "not_found"   // 404: no such session, …
	CodeConflict    Code = "conflict"    // 409: name in use, wrong state
	CodeLimit       Code = "limit"       // 429: max_sessions, queue full
	CodeInternal    Code = "internal"    // 500: our fault
	CodeUnavailable Code = "unavailable" // 503: shutting down, host gone
	CodeTimeout     Code = "timeout"     // 504: no acknowledgement in time
	CodeNotRunning  Code = "not_running" // 409: the session has ended
	CodeNoAgent     Code = "no_agent"    // 400: executable not found
	CodeBadVersion  Code = "bad_version" // 409: protocol versions differ
	CodeDialogOpen  Code = "dialog_open" // 409: a dialog waits for a person
	CodeDraft       Code = "draft"       // 409: a person's draft stands in the input line
	CodeAmbiguous   Code = "ambiguous"   // 400: a prefix fits several
	CodeTooLarge    Code = "too_large"   // 413: body over its limit
	CodeKeyReused   Code = "key_reused"  // 422: the key was that of another call
	CodeAsks        Code = "asks"        // 409: a person decides; the call says yes by a field of its own

	CodePrecondition Code = "precondition_failed" // 412: the target has another version by now

	CodeUnauthorized Code = "unauthorized"           // 401: no token, or a wrong one (over TCP)
	CodeMethod       Code = "method_not_allowed"     // 405: the address has other methods
	CodeMediaType    Code = "unsupported_media_type" // 415: the body is not called JSON
)

// Error is the body of every failed call: what went wrong and what to do, in
// one line for people, with a code for programs.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// ErrStopping is the error of calls that the end of the daemon cuts off, and the cause with
// which it ends their contexts. The next daemon takes them up.
var ErrStopping = Errorf(CodeUnavailable, "the daemon is stopping; try again")

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of err, or CodeInternal if it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Codes lists every code once.
func Codes() []Code {
	return []Code{CodeInvalid, CodeForbidden, CodeNotFound, CodeConflict, CodeLimit, CodeInternal, CodeUnavailable, CodeTimeout,
		CodeNotRunning, CodeNoAgent, CodeBadVersion, CodeDialogOpen, CodeDraft, CodeAmbiguous, CodeTooLarge, CodeKeyReused, CodeAsks, CodePrecondition,
		CodeUnauthorized, CodeMethod, CodeMediaType}
}

// Status is the HTTP status that goes with the code.
func (c Code) Status() int {
	switch c {
	case CodeInvalid, CodeNoAgent, CodeAmbiguous:
		return 400
	case CodeUnauthorized:
		return 401
	case CodeForbidden:
		return 403
	case CodeNotFound:
		return 404
	case CodeConflict, CodeAsks, CodeNotRunning, CodeBadVersion, CodeDialogOpen, CodeDraft:
		return 409
	case CodePrecondition:
		return 412
	case CodeMethod:
		return 405
	case CodeTooLarge:
		return 413
	case CodeMediaType:
		return 415
	case CodeKeyReused:
		return 422
	case CodeLimit:
		return 429
	case CodeUnavailable:
		return 503
	case CodeTimeout:
		return 504
	}
	return 500
}

// UnsureError is the error of a call that was sent and got no answer: it may have been
// carried out.
type UnsureError struct {
	// Err is why no answer came, Look the command that shows whether it was carried out.
	Err  error
	Look string
}

// Error returns a message that names Look.
func (e *UnsureError) Error() string {
	return fmt.Sprintf("whether it was done is not known (%v): see `%s`", e.Err, e.Look)
}

// Unwrap returns why no answer came.
func (e *UnsureError) Unwrap() error { return e.Err }

// Unsure reports whether err leaves open if the call was carried out.
func Unsure(err error) bool {
	var e *UnsureError
	return errors.As(err, &e)
}
