package docslookup

import (
	"os"
	"path/filepath"
	"strings"
)

// yarnKept are packages as yarn keeps them for Plug'n'Play: zip files in a cache, and
// directories of those that must be unpacked.
type yarnKept struct {
	// dirs are the directories that are looked into, files what they have by "NAME-npm-VERSION",
	// with "-" for the "/" of a scope.
	dirs  []string
	files map[string]string
}

// yarnKept looks for them; nil: the project does not use Plug'n'Play.
func (l *Library) yarnKept(top string) *yarnKept {
	if _, err := os.Lstat(filepath.Join(top, ".pnp.cjs")); err != nil {
		return nil
	}
	k := &yarnKept{files: map[string]string{}}
	for _, name := range []string{"unplugged", "cache"} {
		k.look(inside(top, filepath.Join(top, ".yarn", name)))
	}
	global := l.env("YARN_GLOBAL_FOLDER")
	if !filepath.IsAbs(global) {
		global = filepath.Join(l.env("HOME"), ".yarn", "berry")
	}
	for _, dir := range []string{l.env("YARN_CACHE_FOLDER"), filepath.Join(global, "cache")} {
		if filepath.IsAbs(dir) {
			k.look(dir)
		}
	}
	return k
}

// look adds the packages of a directory. Their names end with two hashes.
func (k *yarnKept) look(dir string) {
	if dir == "" {
		return
	}
	k.dirs = append(k.dirs, dir)
	list, _ := os.ReadDir(dir) // not there: no packages
	for _, e := range list {
		name, zipped := strings.CutSuffix(e.Name(), ".zip")
		hashes := 2
		if e.IsDir() {
			hashes = 1
		} else if !zipped || !e.Type().IsRegular() {
			continue
		}
		for range hashes {
			name = name[:max(strings.LastIndexByte(name, '-'), 0)]
		}
		if k.files[name] == "" {
			k.files[name] = filepath.Join(dir, e.Name())
		}
	}
}

// find is a package of a version; nil: it is not there. The content may change under one name:
// the project can have its own cache.
func (k *yarnKept) find(name, version string) *module {
	if k == nil || !validNodeName(name) || version == "" || strings.ContainsAny(version, "@# /\\") {
		return nil
	}
	at := k.files[strings.ReplaceAll(name, "/", "-")+"-npm-"+version]
	if at == "" {
		return nil
	}
	m := newNodeModule(name, version, filepath.Join(at, "node_modules", filepath.FromSlash(name)))
	if strings.HasSuffix(at, ".zip") {
		m.archive = at
	} else if m.dir = inside(at, m.dir); m.dir == "" {
		return nil
	}
	return m
}
