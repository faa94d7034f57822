package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
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
