package config

import (
	"strings"
	"testing"
)

// TestWeb: an address that others reach needs TLS, and is told at the table; it is not replaced by
// another one.
func TestWeb(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		`listen = "127.0.0.1:7435"`:   "",
		`listen = "[::1]:0"`:          "",
		`listen = "192.168.1.5:7435"`: "no loopback address",
		`listen = "0.0.0.0:7435"`:     "tailscale cert",
		`listen = "localhost:7435"`:   "expected an IP address",
		`listen = "127.0.0.1"`:        "expected an IP address",
		`listen = 7435`:               "expected an address",
		`tls_cert = "/c.pem"`:         "go together",
		`tls_cert = "c.pem"`:          "absolute path",
		`port = 1`:                    "unknown key",
		"listen = \"100.64.0.1:443\"\ntls_cert = \"/c\"\ntls_key = \"/k\"": "",
	} {
		l := Parse([]byte("[web]\n"+text+"\n"), "c", "/")
		switch {
		case want == "" && len(l.Problems) > 0, want != "" && (len(l.Problems) != 1 || !strings.Contains(l.Problems[0].Message, want)):
			t.Errorf("%s: %v, want %q", text, l.Problems, want)
		}
	}
	if l := Parse([]byte("[web]\nlisten = \"192.168.1.5:7435\"\n"), "c", "/"); l.Web.Listen == "" || l.Web.Check() == nil {
		t.Errorf("%+v", l.Web)
	}
}
