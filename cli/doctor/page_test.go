package doctor

import (
	"testing"

	"ccdir/api"
)

// TestPage: the page has a line while it is on, a notification that did not arrive a warning.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		name  string
		state api.Web
		want  map[string]string
	}{
		{"off", api.Web{}, nil},
		{"on", api.Web{On: true, URL: "u"}, map[string]string{"page": checkOK}},
		{"not served", api.Web{On: true, Problem: "the port is taken"}, map[string]string{"page": checkWarn}},
		{"sent", api.Web{On: true, Push: &api.WebPush{Said: "sent"}}, map[string]string{"page": checkOK, "push": checkOK}},
		{"refused", api.Web{On: true, Push: &api.WebPush{Failed: true, Said: "403"}}, map[string]string{"page": checkOK, "push": checkWarn}},
	} {
		got := pageChecks(c.state)
		for _, one := range got {
			if c.want[one.Name] != one.Status {
				t.Errorf("%s: %+v", c.name, one)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
