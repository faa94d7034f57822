package httpapi

import (
	"slices"
	"testing"
)

// TestRights: every right is of a route that is there, what is not listed is for
// the person, and so is everything that types or changes.
func TestRights(t *testing.T) {
	var routes []string
	for _, r := range table() {
		routes = append(routes, r.method+" "+r.path)
		if r.kind == socket && rights[r.method+" "+r.path] == forAll {
			t.Errorf("%s %s can carry anything and is open to sessions", r.method, r.path)
		}
	}
	for route := range rights {
		if !slices.Contains(routes, route) {
			t.Errorf("no route is %q", route)
		}
	}
	checked := []string{"POST /v1/hook", "POST /v1/sessions/{ref}/input", "POST /v1/sessions/{ref}/kill", "POST /v1/sessions/{ref}/reply",
		"POST /v1/approvals/{ref}/approve", "POST /v1/approvals/{ref}/deny"}
	for _, r := range table() {
		name := r.method + " " + r.path
		if r.method != "GET" && rights[name] == forAll && !slices.Contains(checked, name) {
			t.Errorf("%s changes something, is open to sessions, and has no check of its own here", name)
		}
	}
	if rights["POST /v1/shutdown"] != forPerson || rights["GET /v1/sessions/{ref}/host"] != forPerson {
		t.Error("the person's routes are open")
	}
}
