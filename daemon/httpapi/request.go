package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// maxPage bounds the elements of one answer.
const maxPage = 10_000

// limitOf reads the query's limit, at most maxPage; 0 if there is none.
func limitOf(r *http.Request) (int, error) {
	n, err := numberOf(r, "limit", 1, math.MaxInt64)
	return int(min(n, maxPage)), err
}

// numberOf reads a number of the query; 0 if there is none.
func numberOf(r *http.Request, name string, low, high int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		if high == math.MaxInt64 {
			return 0, api.Errorf(api.CodeInvalid, "%s must be a number, %d or more, found %.40q", name, low, text)
		}
		return 0, api.Errorf(api.CodeInvalid, "%s must be a number from %d to %d, found %.40q", name, low, high, text)
	}
	return n, nil
}

// durationOf reads a duration of the query; unset if there is none.
func durationOf(r *http.Request, name string, unset time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return unset, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxWait {
		return 0, api.Errorf(api.CodeInvalid, "the %s must be from 0s to %s, found %.40q", name, maxWait, text)
	}
	return d, nil
}

// timeOf reads a time of the query; the zero one if there is none.
func timeOf(r *http.Request, name string) (time.Time, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, api.Errorf(api.CodeInvalid, "%s must be a time as 2006-01-02T15:04:05Z, found %.40q", name, text)
	}
	return at, nil
}

// sessionOf returns the id of the session in the query; "" if there is none.
func (s *server) sessionOf(r *http.Request) (string, error) {
	ref := r.URL.Query().Get("session")
	if ref == "" {
		return "", nil
	}
	id, err := s.Sessions.Resolve(ref)
	switch {
	case err == nil:
		return id, nil
	case api.CodeOf(err) == api.CodeAmbiguous:
		return "", err
	}
	return ref, nil // a removed session is known by its id only
}

// wordsOf reads known words separated by commas; nil if there are none.
func wordsOf[T ~string](r *http.Request, name string, known []T) (words []T, err error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		w := T(strings.TrimSpace(word))
		if !slices.Contains(known, w) {
			names := make([]string, len(known))
			for i, k := range known {
				names[i] = string(k)
			}
			return nil, api.Errorf(api.CodeInvalid, "no %s is called %.40q: there are %s", name, word, strings.Join(names, ", "))
		}
		words = append(words, w)
	}
	return words, nil
}

// page cuts a list to the query's limit and sets the Link header to the next page.
func page[T any](w http.ResponseWriter, r *http.Request, list []T, id func(T) string) ([]T, error) {
	limit, err := limitOf(r)
	if err != nil {
		return nil, err
	}
	if after := r.URL.Query().Get("after"); after != "" {
		i := slices.IndexFunc(list, func(e T) bool { return id(e) == after })
		if i < 0 {
			return nil, api.Errorf(api.CodeInvalid, "the list has no %.60q to go on after: begin again without after", after)
		}
		list = list[i+1:]
	}
	if limit > 0 && len(list) > limit {
		list = list[:limit]
		next(w, r, "after", id(list[limit-1]))
	}
	if list == nil {
		list = []T{}
	}
	return list, nil
}

// next sets the Link header to the next page (RFC 8288), relative to the call's address.
func next(w http.ResponseWriter, r *http.Request, name, value string) {
	q := r.URL.Query()
	q.Set(name, value)
	target := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next"`, target.RequestURI()))
}

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
