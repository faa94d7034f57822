package docslookup

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// nodeLocks are the lock files of npm, pnpm, yarn and Bun.
var nodeLocks = []struct {
	file  string
	parse func([]byte) map[string]string
}{{"package-lock.json", parseLock}, {"npm-shrinkwrap.json", parseLock}, {"pnpm-lock.yaml", parsePnpmLock}, {"yarn.lock", parseYarnLock}, {"bun.lock", parseBunLock}}

// nodeLocked returns the versions in the lock file of a directory by name, and that file's name.
func nodeLocked(top string) (versions map[string]string, file string) {
	for _, l := range nodeLocks {
		if data, err := untrusted.Read(filepath.Join(top, l.file), 64<<20); err == nil {
			return l.parse(data), l.file
		}
	}
	return nil, "" // without one package.json decides
}

// parseLock returns the versions in package-lock.json of packages directly below
// node_modules.
func parseLock(data []byte) map[string]string {
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if json.Unmarshal(data, &lock) != nil {
		return nil
	}
	versions := map[string]string{}
	for at, p := range lock.Packages {
		if name, ok := strings.CutPrefix(at, "node_modules/"); ok && !strings.Contains(name, "node_modules/") && len(versions) < maxNodePackages {
			versions[name] = p.Version
		}
	}
	return versions
}

var (
	pnpmPackage  = regexp.MustCompile(`^  '?/?(@?[^@'/\s]+(?:/[^@'/\s]+)?)[@/]v?(\d[^:'(_\s]*)[^:]*'?:`)
	pnpmDirect   = regexp.MustCompile(`^\s+'?(@?[^:'\s]+)'?:\s*(?:(\d[^\s(_]*)\S*)?\s*$`)
	pnpmVersion  = regexp.MustCompile(`^\s+version:\s*'?(\d[^\s('_]*)`)
	bunPackage   = regexp.MustCompile(`^\s+"(@?[^"@]+)": \["(@?[^"@]+)@(\d[^"]*)"`)
	yarnVersion  = regexp.MustCompile(`^\s+version:?\s+"?([^"\s]+)"?`)
	yarnSelector = regexp.MustCompile(`^"?(@?[^@"\s]+)@`)
)

// parsePnpmLock returns the versions in pnpm-lock.yaml by name. What a project of the workspace
// names itself counts before what others need.
func parsePnpmLock(data []byte) map[string]string {
	direct, others := map[string]string{}, map[string]string{}
	section, name := "", ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line != "" && line[0] != ' ' && line[0] != '#':
			section, name = strings.TrimRight(line, ": "), ""
		case len(direct)+len(others) >= maxNodePackages:
			return joined(direct, others)
		case section == "packages":
			if found := pnpmPackage.FindStringSubmatch(line); found != nil && others[found[1]] == "" {
				others[found[1]] = found[2]
			}
		case section == "importers", strings.HasSuffix(strings.ToLower(section), "dependencies"):
			if found := pnpmVersion.FindStringSubmatch(line); found != nil && name != "" {
				if direct[name] == "" {
					direct[name] = found[1]
				}
			} else if found := pnpmDirect.FindStringSubmatch(line); found != nil {
				if name = found[1]; found[2] != "" && direct[name] == "" {
					direct[name] = found[2]
				}
			}
		}
	}
	return joined(direct, others)
}

func joined(first, second map[string]string) map[string]string {
	for name, v := range second {
		if first[name] == "" {
			first[name] = v
		}
	}
	return first
}

// parseYarnLock returns the versions in yarn.lock, of both generations, by name.
func parseYarnLock(data []byte) map[string]string {
	versions := map[string]string{}
	name := ""
	for line := range strings.Lines(string(data)) {
		switch {
		case line[0] != ' ' && line[0] != '\t':
			name = ""
			if found := yarnSelector.FindStringSubmatch(line); found != nil {
				name = found[1]
			}
		case name != "" && versions[name] == "" && len(versions) < maxNodePackages:
			if found := yarnVersion.FindStringSubmatch(line); found != nil && found[1] != "0.0.0-use.local" {
				versions[name] = found[1]
			}
		}
	}
	return versions
}

// parseBunLock returns the versions in bun.lock of the packages at the top of node_modules, by
// name. It is JSON with commas that JSON does not have, a package a line.
func parseBunLock(data []byte) map[string]string {
	versions := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if found := bunPackage.FindStringSubmatch(line); found != nil && found[1] == found[2] && len(versions) < maxNodePackages {
			versions[found[1]] = found[3]
		}
	}
	return versions
}
