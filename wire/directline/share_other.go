//go:build !linux

package directline

import "errors"

func newMemory() (int, error) { return -1, errors.ErrUnsupported }

func share(int) ([]byte, *words, error) { return nil, nil, errors.ErrUnsupported }

func unshare([]byte) {}

func drop(int) {}

func put(int, []byte) int { return 0 }

// receiveFlags: no client fetches a line here.
const receiveFlags = 0
