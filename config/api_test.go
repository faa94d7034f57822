package config

import (
	"slices"
	"testing"
)

func TestAPI(t *testing.T) {
	l := Parse([]byte("[api]\nlisten = \"127.0.0.1:7434\"\norigins = [\"http://localhost:5173\"]\nrate = 5\n"), "c", "/")
	if len(l.Problems) > 0 || l.API.Listen != "127.0.0.1:7434" || !slices.Equal(l.API.Origins, []string{"http://localhost:5173"}) || l.API.Rate != 5 {
		t.Errorf("got %+v, %v", l.API, l.Problems)
	}
	for _, bad := range []string{`listen = "0.0.0.0:1"`, `listen = ":7434"`, `listen = "192.168.0.1:80"`, `listen = "localhost:80"`, `listen = "127.0.0.1"`,
		`origins = ["*"]`, `origins = ["http://a/b"]`, `origins = ["example.org"]`, "rate = 0", "other = 1"} {
		l := Parse([]byte("[api]\n"+bad+"\n"), "c", "/")
		if len(l.Problems) != 1 || l.Problems[0].Line != 2 || l.API.Listen != "" {
			t.Errorf("%s: %+v %v", bad, l.API, l.Problems)
		}
	}
}
