package cells

import "testing"

func TestSafeLink(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://example.org/a?b=c#d": true, "HTTP://example.org": true, "file:///tmp/a%20b": true, "mailto:a@example.org": true,
		"vscode://file/a.go:3": true, "ssh://example.org": true, "x-a+b.c:": true,
		"": false, "example.org": false, "//example.org": false, ":x": false, "1a:b": false, "a b:c": false, "@:x": false, "[:x": false,
		"https://example.org/\x1b\\": false, "https://example.org/\u009c": false, "https://ex ample": false, "https://exämple.org": false,
		"javascript:alert(1)": false, "JavaScript:alert(1)": false, "vbscript:x": false, "data:text/html,x": false,
		"ssh://-oProxyCommand=x": false, "telnet://-x": false,
	} {
		if got := SafeLink(uri); got != want {
			t.Errorf("SafeLink(%q) = %v", uri, got)
		}
	}
}
