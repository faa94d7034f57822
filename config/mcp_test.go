package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestMCP(t *testing.T) {
	l := Parse([]byte(`[mcp]
enabled = false
allowed_paths = ["~/src", "/opt/x/../y"]
preapproved = ["@files", "compile"]
max_calls = 2
keep_logs = 9
nudge = "off"
timeout = "45s"
listen = "127.0.0.1:7433"
[mcp.timeouts]
test = "20m"
[mcp.roles]
reviewer = ["read", "@coordination"]
guest = []
`), "config.toml", "/home/u")
	want := MCP{AllowedPaths: []string{"/home/u/src", "/opt/y"}, Preapproved: []string{"@files", "compile"}, MaxCalls: 2, KeepLogs: 9,
		KeepResults: 20_000, SpawnLimit: 8, SpawnRoles: []string{"dev"}, Lead: "ask", Nudge: "off", Listen: "127.0.0.1:7433", Timeout: 45 * time.Second, Timeouts: defaultTimeouts(), Roles: map[string][]string{"reviewer": {"read", "@coordination"}, "guest": {}}}
	want.Timeouts["test"] = 20 * time.Minute
	if len(l.Problems) > 0 || !reflect.DeepEqual(l.MCP, want) {
		t.Errorf("got %+v, %v", l.MCP, l.Problems)
	}
	if e, err := l.Get("mcp.timeouts.test"); err != nil || len(e) != 1 || e[0].Value != "20m0s" || e[0].Source != "config.toml:11" {
		t.Errorf("got %+v, %v", e, err)
	}
	for tool, d := range map[string]time.Duration{"test": 20 * time.Minute, "compile": 10 * time.Minute, "bash": 45 * time.Second, "read": 45 * time.Second} {
		if got := l.MCP.TimeoutOf(tool); got != d {
			t.Errorf("%s may take %s, want %s", tool, got, d)
		}
	}
	if d := Default().MCP.TimeoutOf("run"); d != 30*time.Second {
		t.Errorf("by default a call may take %s", d)
	}
}

func TestMCPProblems(t *testing.T) {
	for text, want := range map[string]string{
		`allowed_paths = ["src"]`:            `config.toml:2: mcp.allowed_paths: "src" is neither absolute`,
		`max_calls = 0`:                      `expected a number from 1 to 64`,
		`listen = "0.0.0.0:1"`:               `expected a loopback address`,
		`preapproved = ["fly"]`:              `no tool is called "fly"`,
		`nudge = "hard"`:                     `expected one of`,
		`colour = 1`:                         `unknown key`,
		"[mcp.timeouts]\nfly = \"1m\"":       `no tool is called "fly"`,
		"[mcp.timeouts]\ntest = \"1ms\"":     `mcp.timeouts.test`,
		"[mcp.roles]\n\"Big One\" = []":      `a role's name`,
		"[mcp.roles]\nreviewer = [\"@all\"]": `no tool is called "@all"`,
	} {
		l := Parse([]byte("[mcp]\n"+text+"\n"), "config.toml", "/home/u")
		if len(l.Problems) != 1 || !strings.Contains(l.Problems[0].String(), want) {
			t.Errorf("%s: %v, want %s", text, l.Problems, want)
		}
	}
}
