package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// vendored are the files of other projects, by their SHA-256 sums: @xterm/xterm 6.0.0 (lib/xterm.mjs,
// css/xterm.css), @xterm/addon-fit 0.11.0 (lib/addon-fit.mjs), @xterm/addon-webgl 0.19.0 (lib/addon-webgl.mjs) and
// @xterm/addon-search 0.16.0 (lib/addon-search.mjs), as npm has them.
var vendored = map[string]string{
	"assets/xterm/xterm.js":  "b336ec65a086c056d4804b3d4c2347da5663d3f23c3f25be866467bd8857ad59",
	"assets/xterm/xterm.css": "854a7c0fb70e8b1a083c16797ab827299fb18744f5ad34f227b48337e33293c6",
	"assets/xterm/webgl.js":  "5ac2cbbb8a861ba99176eda0ee91f10c08de32d091e3488edf699ad111131ebb",
	"assets/xterm/search.js": "3ea90162233f867b938cd29b8ad98f589643436bbb5445bd11b825dc99ff0c04",
	"assets/xterm/fit.js":    "2d87e1bddc73be9111de8beee5370c3bb7aac9c94e18e6f245f02ca741ef1769",
}

// TestAssets: what browsers load is small, before the first terminal very small, and what other projects
// wrote is as they wrote it.
func TestAssets(t *testing.T) {
	t.Parallel()
	all, first := 0, 0
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(data); strings.HasPrefix(name, "assets/xterm/") && !strings.Contains(name, "LICENSE") && vendored[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not the file that was vendored: %x", name, sum)
		}
		size := len(data)
		if small := packed()[strings.TrimPrefix(name, "assets/")]; small != nil {
			size = len(small)
		}
		all += size
		if !strings.Contains(name, "xterm") && !strings.Contains(name, "terminal") {
			first += size
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("compressed: %d bytes, %d before the first terminal", all, first)
	if all > 600<<10 || first > 150<<10 {
		t.Errorf("compressed, the assets have %d bytes, and %d before the first terminal", all, first)
	}
}

// TestAssetsPacked: a file comes compressed to browsers that take that and plain to others, has the same
// content, and is not sent again to one that has it.
func TestAssetsPacked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	want, err := assetFiles.ReadFile("assets/page.js")
	if err != nil {
		t.Fatal(err)
	}
	get := func(accept, tag string) *http.Response {
		req := httptest.NewRequest(http.MethodGet, "/assets/page.js", nil)
		req.Host = "localhost"
		req.Header.Set("Accept-Encoding", accept)
		req.Header.Set("If-None-Match", tag)
		rec := httptest.NewRecorder()
		p.handler.ServeHTTP(rec, req)
		return rec.Result()
	}
	tags := map[string]bool{}
	for accept, packs := range map[string]bool{"gzip, deflate, br": true, "br;q=1, gzip;q=0.5": true, "": false, "gzip;q=0, br": false, "deflate": false} {
		resp := get(accept, "")
		var body io.Reader = resp.Body
		if is := resp.Header.Get("Content-Encoding") == "gzip"; is != packs {
			t.Errorf("%q: %v", accept, resp.Header)
		} else if is {
			if body, err = gzip.NewReader(resp.Body); err != nil {
				t.Fatal(err)
			}
		}
		if data, err := io.ReadAll(body); err != nil || !bytes.Equal(data, want) {
			t.Errorf("%q: another content (%v)", accept, err)
		}
		tag := resp.Header.Get("ETag")
		tags[tag] = true
		if again := get(accept, tag); again.StatusCode != http.StatusNotModified || again.ContentLength > 0 {
			t.Errorf("%q: it is sent again: %s", accept, again.Status)
		}
	}
	if len(tags) != 2 {
		t.Errorf("tags: %v", tags)
	}
}
