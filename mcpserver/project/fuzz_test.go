package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// fuzzFiles are the files that a repository, which may be anybody's, says by what it is.
var fuzzFiles = []string{".ccdir.toml", "go.mod", "go.work", "Cargo.toml", "package.json", "pyproject.toml", "requirements.txt", "pom.xml", "build.gradle", "Makefile", "CMakeLists.txt", "mix.exs", "setup.cfg"}

// FuzzProject: whatever stands in a project's files, it is detected or refused in
// bounded time, and a command that comes out has a program.
func FuzzProject(f *testing.F) {
	for i, seed := range []string{
		"[commands.test]\nrun = [\"make\", \"test\"]\ndecoder = \"generic\"\n", "module example.org/x\n\ngo 1.26\n\nrequire (\n\ta.example/b v1.2.3 // indirect\n)\n", "go 1.26\nuse (\n\t./a\n\t../b\n)\n",
		"[package]\nname = \"x\"\n[dependencies]\nserde = { version = \"1\" }\n", `{"scripts":{"test":"jest","lint":"eslint ."},"devDependencies":{"typescript":"5"},"packageManager":"pnpm@9"}`,
		"[project]\ndependencies = [\"pytest>=8\"]\n[tool.ruff]\n", "pytest==8.0 # x\n-r other\n", "<project><dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies></project>",
		"plugins { id 'java' }", "test:\n\tgo test ./...\n", "project(x)", "def project do [app: :x] end", "[tool:pytest]\n"} {
		f.Add(i, []byte(seed))
	}
	f.Add(0, []byte("[commands.test]\nrun = []\n"))
	f.Add(4, []byte(`{"scripts":[]}`))
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		if which < 0 || which >= len(fuzzFiles) {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fuzzFiles[which]), data, 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		p, err := Detect(dir)
		if err != nil {
			return
		}
		for _, action := range Actions {
			for _, write := range []bool{false, true} {
				c, err := p.Command(action, TestOptions{}, write)
				if err == nil && (len(c.Argv) == 0 || c.Argv[0] == "") {
					t.Errorf("%s of %q has no program: %+v", action, data, c)
				}
			}
		}
		info := &Info{}
		p.readManifests(info)
		p.about(info)
		if info.Name == "" {
			t.Errorf("%q has no name", data)
		}
		if at := p.GoPackageDir(); at != nil {
			_ = at("example.org/x")
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%d bytes of %s took %s", len(data), fuzzFiles[which], took)
		}
	})
}
