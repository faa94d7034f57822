package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"testing"

	"ccdir/api"
)

// FuzzControlCall: a call of the control socket becomes a call of the route that it
// names and of no other, or an error with a code.
func FuzzControlCall(f *testing.F) {
	for _, seed := range []string{`{"id":1,"method":"sessions.get","params":{"ref":"a"}}`, `{"id":"x","method":"sessions.input","params":{"ref":"../../x","text":"t"}}`,
		`{"id":2,"method":"events.list","params":{"since":0,"limit":"3","type":null}}`, `{"id":3,"method":"tasks.create","params":{"body":[{}]}}`,
		`{"id":4,"method":"health","params":[]}`, `{"id":{},"method":"cancel"}`, `{"id":5,"method":"sessions.get","params":{"ref":"a?b=c#d"}}`,
		`{"id":6,"method":"sessions.get","params":{"ref":"."}}`, `{"id":7,"method":"sessions.get","params":{"ref":".."}}`, `{`} {
		f.Add([]byte(seed))
	}
	all := table()
	s := &server{}
	mux := s.mux()
	f.Fuzz(func(t *testing.T, data []byte) {
		var call api.ControlCall
		if json.Unmarshal(data, &call) != nil || !validID(call.ID) {
			return
		}
		c := &controller{s: s, r: httptest.NewRequest("GET", "/v1/control", nil)}
		req, cancel, err := c.request(context.Background(), call)
		if err != nil {
			if api.CodeOf(err) == "" || err.Error() == "" {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		defer cancel()
		i := slices.IndexFunc(all, func(r route) bool { return r.name == call.Method })
		if i < 0 {
			t.Fatalf("%s is no method", call.Method)
		}
		_, pattern := mux.Handler(req)
		if want := all[i].method + " " + all[i].path; pattern != want {
			t.Errorf("%s went to %q instead of %q", data, pattern, want)
		}
	})
}

// FuzzCanonical: a body that is written otherwise is the same, and another one is
// not.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[1.0,2e3,"x"]}`, `{"b": 1, "a": 2}`, `[]`, `{`, `1 2`, `{"a":1,"a":2}`, `"\u00e9"`, ``, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once := canonical(data)
		if again := canonical(once); !bytes.Equal(again, once) {
			t.Fatalf("%q becomes %q, and that %q", data, once, again)
		}
		if !json.Valid(data) {
			return
		}
		var spaced bytes.Buffer
		if json.Indent(&spaced, data, " ", "\t") == nil && !bytes.Equal(canonical(spaced.Bytes()), once) {
			t.Fatalf("%q is %q, and with blanks %q", data, once, canonical(spaced.Bytes()))
		}
	})
}

// FuzzMatch: a precondition is one string within its bound, in quotes or bare, or it is
// refused; and a target has not moved from itself.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{`"s1/2/3"`, `s1/2/3`, `""`, `*`, `W/"x"`, `"a", "b"`, `t1 queued 5`, ``, `/`, `"é"`} {
		f.Add(seed)
	}
	takes := route{method: "POST", path: "/v1/x", match: true}
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("POST", "/v1/x", nil)
		r.Header[api.HeaderMatch] = []string{header}
		match, err := matchOf(takes, r)
		if err != nil {
			if api.CodeOf(err) != api.CodeInvalid {
				t.Errorf("%q: %v", header, err)
			}
			return
		}
		if match == "" || len(match) > maxMatch || moved(match, match) {
			t.Errorf("%q is %q", header, match)
		}
		r.Header.Set(api.HeaderMatch, `"`+match+`"`)
		if again, err := matchOf(takes, r); err != nil || again != match {
			t.Errorf("%q is %q, and that %q %v", header, match, again, err)
		}
		if _, err := matchOf(route{method: "POST", path: "/v1/x"}, r); api.CodeOf(err) != api.CodeInvalid {
			t.Errorf("a route without targets took %q", match)
		}
	})
}
