package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"ccdir/api"
	"ccdir/cli/verb"
)

// TestReport: each kind of error has its exit code and is one harmless line.
func TestReport(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		code int
		want string
	}{
		{t.Context(), errors.New("a\nb\x1b[31m"), 1, "ccdir: a; b␛[31m\n"},
		{t.Context(), api.Errorf(api.CodeNotFound, "no session"), 1, "ccdir: no session\n"},
		{t.Context(), verb.Usage(errors.New("wrong")), 2, "ccdir: wrong\n"},
		{t.Context(), verb.Asks(errors.New("api asks")), 3, "ccdir: api asks\n"},
		{t.Context(), verb.QuietError{}, 1, ""},
		{canceled, context.Canceled, 1, "ccdir: interrupted\n"},
	} {
		var b bytes.Buffer
		if code := report(tc.ctx, &b, tc.err); code != tc.code || b.String() != tc.want {
			t.Errorf("%v: code %d, %q; want %d, %q", tc.err, code, b.String(), tc.code, tc.want)
		}
	}
}
