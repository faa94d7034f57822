package project

import (
	"encoding/json"
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

func (p *Project) npm() string {
	switch {
	case p.has("pnpm-lock.yaml"):
		return "pnpm"
	case p.has("yarn.lock"):
		return "yarn"
	case p.has("bun.lock") || p.has("bun.lockb"):
		return "bun"
	}
	return "npm"
}

// bin is a tool of node_modules, else its bare name.
func (p *Project) bin(name string) string {
	if p.has("node_modules/.bin/" + name) {
		return "./node_modules/.bin/" + name
	}
	return name
}

func (p *Project) nodeCommand(action string, o TestOptions, write bool) (Command, bool) {
	scripts := p.scripts()
	script := func(decoder string, names ...string) (Command, bool) {
		for _, n := range names {
			if _, ok := scripts[n]; ok {
				return cmd(decoder, p.npm(), "run", "--silent", n)
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
			return cmd("tsc", p.bin("tsc"), "--noEmit", "--pretty", "false")
		}
		return script("tsc", "typecheck", "type-check", "check")
	case Format:
		if !write {
			if c, ok := script("generic", "format:check", "check:format"); ok {
				return c, true
			}
			return cmd("generic", p.bin("prettier"), "--check", ".")
		}
		return cmd("generic", p.bin("prettier"), "--write", ".")
	case Lint:
		decoder := "generic"
		if strings.Contains(scripts["lint"], "eslint") {
			decoder = "eslint"
		}
		if c, ok := script(decoder, "lint"); ok {
			return c, true
		}
		return cmd("eslint", p.bin("eslint"), "--format", "json", "--output-file", "{report}", ".")
	}
	test := scripts["test"]
	switch {
	case strings.Contains(test, "vitest"):
		argv := []string{p.bin("vitest"), "run", "--reporter=junit", "--outputFile={report}"}
		return cmd("junit", nodeTestArgs(argv, o, "-t", "--bail=")...)
	case test == "" || strings.HasPrefix(test, "node --test"):
		argv := []string{"node", "--test", "--test-reporter=spec", "--test-reporter-destination=stdout",
			"--test-reporter=junit", "--test-reporter-destination={report}"}
		return cmd("junit", nodeTestArgs(argv, o, "--test-name-pattern", "")...)
	}
	return cmd("generic", p.npm(), "test", "--silent")
}

func nodeTestArgs(argv []string, o TestOptions, nameFlag, bail string) []string {
	if o.Name != "" {
		argv = append(argv, nameFlag, o.Name)
	}
	if o.MaxFailures > 0 && bail != "" {
		argv = append(argv, bail+strconv.Itoa(o.MaxFailures))
	}
	if o.Path != "" {
		argv = append(argv, o.Path)
	}
	return argv
}
