package cells

import "testing"

func TestSafeLink(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://example.org/a?b=c#d": true, "HTTP://example.org": true, "file:///tmp/a%20b": true, "file:/tmp/a": true, "file://box/tmp": true, "mailto:a@example.org": true,
		"vscode://file/a.go:3": false, "ssh://example.org": false, "x-a+b.c:": false, "tel:1": false, "smb://x/y": false, "ms-word:x": false,
		"": false, "example.org": false, "//example.org": false, ":x": false, "1a:b": false, "a b:c": false, "@:x": false, "[:x": false,
		"https://example.org/\x1b\\": false, "https://example.org/\u009c": false, "https://ex ample": false, "https://exämple.org": false,
		"javascript:alert(1)": false, "JavaScript:alert(1)": false, "vbscript:x": false, "data:text/html,x": false,
		"https:": false, "https://": false, "https:///x": false, "https://-oProxyCommand=x": false, "file://-x/": false, "file:x": false, "mailto:": false, "mailto:-x": false,
	} {
		if got := SafeLink(uri); got != want {
			t.Errorf("SafeLink(%q) = %v", uri, got)
		}
	}
}

// TestLinkHere: a file of another machine is not one here.
func TestLinkHere(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://other/x": true, "mailto:a@b": true, "file:///x": true, "file:/x": true, "FILE://LocalHost/x": true, "file://box/x": true, "file://BOX/x": true,
		"file://other/x": false, "file://box.evil/x": false, "file://box": true,
	} {
		if got := LinkHere(uri, "box"); got != want {
			t.Errorf("LinkHere(%q) = %v", uri, got)
		}
	}
	if LinkHere("file://box/x", "") {
		t.Error("a machine without a name is every machine")
	}
}
