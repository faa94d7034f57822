package mcpserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestToolchains runs real tools on small broken projects. A tool that the
// machine lacks has its recorded output tested in package diag.
func TestToolchains(t *testing.T) {
	for _, c := range []struct {
		name, program, tool string
		files               map[string]string
		file                string // of the first diagnostic or failed test
		line                int
		tests               [3]int
	}{
		{"make", "gcc", "compile", map[string]string{"Makefile": "all:\n\tcc -c a.c\n", "a.c": "int main(void) {\n  return x;\n}\n"}, "a.c", 2, [3]int{}},
		{"python compile", "python3", "compile", map[string]string{"requirements.txt": "", "a.py": "def f(:\n"}, "a.py", 1, [3]int{}},
		{"python test", "python3", "test", map[string]string{"test_a.py": "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 2)\n    def test_b(self): pass\n"},
			"test_a.py", 5, [3]int{1, 1, 0}},
		{"python without tests", "python3", "test", map[string]string{"a.py": "x = 1\n"}, "", 0, [3]int{}},
		{"python test for pytest", "python3", "test", map[string]string{"tests/test_a.py": "def test_a():\n    assert False\n", "pytest.py": "raise SystemExit('no pytest here')\n"}, "", 0, [3]int{}},
		{"node", "node", "test", map[string]string{"package.json": "{}", "a.test.js": "const t = require('node:test');\nt('good', () => {});\nt('bad', () => {\n  throw new Error('no');\n});\n"}, "a.test.js", 4, [3]int{1, 1, 0}},
		{"rust", "cargo", "test", map[string]string{"Cargo.toml": "[package]\nname='p'\nversion='0.1.0'\nedition='2021'\n", "src/lib.rs": "#[test]\nfn good() {}\n#[test]\nfn bad() {\n    assert_eq!(1, 2);\n}\n"}, "src/lib.rs", 5, [3]int{1, 1, 0}},
		{"go format", "gofmt", "format", map[string]string{"go.mod": "module m\n", "a.go": "package m\nvar  x = 1\n"}, "a.go", 0, [3]int{}},
		{"override", "sh", "lint", map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['sh', '-c', 'echo \"x.foo@7 odd\"; exit 1']\npatterns = ['^(?P<file>\\S+)@(?P<line>\\d+) (?P<message>.*)$']\n"}, "x.foo", 7, [3]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Logf("%s is not installed", c.program)
				return
			}
			if c.program == "cargo" { // may be a door to toolchains of which there is none
				if out, err := exec.Command("cargo", "--version").CombinedOutput(); err != nil {
					t.Logf("cargo does not run: %v\n%s", err, out)
					return
				}
			}
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cl := dial(t, Options{}, Caller{Dir: dir})
			cl.initialize()
			res := result(t, cl.call(c.tool, map[string]any{}))
			file, line := "", 0
			if res.Tests != nil && len(res.Tests.Failures) > 0 {
				file, line = res.Tests.Failures[0].File, res.Tests.Failures[0].Line
				if got := [3]int{res.Tests.Passed, res.Tests.Failed, res.Tests.Skipped}; got != c.tests {
					t.Errorf("tests %v, want %v", got, c.tests)
				}
			} else if len(res.Errors) > 0 {
				file, line = res.Errors[0].File, res.Errors[0].Line
			}
			want := "failed"
			if c.name == "python without tests" {
				want = "no_tests"
			}
			if res.Status != want || strings.TrimPrefix(file, "./") != c.file || line != c.line {
				t.Errorf("status %s, %s:%d; want %s, %s:%d\n%+v", res.Status, file, line, want, c.file, c.line, res)
			}
		})
	}
}
