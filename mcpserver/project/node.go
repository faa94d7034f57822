package project

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scripts of package.json; nil if there are none.
func (p *Project) scripts() map[string]string {
	var doc struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(p.read("package.json"), &doc) != nil {
		return nil
	}
	return doc.Scripts
}

// npm is the package manager, chosen by the lock file, which in a workspace lies at its
// root.
func (p *Project) npm() string {
	for _, dir := range p.upwards() {
		for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"}} {
			if isFile(filepath.Join(dir, lock[0])) {
				return lock[1]
			}
		}
	}
	return "npm"
}

// manager is the program of the package manager; the project may have installed it itself.
func (p *Project) manager() string {
	if name := p.npm(); name != "npm" {
		return p.bin(name)
	}
	return "npm"
}

// bin is a tool of node_modules, found where Node looks for modules: here, or above as
// in a workspace; else its bare name.
func (p *Project) bin(name string) string {
	for i, dir := range p.upwards() {
		switch file := filepath.Join("node_modules/.bin", name); {
		case !isFile(filepath.Join(dir, file)):
		case i == 0:
			return "./" + file
		default:
			return filepath.Join(dir, file)
		}
	}
	return name
}

// nodeTool is a command of a tool of node_modules; with yarn's Plug'n'Play, which has none, yarn
// finds it.
func (p *Project) nodeTool(decoder, name string, args ...string) (Command, bool) {
	return cmd(decoder, append(p.nodeProgram(name), args...)...)
}

func (p *Project) nodeProgram(name string) []string {
	if program := p.bin(name); program != name || !p.plugAndPlay() {
		return []string{program}
	}
	return []string{p.manager(), "run", name}
}

func (p *Project) plugAndPlay() bool {
	return slices.ContainsFunc(p.upwards(), func(dir string) bool { return isFile(filepath.Join(dir, ".pnp.cjs")) })
}

func (p *Project) nodeCommand(action string, o TestOptions, write bool) (Command, bool) {
	scripts := p.scripts()
	script := func(decoder string, names ...string) (Command, bool) {
		for _, n := range names {
			if _, ok := scripts[n]; ok {
				return cmd(decoder, p.manager(), "run", "--silent", n)
			}
		}
		return none()
	}
	typed := p.has("tsconfig.json")
	switch action {
	case Compile:
		if c, ok := script("tsc", "build", "compile"); ok {
			return c, true
		}
		fallthrough
	case TypeCheck:
		if typed {
			return p.nodeTool("tsc", "tsc", "--noEmit", "--pretty", "false")
		}
		return script("tsc", "typecheck", "type-check", "check")
	case Format:
		if !write {
			if c, ok := script("generic", "format:check", "check:format"); ok {
				return c, true
			}
			return p.nodeTool("generic", "prettier", "--check", ".")
		}
		return p.nodeTool("generic", "prettier", "--write", ".")
	case Lint:
		decoder := "generic"
		if strings.Contains(scripts["lint"], "eslint") {
			decoder = "eslint"
		}
		if c, ok := script(decoder, "lint"); ok {
			return c, true
		}
		return p.nodeTool("eslint", "eslint", "--format", "json", "--output-file", "{report}", ".")
	}
	test := scripts["test"]
	switch {
	case strings.Contains(test, "vitest"):
		argv := append(p.nodeProgram("vitest"), "run", "--reporter=default", "--reporter=junit", "--outputFile.junit={report}") // the report lacks errors outside of tests
		return cmd("junit", nodeTestArgs(argv, o, "-t", "--bail=")...)
	case test == "" && p.npm() == "bun", strings.HasPrefix(test, "bun test"):
		argv := []string{p.bin("bun"), "test", "--reporter=junit", "--reporter-outfile={report}"}
		return cmd("junit", nodeTestArgs(argv, o, "-t", "--bail=")...)
	case test == "" || strings.HasPrefix(test, "node --test"):
		argv := []string{"node"}
		if p.plugAndPlay() {
			argv = []string{p.manager(), "node"} // which knows the archives
		}
		argv = append(argv, "--test", "--test-reporter=spec", "--test-reporter-destination=stdout",
			"--test-reporter=junit", "--test-reporter-destination={report}")
		return cmd("junit", nodeTestArgs(argv, o, "--test-name-pattern", "")...)
	}
	return p.nodeScript(test, o)
}

// nodeScript runs the script named test. Reporter options are passed if its last
// program writes reports.
func (p *Project) nodeScript(test string, o TestOptions) (Command, bool) {
	argv := []string{p.manager(), "run", "--silent", "test"}
	if strings.ContainsAny(test, "&|;") {
		return cmd("generic", argv...)
	}
	if p.npm() == "npm" { // the others pass all arguments to the script, "--" too
		argv = append(argv, "--")
	}
	switch {
	case strings.Contains(test, "jest") || strings.HasPrefix(test, "react-scripts test"):
		argv = append(argv, "--json", "--outputFile={report}")
		return cmd("jest", nodeTestArgs(argv, o, "-t", "--bail=")...)
	case strings.Contains(test, "mocha"):
		argv = append(argv, "--reporter", "xunit", "--reporter-option", "output={report}")
		if o.MaxFailures == 1 {
			argv = append(argv, "--bail")
		}
		o.MaxFailures = 0
		return cmd("junit", nodeTestArgs(argv, o, "--grep", "")...)
	}
	return cmd("generic", argv[:4]...)
}

func nodeTestArgs(argv []string, o TestOptions, nameFlag, bail string) []string {
	if o.Name != "" {
		argv = append(argv, nameFlag, o.Name)
	}
	if o.MaxFailures > 0 && bail != "" {
		argv = append(argv, bail+strconv.Itoa(o.MaxFailures))
	}
	if o.Path != "" {
		argv = append(append(argv, o.Path), o.Also...)
	}
	return argv
}
