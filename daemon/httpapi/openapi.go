package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/daemon/httpapi/openapi"
)

// commentsJSON has the comments of the types' source code. A test makes it (go test -run
// TestComments -update).
//
//go:embed comments.json
var commentsJSON []byte

// OpenAPI is the description of the API (OpenAPI 3.1), made from the table of
// routes and the types that they take and give.
func OpenAPI() map[string]any { return describe(table(), false) }

// StrictOpenAPI is OpenAPI with schemas that allow no further properties, for tests of
// answers.
func StrictOpenAPI() map[string]any { return describe(table(), true) }

// openapi sends the description.
func (s *server) openapi(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, OpenAPI(), nil)
}

// describe makes the description of routes.
func describe(routes []route, strict bool) map[string]any {
	b := &openapi.Builder{Strict: strict, Required: map[string][]string{}, Empty: []string{"Event.StateFrom", "Event.StateTo"}}
	if err := json.Unmarshal(commentsJSON, &b.Comments); err != nil {
		panic("httpapi: comments.json: " + err.Error()) // it is part of the program
	}
	b.Written(reflect.TypeFor[api.Error]())
	for _, r := range routes { // answers come before bodies: see openapi.Builder.Written
		if r.out != nil {
			answerSchema(b, r.out)
		}
		if len(r.required) > 0 {
			b.Required[reflect.TypeOf(r.in).Name()] = r.required
		}
	}
	paths := map[string]any{}
	for _, r := range routes {
		p, ok := paths[r.path].(map[string]any)
		if !ok {
			p = map[string]any{}
			paths[r.path] = p
		}
		p[strings.ToLower(r.method)] = operation(b, r)
	}
	return map[string]any{
		"openapi": "3.1.1",
		"info": map[string]any{"title": "ccdir", "version": api.Version,
			"description": "The daemon's API: sessions of coding agents, their terminals, events, requests and tasks. Served on the daemon's unix socket, and over TCP where configured."},
		"servers":  []any{map[string]any{"url": "http://ccdir", "description": "the daemon's socket; `ccdir daemon status --json` has its path"}},
		"security": []any{map[string]any{}, map[string]any{"token": []any{}}},
		"tags":     tags(routes),
		"paths":    paths,
		"components": map[string]any{
			"schemas":         b.Components(),
			"responses":       map[string]any{"Error": errorResponse()},
			"parameters":      map[string]any{"Key": keyParameter(), "Match": matchParameter()},
			"securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer", "description": "over TCP: the content of the token file (`ccdir api --token-file`)"}},
		},
	}
}

// tagOf is a route's group.
func tagOf(r route) string {
	tag, _, ok := strings.Cut(r.name, ".")
	if !ok {
		return "system"
	}
	return tag
}

func tags(routes []route) []any {
	seen, list := map[string]bool{}, []any{}
	for _, r := range routes {
		if tag := tagOf(r); !seen[tag] {
			seen[tag] = true
			list = append(list, map[string]any{"name": tag})
		}
	}
	return list
}

func operation(b *openapi.Builder, r route) map[string]any {
	op := map[string]any{"operationId": r.name, "summary": r.doc, "tags": []string{tagOf(r)}}
	var notes []string
	if r.more != "" {
		notes = append(notes, r.more)
	}
	if r.local {
		notes = append(notes, "On the daemon's socket only.")
		op["security"] = []any{map[string]any{}}
	}
	if len(notes) > 0 {
		op["description"] = strings.Join(notes, " ")
	}
	if list := parameters(r); len(list) > 0 {
		op["parameters"] = list
	}
	switch {
	case r.kind == socket:
		op["x-ccdir-receives"], op["x-ccdir-sends"] = b.Read(reflect.TypeOf(r.in)), answerSchema(b, r.out)
	case r.kind == raw:
		op["requestBody"] = map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": map[string]any{}}}}
	case r.in != nil:
		op["requestBody"] = map[string]any{"required": len(r.required) > 0 || reflect.TypeOf(r.in).Kind() == reflect.Slice,
			"content": map[string]any{"application/json": map[string]any{"schema": b.Read(reflect.TypeOf(r.in))}}}
	}
	op["responses"] = responses(b, r)
	return op
}

