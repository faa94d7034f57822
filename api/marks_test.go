package api

import (
	"strings"
	"testing"
)

// TestSetMarks: what is not given stays, an empty text takes it away, and what lists cannot show is
// refused.
func TestSetMarks(t *testing.T) {
	str := func(s string) *string { return &s }
	yes := true
	old := Marks{Group: "shop", Note: "wait for Ann", Color: "red"}
	for _, tt := range []struct {
		set  SetMarks
		want Marks
	}{
		{SetMarks{}, old},
		{SetMarks{Pinned: &yes, Note: str("")}, Marks{Group: "shop", Pinned: true, Color: "red"}},
		{SetMarks{Group: str(" docs "), Color: str("cyan")}, Marks{Group: "docs", Note: "wait for Ann", Color: "cyan"}},
	} {
		if got, err := tt.set.Over(old); got != tt.want || err != nil {
			t.Errorf("%+v: %+v, %v", tt.set, got, err)
		}
	}
	for _, bad := range []SetMarks{{Group: str("a/b")}, {Group: str(strings.Repeat("x", 41))}, {Note: str("two\nlines")}, {Note: str("\x1b[31m")}, {Color: str("mauve")}} {
		if got, err := bad.Over(old); CodeOf(err) != CodeInvalid || got != old {
			t.Errorf("taken: %+v, %v", got, err)
		}
	}
}
