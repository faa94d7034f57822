package dirfield

import "testing"

func TestDirectoriesAreMadeAbsolute(t *testing.T) {
	for in, want := range map[string]string{
		"": "/repo/project", "sub": "/repo/project/sub", "../x": "/repo/x", "~": "/home/me", "~/src": "/home/me/src", " /abs ": "/abs", "~you": "/repo/project/~you",
	} {
		if got := Absolute(in, "/repo/project", "/home/me"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
