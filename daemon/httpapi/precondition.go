package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
)

// Preconditions. The target of a call is written as "ID/REST": a session or task with its
// version (api.Session.Version, api.Task.Version), or a request. The caller may name it
// (api.HeaderMatch); of a call with a key whose caller does not, it is looked up when the
// call begins, and recorded.
//
// A first attempt fails (api.CodePrecondition) if the version is not the one that the
// caller named. A retry whose first attempt has an unknown outcome goes to the recorded
// target, whatever has its name by now, and asks the route (route.effect): if the version
// has changed, the first attempt took effect, and the retry does nothing.

// maxMatch bounds the precondition of a call, in bytes.
const maxMatch = 256

// matchOf reads the precondition of a call, "" if it has none.
func matchOf(route route, r *http.Request) (string, error) {
	match, err := stringOf(r, api.HeaderMatch, maxMatch)
	if err != nil {
		return "", api.Errorf(api.CodeInvalid, "%s must be one version, as %s in an answer has it", api.HeaderMatch, api.HeaderVersion)
	}
	if match != "" && !route.match {
		return "", api.Errorf(api.CodeInvalid, "%s %s takes no %s", route.method, route.path, api.HeaderMatch)
	}
	return match, nil
}

// targetParts takes a target apart. Records of older daemons have blanks in it.
func targetParts(target string) (id, rest string) {
	id, rest, _ = strings.Cut(strings.ReplaceAll(target, " ", "/"), "/")
	return id, rest
}

// moved reports whether a target has another version than before. A version that is not
// known (a session whose host left nothing) counts as the same.
func moved(before, now string) bool {
	id, was := targetParts(before)
	other, is := targetParts(now)
	return id != other || was != "" && is != "" && was != is
}

// perform has the route's handler answer, unless the call's precondition fails or its
// first attempt took effect.
func (s *server) perform(route route, match string, w http.ResponseWriter, r *http.Request) error {
	a := attemptOf(r.Context())
	if route.alone && match != "" {
		leave, err := s.turns.Enter(r.Context(), match)
		if err != nil {
			return err
		}
		defer leave()
	}
	if a.retry && a.target != "" {
		if strings.HasPrefix(route.path, "/v1/sessions/{ref}") || strings.HasPrefix(route.path, "/v1/tasks/{ref}") {
			id, _ := targetParts(a.target)
			r.SetPathValue("ref", id)
		}
		if route.effect != nil {
			if v, done, err := route.effect(s, r, a.target); done || err != nil {
				return ok(w, v, err)
			}
		}
	}
	if match != "" && !a.retry {
		if now := route.target(s, r, nil); now != "" && moved(match, now) {
			id, _ := targetParts(match)
			return api.Errorf(api.CodePrecondition, "%s has changed since: nothing was done, look at it and try again", id)
		}
	}
	return route.handle(s, w, r)
}

// sessionTarget is the session of the path, and the process that was started last in it.
func (s *server) sessionTarget(r *http.Request, _ []byte) string {
	version, err := s.Sessions.Version(r.Context(), ref(r))
	if err != nil {
		return ""
	}
	return version
}

// killed reports whether the process that a call was to end has ended, or another one was
// started since.
func (s *server) killed(r *http.Request, target string) (any, bool, error) {
	v, err := s.Sessions.Get(r.Context(), ref(r))
	return v, err == nil && (v.State.Ended() || moved(target, v.Version())), nil
}

// stopped reports whether the process that a call was to park runs no more, or another one was
// started since.
func (s *server) stopped(r *http.Request, target string) (any, bool, error) {
	v, err := s.Sessions.Get(r.Context(), ref(r))
	return v, err == nil && (v.State.Stopped() || moved(target, v.Version())), nil
}

// restarted reports whether another process was started since.
func (s *server) restarted(r *http.Request, target string) (any, bool, error) {
	v, err := s.Sessions.Get(r.Context(), ref(r))
	return v, err == nil && moved(target, v.Version()), nil
}

// typedBefore refuses to type for a process what was meant for the one before it.
func (s *server) typedBefore(r *http.Request, target string) (any, bool, error) {
	v, err := s.Sessions.Get(r.Context(), ref(r))
	if err == nil && moved(target, v.Version()) {
		return nil, false, api.Errorf(api.CodePrecondition, "session %s was started again since: whether the process before got the input is not known", v.Name)
	}
	return nil, false, nil
}

// taskTarget is the task of the path, and where it stands.
func (s *server) taskTarget(r *http.Request, _ []byte) string {
	t, err := s.Tasks.Task(r.Context(), ref(r))
	if err != nil {
		return ""
	}
	return t.Version()
}

// taskStarted reports whether the task that a call was to start has moved on since.
func (s *server) taskStarted(r *http.Request, target string) (any, bool, error) {
	t, err := one(s.Tasks.Task(r.Context(), ref(r)))
	return t, err == nil && moved(target, t.Version()), nil
}

// cleared completes a call that cancels what is queued, of which an attempt began then:
// tasks that were queued later stay. It returns what is cancelled since.
func (s *server) cleared(ctx context.Context, then time.Time) ([]api.Task, error) {
	list, err := s.Tasks.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	out := []api.Task{}
	for _, t := range list {
		if t.State == api.TaskQueued && !t.Since.After(then) {
			if t, err = s.Tasks.Cancel(ctx, t.ID); err != nil && api.CodeOf(err) != api.CodeNotFound {
				return nil, err
			}
		}
		if t.State == api.TaskCancelled && !t.Since.Before(then) {
			out = append(out, t)
		}
	}
	return out, nil
}

// restoreTarget names what can be restored, in the words of Past.
func (s *server) restoreTarget(r *http.Request, body []byte) string {
	var q api.Restore
	if json.Unmarshal(body, &q) != nil {
		return ""
	}
	return string(s.Past.Note(r.Context(), q))
}
