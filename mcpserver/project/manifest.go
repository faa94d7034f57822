package project

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/text/tomltext"
)

// addDependency records one direct dependency.
type addDependency func(name, version string)

// manifests read packages and direct dependencies, by kind of project. A file that
// cannot be read is skipped.
var manifests = map[string]func(p *Project, info *Info, add addDependency){
	"go":     goManifest,
	"node":   nodeManifest,
	"rust":   rustManifest,
	"python": pythonManifest,
	"maven":  mavenManifest,
}

// readManifests reads the manifests of all the project's kinds.
func (p *Project) readManifests(info *Info) {
	add := func(name, version string) {
		if name != "" && len(info.Dependencies) < maxManifestDeps {
			info.Dependencies = append(info.Dependencies, Dependency{name, version})
		}
	}
	for _, kind := range p.Kinds {
		if read := manifests[kind]; read != nil {
			read(p, info, add)
		}
	}
}

func goManifest(p *Project, _ *Info, add addDependency) {
	goRequires(p.read("go.mod"), add)
	for _, dir := range p.goModules() {
		if dir != "." {
			goRequires(p.read(filepath.Join(dir, "go.mod")), add)
		}
	}
}

func nodeManifest(p *Project, info *Info, add addDependency) {
	var doc struct {
		Name            string            `json:"name"`
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if json.Unmarshal(p.read("package.json"), &doc) == nil {
		info.addPackage(doc.Name)
		addMap(doc.Dependencies, add)
		addMap(doc.DevDependencies, add)
	}
}

func rustManifest(p *Project, info *Info, add addDependency) {
	var doc struct {
		Package      struct{ Name string }
		Workspace    struct{ Members []string }
		Dependencies map[string]any
	}
	if tomltext.Unmarshal(string(p.read("Cargo.toml")), &doc) == nil {
		info.addPackage(doc.Package.Name)
		info.Packages = append(info.Packages, doc.Workspace.Members...)
		addMap(versions(doc.Dependencies), add)
	}
}

func mavenManifest(p *Project, info *Info, add addDependency) {
	var doc struct {
		ArtifactID   string   `xml:"artifactId"`
		Modules      []string `xml:"modules>module"`
		Dependencies []struct {
			Group    string `xml:"groupId"`
			Artifact string `xml:"artifactId"`
			Version  string `xml:"version"`
		} `xml:"dependencies>dependency"`
	}
	if xml.Unmarshal(p.read("pom.xml"), &doc) == nil {
		info.addPackage(doc.ArtifactID)
		info.Packages = append(info.Packages, doc.Modules...)
		for _, d := range doc.Dependencies {
			add(d.Group+":"+d.Artifact, d.Version)
		}
	}
}

func (i *Info) addPackage(name string) {
	if name != "" {
		i.Packages = append(i.Packages, name)
	}
}

func pythonManifest(p *Project, info *Info, add addDependency) {
	var doc struct {
		Project struct {
			Name         string
			Dependencies []string
		}
	}
	if tomltext.Unmarshal(string(p.read("pyproject.toml")), &doc) == nil {
		info.addPackage(doc.Project.Name)
	}
	reqs := doc.Project.Dependencies
	for l := range strings.Lines(string(p.read("requirements.txt"))) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' && l[0] != '-' {
			reqs = append(reqs, l)
		}
	}
	for _, r := range reqs {
		end := strings.IndexAny(r, "<>=!~;[ ")
		if end < 0 {
			end = len(r)
		}
		add(r[:end], strings.TrimSpace(r[end:]))
	}
}

func versions(deps map[string]any) map[string]string {
	res := map[string]string{}
	for name, v := range deps {
		switch v := v.(type) {
		case string:
			res[name] = v
		case map[string]any:
			res[name], _ = v["version"].(string)
		}
	}
	return res
}

func addMap(m map[string]string, add addDependency) {
	for _, n := range slices.Sorted(maps.Keys(m)) {
		add(n, m[n])
	}
}

// goRequires reads the direct requirements of a go.mod.
func goRequires(mod []byte, add addDependency) {
	block := false
	for s := bufio.NewScanner(bytes.NewReader(mod)); s.Scan(); {
		l := strings.TrimSpace(s.Text())
		switch {
		case l == "require (":
			block = true
			continue
		case l == ")":
			block = false
		}
		rest, single := strings.CutPrefix(l, "require ")
		if !block && !single || strings.HasSuffix(rest, "// indirect") {
			continue
		}
		if f := strings.Fields(rest); len(f) >= 2 && !strings.HasPrefix(f[0], "//") {
			add(f[0], f[1])
		}
	}
}
