package sandbox

import (
	"slices"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, text := range []string{"", "*", "*.com", "a..b", ".a.b", "a b", "http://a.b", "a.b:0", "a.b:70000", "a.b:x", "localhost", "localhost:80", "127.0.0.1", "*.localhost:8080", "a/b", "[::1", "*.*.a.b"} {
		if h, err := ParseHost(text); err == nil {
			t.Errorf("%q is read as %+v", text, h)
		}
	}
	list := []string{"Example.com.", "*.example.org", "git.corp:22", "10.0.0.7:8080", "localhost:5432", "[2001:db8::1]:443"}
	for _, tt := range []struct {
		name        string
		port        int
		let, byName bool
	}{
		{"example.com", 443, true, true}, {"example.com", 80, true, true}, {"example.com", 8443, false, false}, {"www.example.com", 443, false, false}, {"notexample.com", 443, false, false},
		{"a.b.example.org", 443, true, false}, {"example.org", 443, false, false}, {"git.corp", 22, true, true}, {"git.corp", 443, false, false},
		{"10.0.0.7", 8080, true, true}, {"::1", 5432, true, true}, {"127.0.0.1", 5432, true, true}, {"127.0.0.1", 5433, false, false}, {"2001:db8::1", 443, true, true},
	} {
		if let, byName := Let(list, tt.name, tt.port); let != tt.let || byName != tt.byName {
			t.Errorf("%s:%d: %v %v", tt.name, tt.port, let, byName)
		}
	}
	if got := Forwards(append(list, "127.0.0.1:5432", "[::1]:6000")); !slices.Equal(got, []int{5432, 6000}) {
		t.Errorf("forwards %v", got)
	}
	at := place()
	at.Agent.Hosts = []string{"api.vendor.example"}
	for name, want := range map[string]string{Worktree: NetworkAll, Offline: NetworkHosts} {
		profile, _ := Find(name, nil)
		if p, err := Make(profile, at); err != nil || p.Network != want || (want == NetworkHosts) != slices.Contains(p.Hosts, "api.vendor.example") {
			t.Errorf("%s of an agent: %v %s %q", name, err, p.Network, p.Hosts)
		}
	}
	wide, narrow := Profile{Network: NetworkHosts, Hosts: []string{"a.b", "c.d"}}, Profile{Network: NetworkHosts, Hosts: []string{"c.d"}}
	if !narrow.Narrower(wide) || wide.Narrower(narrow) || !wide.Narrower(Profile{Network: NetworkAll}) || (Profile{Network: NetworkAll}).Narrower(wide) {
		t.Error("which list is narrower")
	}
}
