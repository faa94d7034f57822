package proc

import "errors"

// CWD returns the working directory of a process. macOS does not tell it without cgo.
func CWD(int) (string, error) { return "", errors.ErrUnsupported }
