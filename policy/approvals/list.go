package approvals

import (
	"slices"
	"strings"

	"ccdir/api"
)

// find returns an open, visible request.
func (b *Broker) find(ref string) (*held, api.Request, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, api.Request{}, errClosed
	}
	var found *held
	for id, h := range b.open {
		switch {
		case !h.visible || ref == "" || !strings.HasPrefix(id, ref):
		case id == ref:
			return h, h.req, nil
		case found != nil:
			return nil, api.Request{}, api.Errorf(api.CodeAmbiguous, "%.40q fits several requests: give more of the id", ref)
		default:
			found = h
		}
	}
	if found == nil {
		return nil, api.Request{}, api.Errorf(api.CodeNotFound, "no open request %.40q: `ccdir approvals` lists them", ref)
	}
	return found, found.req, nil
}

// Find returns an open request that people can answer. ref is its id or a unique prefix of
// it.
func (b *Broker) Find(ref string) (api.Request, error) {
	_, r, err := b.find(ref)
	return r, err
}

// List returns the requests that people can answer, oldest first.
func (b *Broker) List() []api.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]api.Request, 0, len(b.open))
	for _, h := range b.open {
		if h.visible {
			list = append(list, h.req)
		}
	}
	slices.SortFunc(list, func(x, y api.Request) int {
		if c := x.Since.Compare(y.Since); c != 0 {
			return c
		}
		return strings.Compare(x.ID, y.ID)
	})
	return list
}
