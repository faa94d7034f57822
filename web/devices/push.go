package devices

import (
	"slices"

	"ccdir/api"
	"ccdir/web/push"
)

// PushKey implements push.Store.
func (s *Store) PushKey() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file.Push != "" {
		return s.file.Push, nil
	}
	key, err := push.NewKey()
	if err == nil {
		err = s.changeLocked(func(c *content) { c.Push = key })
	}
	return key, err
}

// Subscribe implements push.Store.
func (s *Store) Subscribe(id string, to *push.Subscription) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.file.Devices, func(d device) bool { return d.ID == id })
	if at < 0 {
		return api.Errorf(api.CodeNotFound, "no device %.60q is paired", id)
	}
	return s.changeLocked(func(c *content) { c.Devices[at].Push = to })
}

// Subscriptions implements push.Store.
func (s *Store) Subscriptions() (list []push.Subscribed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.file.Devices {
		if d.Push != nil {
			list = append(list, push.Subscribed{Device: d.ID, Name: d.Name, Subscription: *d.Push})
		}
	}
	return list
}