func parameters(r route) (list []any) {
	if strings.Contains(r.path, "{ref}") {
		what := "the session: its id, a unique prefix of it, or its name"
		switch tagOf(r) {
		case "tasks":
			what = "the task: its id, or its name: of the one that has it, or had it last"
		case "approvals":
			what = "the request: its id, or a unique prefix of it"
		case "history":
			what = "the id of a session or task"
		}
		list = append(list, map[string]any{"name": "ref", "in": "path", "required": true, "description": what, "schema": map[string]any{"type": "string"}})
	}
	if strings.Contains(r.path, "{comment}") {
		list = append(list, map[string]any{"name": "comment", "in": "path", "required": true, "description": "the comment: its id", "schema": map[string]any{"type": "string"}})
	}
	for _, p := range r.query {
		s := map[string]any{"type": "string"}
		if p.kind != "" {
			s["type"] = p.kind
		}
		if p.enum != nil {
			s["enum"] = p.enum
		}
		list = append(list, map[string]any{"name": p.name, "in": "query", "description": p.doc, "schema": s})
	}
	if r.takesKey() {
		list = append(list, map[string]any{"$ref": "#/components/parameters/Key"})
	}
	if r.match {
		list = append(list, map[string]any{"$ref": "#/components/parameters/Match"})
	}
	if r.kind == stream {
		list = append(list, map[string]any{"name": "Last-Event-ID", "in": "header", "description": "the number of the last event that arrived", "schema": map[string]any{"type": "integer"}})
	}
	return list
}

// keyParameter is the header with the idempotency key.
func keyParameter() map[string]any {
	return map[string]any{"name": api.HeaderKey, "in": "header",
		"description": fmt.Sprintf("makes the call idempotent: of calls with the same key one is carried out, also over a restart of the daemon, and retries wait for its answer and get that (with the header %s). With another request the key is refused (422). Recorded for %s, the newest %d of each caller; each session and the person have keys of their own. Answers 429, 500 and 503 are not recorded: a retry is carried out then. On the control socket it is the field key of the call.",
			api.HeaderReplayed, api.KeysKept, api.MaxKeys),
		"schema": map[string]any{"type": "string", "minLength": 1, "maxLength": api.MaxKey}}
}

// matchParameter is the header with the precondition of a call.
func matchParameter() map[string]any {
	return map[string]any{"name": api.HeaderMatch, "in": "header",
		"description": fmt.Sprintf("the version of the session or task that the call is meant for, as %s in an answer has it: if that has changed (the session was started again, the task has another state), the call is refused (412) and does nothing. On the control socket it is the field match of the call, without quotes.", api.HeaderVersion),
		"schema":      map[string]any{"type": "string", "minLength": 1, "maxLength": maxMatch}}
}

// answerSchema is the schema of an answer.
func answerSchema(b *openapi.Builder, out any) map[string]any {
	forms, several := out.(anyOf)
	if !several {
		return b.Written(reflect.TypeOf(out))
	}
	var list []any
	for _, f := range forms {
		list = append(list, b.Written(reflect.TypeOf(f)))
	}
	return map[string]any{"anyOf": list}
}

func responses(b *openapi.Builder, r route) map[string]any {
	good := map[string]any{"description": "done"}
	switch {
	case r.kind == socket:
		good["description"] = "a WebSocket"
	case r.kind == stream:
		good["description"] = "server-sent events, each a JSON document; a comment every 20 s"
		good["content"] = map[string]any{"text/event-stream": map[string]any{"schema": map[string]any{
			"type": "string", "contentMediaType": "application/json", "contentSchema": answerSchema(b, r.out)}}}
	case r.out != nil:
		good["description"] = "the answer"
		good["content"] = map[string]any{"application/json": map[string]any{"schema": answerSchema(b, r.out)}}
	}
	for _, p := range r.query {
		if p.name == limitParam.name {
			good["headers"] = map[string]any{"Link": map[string]any{"description": "where the list goes on (rel=next), if it does", "schema": map[string]any{"type": "string"}}}
		}
	}
	if r.name == "sessions.get" || r.name == "tasks.get" {
		good["headers"] = map[string]any{api.HeaderVersion: map[string]any{"description": "the version, for " + api.HeaderMatch + " of a call that changes it", "schema": map[string]any{"type": "string"}}}
	}
	all := map[string]any{strconv.Itoa(r.success()): good, "default": map[string]any{"$ref": "#/components/responses/Error"}}
	if r.name == "sessions.create" {
		all["200"] = good // a retry: the session exists
	}
	return all
}

// errorResponse is every failure.
func errorResponse() map[string]any {
	var codes []string
	for _, c := range api.Codes() {
		codes = append(codes, strconv.Itoa(c.Status())+" "+string(c))
	}
	return map[string]any{"description": "what went wrong and what to do: " + strings.Join(codes, ", "),
		"content": map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}}}
}
