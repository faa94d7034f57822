package hooks

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// signs are the statuses that a handler wrote.
type signs struct {
	http.ResponseWriter
	list []int
}

func (s *signs) WriteHeader(status int) { s.list = append(s.list, status) }

// TestSign: a call that takes long is said to be worked on, once, and never after its answer.
func TestSign(t *testing.T) {
	for took, want := range map[time.Duration]int{signAfter / 2: 0, signAfter * 3: 1} {
		synctest.Test(t, func(t *testing.T) {
			w := &signs{ResponseWriter: httptest.NewRecorder()}
			silence := sign(w)
			time.Sleep(took)
			silence()
			time.Sleep(signAfter * 2)
			if len(w.list) != want || want == 1 && w.list[0] != http.StatusProcessing {
				t.Errorf("after %s: %v", took, w.list)
			}
		})
	}
}
