package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestNodes(t *testing.T) {
	l := Parse([]byte(`
[nodes.gpu1]
ssh = "gpu1"
[nodes.lab]
ssh = "ssh://me@lab:2222"
options = ["-J", "jump"]
program = "/opt/ccdir-shim"
home = "/srv/ccdir"
clipboard = true
[nodes.Bad]
ssh = "x"
[nodes.here]
ssh = "x"
[nodes.none]
[nodes.flag]
ssh = "-oProxyCommand=x"
[nodes.kinds]
ssh = "ok"
home = 3
clipboard = "yes"
colour = "red"
`), "config.toml", "/home/me")
	want := map[string]Node{
		"gpu1":  {SSH: "gpu1"},
		"lab":   {SSH: "ssh://me@lab:2222", Options: []string{"-J", "jump"}, Program: "/opt/ccdir-shim", Home: "/srv/ccdir", Clipboard: true},
		"kinds": {SSH: "ok"},
	}
	if !reflect.DeepEqual(l.Nodes, want) {
		t.Errorf("%+v", l.Nodes)
	}
	var at []string
	for _, p := range l.Problems {
		at = append(at, p.Key)
	}
	for _, key := range []string{"nodes.Bad", "nodes.here", "nodes.none", "nodes.flag", "nodes.kinds.home", "nodes.kinds.clipboard", "nodes.kinds.colour"} {
		if !strings.Contains(strings.Join(at, " ")+" ", key+" ") {
			t.Errorf("no problem at %s: %v", key, l.Problems)
		}
	}
}

// TestNodeEdits: a node that is added is read as it was meant, and removed without a trace.
func TestNodeEdits(t *testing.T) {
	for _, text := range []string{"", "mouse = false\n", "mouse = false # no end of line", "[keys]\nprefix = \"C-a\"\n"} {
		n := Node{SSH: `me@lab`, Options: []string{"-p", `2"2`}, Program: "/opt/p", Home: "/srv"}
		added := AddNode(text, "lab", n)
		if l := Parse([]byte(added), "f", ""); len(l.Problems) > 0 || !reflect.DeepEqual(l.Nodes["lab"], n) {
			t.Errorf("%q is read as %+v, %v", added, l.Nodes, l.Problems)
		}
		more := AddNode(added, "gpu1", Node{SSH: "gpu1"})
		less, ok := RemoveNode(more, "lab")
		if l := Parse([]byte(less), "f", ""); !ok || len(l.Nodes) != 1 || l.Nodes["gpu1"].SSH != "gpu1" {
			t.Errorf("%q, %t", less, ok)
		}
	}
	if _, ok := RemoveNode("nodes.lab.ssh = \"x\"\n", "lab"); ok {
		t.Error("a node that is written in another way was removed")
	}
}
