package api

import "testing"

func TestBuilt(t *testing.T) {
	for module, want := range map[string]string{
		"":                                   nextRelease,
		"(devel)":                            nextRelease,
		"v1.2.3":                             "1.2.3",
		"v1.2.3-rc.1":                        "1.2.3-rc.1",
		"v1.2.3+dirty":                       nextRelease,
		"v0.0.0-20261125101010-abcdef123456": nextRelease,
		"v1.2.4-0.20261125101010-abcdef123456+dirty": nextRelease,
	} {
		if got := built(module); got != want {
			t.Errorf("%s is %s, want %s", module, got, want)
		}
	}
}
