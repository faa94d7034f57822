package docslookup

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ccdir/internal/disk/untrusted"
)

// normalized is a distribution's name as package indexes compare it.
func normalized(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

// requirement is the name at the beginning of a requirement such as requests[socks]>=2.
var requirement = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// pythonWants are the normalized names of the packages that the project names itself.
func pythonWants(at string) map[string]bool {
	wants := map[string]bool{}
	add := func(list ...string) {
		for _, r := range list {
			if found := requirement.FindStringSubmatch(r); found != nil && found[1] != "python" {
				wants[normalized(found[1])] = true
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(globPath(at), "requirements*.txt"))
	for _, file := range files[:min(len(files), 20)] {
		data, _ := untrusted.Read(file, maxManifest)
		for line := range strings.Lines(string(data)) {
			if line, _, _ = strings.Cut(line, "#"); !strings.HasPrefix(line, "-") {
				add(line)
			}
		}
	}
	data, _ := untrusted.Read(filepath.Join(at, "pyproject.toml"), maxManifest)
	var p struct {
		Project struct {
			Dependencies []string            `toml:"dependencies"`
			Optional     map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
				Dev          map[string]any `toml:"dev-dependencies"`
				Group        map[string]struct {
					Dependencies map[string]any `toml:"dependencies"`
				} `toml:"group"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	_ = toml.Unmarshal(data, &p) // what can be read of it
	add(p.Project.Dependencies...)
	for _, list := range p.Project.Optional {
		add(list...)
	}
	for _, list := range p.Groups {
		for _, r := range list {
			if s, ok := r.(string); ok {
				add(s)
			}
		}
	}
	for name := range p.Tool.Poetry.Dependencies {
		add(name)
	}
	for name := range p.Tool.Poetry.Dev {
		add(name)
	}
	for _, g := range p.Tool.Poetry.Group {
		for name := range g.Dependencies {
			add(name)
		}
	}
	return wants
}

// pythonLocked are the versions of uv.lock or poetry.lock by normalized name.
func pythonLocked(at string) map[string]string {
	versions := map[string]string{}
	for _, name := range []string{"uv.lock", "poetry.lock"} {
		data, err := untrusted.Read(filepath.Join(at, name), 32<<20)
		if err != nil {
			continue
		}
		for _, p := range lockedPackages(data) {
			versions[normalized(p.Name)] = p.Version
		}
	}
	return versions
}

// lockedPackage is an entry of Cargo.lock, uv.lock or poetry.lock.
type lockedPackage struct {
	Name         string   `toml:"name"`
	Version      string   `toml:"version"`
	Source       any      `toml:"source"`
	Dependencies []string `toml:"-"`
}

// lockedPackages reads the entries [[package]] of a lock file in TOML.
func lockedPackages(data []byte) []lockedPackage {
	var lock struct {
		Package []lockedPackage `toml:"package"`
	}
	_ = toml.Unmarshal(data, &lock) // what can be read of it
	return lock.Package[:min(len(lock.Package), 20000)]
}
