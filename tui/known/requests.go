package known

import (
	"cmp"
	"slices"
	"strings"

	"ccdir/api"
)

// TakeRequests lays news of permission requests into the copy. The list is
// replaced, never changed in place, because scenes share it.
func (k *Known) TakeRequests(snapshot *api.Snapshot, changed map[string]Request) {
	if snapshot == nil && len(changed) == 0 {
		return
	}
	next := slices.Clone(k.Requests)
	if snapshot != nil {
		next = slices.Clone(snapshot.Requests)
	}
	for id, n := range changed {
		next = slices.DeleteFunc(next, func(r api.Request) bool { return r.ID == id })
		if n.Open != nil {
			next = append(next, *n.Open)
		}
	}
	slices.SortFunc(next, func(a, b api.Request) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
	k.Requests = next
	k.takeEnded(changed)
}

// mostEnded bounds how many ends of requests are kept: a component that shows a request
// looks after each change.
const mostEnded = 64

// takeEnded notes how requests ended. One that is open again has not.
func (k *Known) takeEnded(changed map[string]Request) {
	next := slices.Clone(k.Ended)
	for id, n := range changed {
		next = slices.DeleteFunc(next, func(d api.Decision) bool { return d.Request.ID == id })
		if n.Ended != nil {
			d := *n.Ended
			d.Request.ID = id
			next = append(next, d)
		}
	}
	k.Ended = slices.Delete(next, 0, max(0, len(next)-mostEnded))
}
