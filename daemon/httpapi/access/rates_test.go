package access

import (
	"net/http"
	"testing"
	"time"
)

// TestRates: calls without a token are limited, never those with one; each error says when to
// come again.
func TestRates(t *testing.T) {
	var l Rates
	now := time.Unix(1_000_000, 0)
	h := http.Header{}
	refused := 0
	for range 200 {
		if l.Admit(h, false, 10, now) != nil {
			refused++
		}
	}
	if refused != 200-unauthenticatedPerMinute || h.Get("Retry-After") != "60" {
		t.Errorf("%d calls without a token were refused, %v", refused, h)
	}
	refused = 0
	for range 100 {
		if err := l.Admit(h, true, 10, now); err != nil {
			refused++
		}
	}
	if refused != 100-10*burst || h.Get("Retry-After") != "1" {
		t.Errorf("%d calls were refused, %v", refused, h)
	}
	if err := l.Admit(h, true, 10, now.Add(time.Second)); err != nil {
		t.Error(err)
	}
	if err := l.Admit(h, false, 10, now.Add(time.Second)); err != nil {
		t.Errorf("without a token a second later: %v", err)
	}
}
