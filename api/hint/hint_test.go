package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

type coded int

func (c coded) Error() string { return "database" }
func (c coded) Code() int     { return int(c) }

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string // "" is no advice
	}{
		{nil, ""},
		{errors.New("something else"), ""},
		{&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "make room"},
		{fmt.Errorf("saving: %w", coded(13)), "make room"},
		{fmt.Errorf("saving: %w", coded(5|2<<8)), "another program"},
		{fmt.Errorf("saving: %w", coded(11|1<<8)), "daemon restart"},
		{coded(26), "daemon restart"},
		{fmt.Errorf("saving: %w", coded(10|3<<8)), "system's log"},
		{coded(1), ""},
		{&fs.PathError{Op: "fork/exec", Path: "/x", Err: syscall.EMFILE}, "ulimit -n"},
		{syscall.EROFS, "cannot be written"},
	} {
		got := Of(tc.err)
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) || strings.Contains(got, "\n") {
			t.Errorf("%v: %q", tc.err, got)
		}
	}
}
