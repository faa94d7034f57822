package file

import (
	"encoding/json"
	"syscall"
	"testing"

	"ccdir/policy"
)

// noLinks is a file system without symbolic links.
type noLinks struct{}

// Readlink implements policy.FS.
func (noLinks) Readlink(string) (string, error) { return "", syscall.EINVAL }

func mustParse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := Parse([]byte(text), "policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bash is a request to run command in /home/u/project.
func bash(command string) policy.Request {
	in, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return policy.Request{Role: "dev", Tool: "Bash", Input: in, Root: "/home/u/project", Home: "/home/u", FS: noLinks{}}
}
