package api

import "testing"

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		context, window int64
		left            int
		known           bool
	}{{0, 200_000, 0, false}, {10, 0, 0, false}, {62_000, 200_000, 69, true}, {250_000, 200_000, 0, true}} {
		left, known := Turn{Context: tt.context, ContextWindow: tt.window}.ContextLeft()
		if left != tt.left || known != tt.known {
			t.Errorf("%+v: %d %v", tt, left, known)
		}
	}
	left := 69
	for want, s := range map[string]Session{"": {CostUSD: 0.001}, "69% ctx left": {ContextLeft: &left}, "69% ctx left · $0.12": {ContextLeft: &left, CostUSD: 0.123}} {
		if got := s.UsageLine(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
