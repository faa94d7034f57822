package web

import (
	"embed"
	"encoding/hex"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"ccdir/api"
)

//go:embed assets
var assetFiles embed.FS

// kinds are the media types of assets by the ends of their names.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
}

// assetVersion changes whenever an asset does: it is in their addresses, so that browsers may keep them.
var assetVersion = sync.OnceValue(func() string {
	sum := fnv.New64a()
	_ = fs.WalkDir(assetFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		_, _ = sum.Write(append([]byte(name), data...)) // never fails
		return err
	}) // of embedded files, which can be read
	return hex.EncodeToString(sum.Sum(nil))
})

func (s *server) asset(w http.ResponseWriter, c call) error {
	return s.sendAsset(w, c, c.PathValue("name"))
}

func (s *server) manifest(w http.ResponseWriter, c call) error {
	return s.sendAsset(w, c, "manifest.webmanifest")
}

// worker is at the top, so that it may open all pages.
func (s *server) worker(w http.ResponseWriter, c call) error { return s.sendAsset(w, c, "worker.js") }

// sendAsset sends a file. With its version in the address a browser keeps it.
func (s *server) sendAsset(w http.ResponseWriter, c call, name string) error {
	kind, known := kinds[path.Ext(name)]
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil || !known {
		return api.Errorf(api.CodeNotFound, "the page has no file %.100q", name)
	}
	w.Header().Set("Content-Type", kind)
	if c.URL.Query().Get("v") == assetVersion() {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if c.Method != http.MethodHead {
		_, _ = w.Write(data) // the browser is gone if this fails
	}
	return nil
}
