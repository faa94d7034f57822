package theme

import (
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/config"
)

// TestNamed: the configuration knows the named palettes, and each can be read on its background.
func TestNamed(t *testing.T) {
	if n := len(palettes) + 4; len(config.ThemeBases()) != n {
		t.Errorf("config knows %v", config.ThemeBases())
	}
	for _, n := range palettes {
		if l := config.Parse([]byte("theme = \""+n.name+"\"\n"), "f", "/home/me"); len(l.Problems) > 0 || l.Config.LightTheme() != n.light {
			t.Errorf("%s: %v, light %v", n.name, l.Problems, l.Config.LightTheme())
		}
		if got := Palette(n.name, !n.light, colorprofile.TrueColor); got != n.name || Follows(n.name) {
			t.Errorf("%s is %s", n.name, got)
		}
		for i, c := range n.colours {
			if r := contrast(c, n.back); r < 4.5 {
				t.Errorf("%s: colour %d, %06x, has a contrast of %.2f", n.name, i, c, r)
			}
		}
	}
}

func TestPair(t *testing.T) {
	for _, tc := range []struct {
		name    string
		light   bool
		profile colorprofile.Profile
		want    string
	}{
		{"nord,gruvbox-light", false, colorprofile.TrueColor, "nord"},
		{"nord, gruvbox-light", true, colorprofile.TrueColor, "gruvbox-light"},
		{"contrast,light", true, colorprofile.ANSI256, "light"},
		{"gruvbox-light", false, colorprofile.ANSI, "light16"},
		{"nord", true, colorprofile.ANSI, "dark16"},
		{"", true, colorprofile.TrueColor, "light"},
	} {
		if got := Palette(tc.name, tc.light, tc.profile); got != tc.want {
			t.Errorf("%q, light %v, %v: %s, want %s", tc.name, tc.light, tc.profile, got, tc.want)
		}
	}
	if !Follows("nord,gruvbox-light") {
		t.Error("a pair does not follow the background")
	}
}

// contrast is that of WCAG 2.
func contrast(a, b uint32) float64 {
	light := func(c uint32) (sum float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c>>(16-8*i)&255) / 255
			if v <= 0.03928 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
