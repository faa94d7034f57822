package ui

import "errors"

// As is a client that can do more than every client can. Fakes of tests and daemons of
// other versions may not.
func As[T any](c Client) (T, error) {
	t, ok := c.(T)
	if !ok {
		return t, errors.New("this daemon does not know that: `ccdir daemon restart`")
	}
	return t, nil
}
