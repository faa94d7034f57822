package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"ccdir/api"
)

// body decodes a JSON body of at most limit bytes; an empty one leaves v. Unknown fields
// are refused, since a misspelt one would be ignored otherwise.
func body(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	data, err := readBody(w, r, limit)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if !json.Valid(data) { // also what follows the first value
		return badJSON(data, json.Unmarshal(data, v))
	}
	if err := dec.Decode(v); err != nil {
		return newer(r, badJSON(data, err))
	}
	return nil
}

// readBody reads a body of at most limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, unread(w, err)
	}
	return data, nil
}

// newer adds advice to an error about an unknown field if the caller is a ccdir of another
// version than this daemon: then the field is one of a newer version.
func newer(r *http.Request, err error) error {
	version, ours := callerVersion(r)
	if !ours || version == api.Version || !strings.Contains(err.Error(), unknownField) {
		return err
	}
	return api.Errorf(api.CodeBadVersion, "%s; this daemon is version %s, the caller %.40q: run `ccdir daemon restart` (sessions keep running)", err.Error(), api.Version, version)
}

// callerVersion returns the version of a caller that is a ccdir (ours).
func callerVersion(r *http.Request) (version string, ours bool) {
	version, ours = strings.CutPrefix(r.UserAgent(), "ccdir/")
	version, _, _ = strings.Cut(version, " ")
	return version, ours
}

// unknownField is part of the message about an unknown field.
const unknownField = "which is not known here"

func tooLarge(limit int64) error {
	return api.Errorf(api.CodeTooLarge, "the request is larger than %d bytes", limit)
}

// badJSON turns an error of encoding/json into one for people, with its position.
func badJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return api.Errorf(api.CodeInvalid, "the request is no JSON: %s: %v", position(data, syntax.Offset), err)
	case errors.As(err, &kind) && kind.Field != "":
		return api.Errorf(api.CodeInvalid, "the request is not the JSON expected: %s: the field %q is %s and not what is wanted there (%s)",
			position(data, kind.Offset), kind.Field, article(kind.Value), jsonName(kind.Type.Kind().String()))
	case errors.As(err, &kind):
		return api.Errorf(api.CodeInvalid, "the request is not the JSON expected: it is %s and not %s", article(kind.Value), jsonName(kind.Type.Kind().String()))
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok { // encoding/json has no type for it
		return api.Errorf(api.CodeInvalid, "the request has the field %.100s, "+unknownField+": see /v1/openapi.json (`ccdir api openapi`)", field)
	}
	return api.Errorf(api.CodeInvalid, "the request is not the JSON expected: %v", err)
}

// article puts "a" or "an" before a kind of JSON value.
func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") { // array, object
		return "an " + kind
	}
	return "a " + kind
}

// position describes where a decoder stopped; offset counts the bytes that it read.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset-1, 0), int64(len(data)))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fmt.Sprintf("line %d, byte %d", line, column)
}

// jsonName returns JSON's word for a kind of Go.
func jsonName(kind string) string {
	switch kind {
	case "struct", "map":
		return "object"
	case "slice", "array":
		return "array"
	case "bool":
		return "boolean"
	case "string":
		return "string"
	}
	return "number"
}

// defaultBodyWait is the default of Deps.BodyWait.
const defaultBodyWait = 30 * time.Second

// patient bounds the wait for the next part of a body, so that a silent caller does not
// hold a connection for ever.
func (s *server) patient(next http.Handler) http.Handler {
	wait := s.BodyWait
	if wait <= 0 {
		wait = defaultBodyWait
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.ContentLength != 0 {
			r = r.WithContext(r.Context()) // a copy: the server keeps using its own request's body
			r.Body = &patientBody{ReadCloser: r.Body, rc: http.NewResponseController(w), wait: wait}
		}
		next.ServeHTTP(w, r)
	})
}

// patientBody is a body whose reads have a deadline each.
type patientBody struct {
	io.ReadCloser
	rc   *http.ResponseController
	wait time.Duration
}

// Read implements io.Reader. A call of the control socket has no deadlines and needs none:
// its body is complete.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.rc.SetReadDeadline(time.Now().Add(b.wait))
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// The server goes on reading, to notice that the caller hangs up.
		_ = b.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// unread returns the error for a body that did not arrive completely.
func unread(w http.ResponseWriter, err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.Header().Set("Connection", "close")
		return api.Errorf(api.CodeTimeout, "the rest of the request did not come")
	}
	return api.Errorf(api.CodeInvalid, "the request did not arrive whole")
}
