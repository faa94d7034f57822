package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/tomltext"
)

func start(t *testing.T) agents.Start {
	return agents.Start{Session: "s1", Dir: t.TempDir(), CWD: t.TempDir(), Command: "/bin/codex", Shim: "/opt/my ccdir/ccdir-shim",
		Env: []string{"HOME=" + t.TempDir(), "CCDIR_TOKEN=secret", "CCDIR_SESSION=s1"}, MCP: true, Preapproved: []string{"run_tests"}}
}

func prepare(t *testing.T, s agents.Start) []string {
	t.Helper()
	l, err := Adapter{}.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	return l.Argv
}

// TestPrepare: the arguments of one start hold everything, and no secret.
func TestPrepare(t *testing.T) {
	s := start(t)
	s.Args, s.Model = []string{"-p", "mine"}, "gpt-x"
	argv := prepare(t, s)
	line := strings.Join(argv, "\n")
	gate := agents.Gate{Shim: s.Shim, Hook: HookPreToolUse, Form: api.GateOutput, Limit: api.HookTimeoutTool}
	for _, want := range []string{
		"/bin/codex\n-p\nmine\n--no-daemon\n-c\nanalytics.enabled=false\n",
		`hooks.PreToolUse=[{hooks=[{type="command",command=` + tomltext.Quote(gate.Command()) + `,timeout=1830}]}]`,
		` hook PermissionRequest --hold --timeout=`,
		` hook Stop --timeout=5"`,
		`"/<session-flags>/config.toml:interrupt:0:0"={trusted_hash="sha256:`,
		`mcp_servers.ccdir={command="/opt/my ccdir/ccdir-shim",args=["mcp"],env_vars=["CCDIR_SESSION","CCDIR_TOKEN"],`,
		`tools={run_tests={approval_mode="approve"}}`,
		`projects={"` + s.CWD + `"={trust_level="trusted"}}`,
		"\n-m\ngpt-x",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	if strings.Contains(line, "secret") {
		t.Errorf("the command line tells the token: %s", line)
	}
	s.Resume = "01a207c1-3f1a-7522-8b98-860e36481c45"
	if argv := prepare(t, s); !slices.Equal(argv[:6], []string{"/bin/codex", "resume", s.Resume, "-p", "mine", "-C"}) || argv[6] != s.CWD {
		t.Errorf("%q", argv[:7])
	}
	chosen := s
	chosen.Fork, chosen.Args = true, []string{"--cd", "/elsewhere"}
	if argv := prepare(t, chosen); !slices.Equal(argv[:6], []string{"/bin/codex", "fork", s.Resume, "--cd", "/elsewhere", "--no-daemon"}) {
		t.Errorf("%q", argv[:6])
	}
	for what, change := range map[string]func(*agents.Start){
		"no command": func(s *agents.Start) { s.Command = "" }, "a relative shim": func(s *agents.Start) { s.Shim = "shim" },
		"two conversations": func(s *agents.Start) { s.Args = []string{"resume", "--last"} }, "an end of options": func(s *agents.Start) { s.Args = []string{"--", "x"} },
	} {
		bad := s
		change(&bad)
		if l, err := (Adapter{}).Prepare(bad); err == nil {
			t.Errorf("%s: %q", what, l.Argv)
		}
	}
}

// TestTrustHash: the fingerprint that `codex app-server` (0.169.0) gives for this hook.
func TestTrustHash(t *testing.T) {
	if got := trustHash("pre_tool_use", "echo hi", 3600); len(got) != 64 {
		t.Errorf("%s", got)
	}
	if trustHash("stop", "a", 1) == trustHash("stop", "a", 2) || trustHash("stop", "a", 1) == trustHash("stop", "b", 1) {
		t.Error("different hooks have one hash")
	}
}

// TestTrust: a directory with settings of its own is for the person to trust, and so is one
// that the person has decided about.
func TestTrust(t *testing.T) {
	s := start(t)
	home := filepath.Join(agents.Getenv(s.Env, "HOME"), ".codex")
	repo := s.CWD
	s.CWD = filepath.Join(repo, "sub")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(s.CWD, 0o700))
	must(os.MkdirAll(home, 0o700))
	write := func(path, text string) { must(os.WriteFile(path, []byte(text), 0o600)) }
	check := func(what string, trusted bool) {
		t.Helper()
		if got := trustSetting(s) != ""; got != trusted {
			t.Errorf("%s: trusted by ccdir: %v", what, got)
		}
	}
	check("nothing to trust", true)
	write(filepath.Join(home, "config.toml"), "[projects.\""+repo+"\"]\ntrust_level = \"untrusted\"\n")
	check("decided for the repository", false)
	write(filepath.Join(home, "config.toml"), "[projects")
	check("a damaged configuration", true)
	must(os.Mkdir(filepath.Join(repo, ".codex"), 0o700))
	check("an empty folder, as a sandbox makes one", true)
	write(filepath.Join(repo, ".codex", "config.toml"), "")
	check("settings in the repository", false)
	must(os.RemoveAll(filepath.Join(repo, ".codex")))
	must(os.Symlink("/nonexistent", filepath.Join(s.CWD, ".codex")))
	check("a broken link", false)
	must(os.Remove(filepath.Join(s.CWD, ".codex")))
	// A linked work tree of a repository that the person has decided about.
	main := t.TempDir()
	write(filepath.Join(s.CWD, ".git"), "gitdir: "+main+"/.git/worktrees/sub\n")
	write(filepath.Join(home, "config.toml"), "[projects.\""+main+"\"]\ntrust_level = \"trusted\"\n")
	check("decided for the main repository", false)
	// The user's own settings are none of a project.
	s.CWD = agents.Getenv(s.Env, "HOME")
	check("the home directory", true)
}

func FuzzUserConfig(f *testing.F) {
	f.Add("[projects.\"/a\"]\ntrust_level = \"trusted\"\n", "/a/b")
	f.Add("projects = 3", "/")
	f.Add("[projects.x]\ntrust_level = 3\n", "/x")
	f.Fuzz(func(t *testing.T, text, dir string) {
		if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
			return
		}
		config := readConfig(text)
		if decided(config, filepath.Clean(dir)) && len(config.Projects) == 0 {
			t.Error("decided by nothing")
		}
	})
}

// TestOwnSandbox: Codex' own sandbox is off behind walls that hold all, unless its arguments say how it is.
func TestOwnSandbox(t *testing.T) {
	for _, tt := range []struct {
		walled bool
		args   []string
		off    bool
	}{{false, nil, false}, {true, nil, true}, {true, []string{"--model", "m"}, true}, {true, []string{"-s", "read-only"}, false}, {true, []string{"--sandbox=read-only"}, false}, {true, []string{"-c", "sandbox_mode='read-only'"}, false}} {
		args, err := ownArgs(agents.Start{Command: "/codex", Shim: "/shim", Dir: t.TempDir(), CWD: "/", Walled: tt.walled, Args: tt.args})
		if off := slices.Contains(args, `sandbox_mode="danger-full-access"`); err != nil || off != tt.off {
			t.Errorf("%+v: %q (%v)", tt, args, err)
		}
	}
}
