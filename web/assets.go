package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/hex"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"strings"
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

// packed returns a text file compressed; nil for pictures, which are already.
var packed = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	_ = fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".png" {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that there is
		_, _ = w.Write(data)                                    // to memory
		_ = w.Close()
		files[strings.TrimPrefix(name, "assets/")] = out.Bytes()
		return nil
	}) // of embedded files, which can be read
	return files
})

// takesGzip reports whether a browser takes compressed answers.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") || strings.ContainsAny(weight, "123456789")
		}
	}
	return false
}

// sendAsset sends a file, compressed where the browser takes that. With its version in the address a browser
// keeps it; without, it asks whether there is another.
func (s *server) sendAsset(w http.ResponseWriter, c call, name string) error {
	kind, known := kinds[path.Ext(name)]
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil || !known {
		return api.Errorf(api.CodeNotFound, "the page has no file %.100q", name)
	}
	w.Header().Set("Content-Type", kind)
	if c.URL.Query().Get("v") == assetVersion() {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	tag := `"` + assetVersion() + `"`
	w.Header().Set("Vary", "Accept-Encoding")
	if small := packed()[name]; small != nil && takesGzip(c.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		tag, data = `"`+assetVersion()+`-gzip"`, small
	}
	w.Header().Set("ETag", tag)
	if c.Header.Get("If-None-Match") == tag {
		w.Header().Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if c.Method != http.MethodHead {
		_, _ = w.Write(data) // the browser is gone if this fails
	}
	return nil
}
