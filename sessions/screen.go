package sessions

import (
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// finalScreen reads the last screen of an ended session.
func (s *session) finalScreen(p hostwire.OutputParams) (out hostwire.OutputResult, err error) {
	return out, api.Errorf(api.CodeUnavailable, "the last screen of an ended session cannot be read yet: use --raw")
}
