package docslookup

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// zipped is a zip file of texts by name.
func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestYarnArchives: packages that yarn keeps as archives (Plug'n'Play) are read from its caches,
// those of the project and of the user; what is broken, outside or missing is said.
func TestYarnArchives(t *testing.T) {
	cache := ".yarn/cache/"
	dir := grow(t, map[string]string{".git/HEAD": "", ".pnp.cjs": "", "package.json": `{"dependencies":{"@scope/lib":"1","chalk":"5","plain":"1","broken":"1","gone":"1","out":"1"}}`,
		"yarn.lock": "__metadata:\n  version: 8\n\n\"@scope/lib@npm:1\":\n  version: 1.2.0-rc.1\n\n\"chalk@npm:5\":\n  version: 5.3.0\n\n\"plain@npm:1\":\n  version: 1.0.0\n\n\"broken@npm:1\":\n  version: 1.0.0\n\n\"gone@npm:1\":\n  version: 1.0.0\n\n\"out@npm:1\":\n  version: 1.0.0\n",
		cache + "@scope-lib-npm-1.2.0-rc.1-d2f7f5e9b2-8a01a9bc35.zip": zipped(t, map[string]string{"node_modules/@scope/lib/package.json": "{}", "node_modules/@scope/lib/deep/index.d.ts": "/** Zips zebras. */\nexport declare function zebra(): void;\n",
			"node_modules/@scope/lib/big.d.ts": strings.Repeat(" ", maxFileBytes+1), "node_modules/@scope/lib/test/x.d.ts": "/** No. */\nexport declare function untold(): void;\n", "node_modules/@scope/lib/../../../evil.d.ts": "/** No. */\nexport declare function untold(): void;\n"}),
		cache + "broken-npm-1.0.0-d2f7f5e9b2-8a01a9bc35.zip":                       "no archive",
		".yarn/unplugged/plain-npm-1.0.0-d2f7f5e9b2/node_modules/plain/index.d.ts": "/** Unzips. */\nexport declare function quagga(): void;\n"})
	home := grow(t, map[string]string{".yarn/berry/cache/chalk-npm-5.3.0-d2f7f5e9b2-10c0.zip": zipped(t, map[string]string{"node_modules/chalk/readme.md": "# Okapi\n\nStripes.\n"}),
		"out.zip": zipped(t, map[string]string{"node_modules/out/readme.md": "# Sesame\n\nOpen.\n"})})
	if err := os.Symlink(filepath.Join(home, "out.zip"), filepath.Join(dir, cache, "out-npm-1.0.0-d2f7f5e9b2-8a01a9bc35.zip")); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Dir: t.TempDir(), Env: []string{"HOME=" + home}, Wait: library(t).o.Wait})
	defer l.Close()
	for query, want := range map[string]string{"zebra": "lib@1.2.0-rc.1 Zips zebras. " + filepath.Join(dir, cache, "@scope-lib-npm-1.2.0-rc.1-d2f7f5e9b2-8a01a9bc35.zip/node_modules/@scope/lib/deep/index.d.ts"),
		"okapi": "chalk@5.3.0 Stripes. " + filepath.Join(home, ".yarn/berry/cache/chalk-npm-5.3.0-d2f7f5e9b2-10c0.zip/node_modules/chalk/readme.md"), "quagga": "plain@1.0.0 Unzips. "} {
		out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query})
		if len(out.Hits) == 0 {
			t.Fatalf("%s: nothing; %v", query, out.Notes)
		}
		h := out.Hits[0]
		if got := filepath.Base(h.Package) + "@" + h.Version + " " + h.Text + " " + h.File; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
		if whole, err := l.Read(context.Background(), dir, h.ID, nil); err != nil || whole.Text != h.Text {
			t.Errorf("%s: read %+v, %v", query, whole, err)
		}
		for _, part := range []string{"broken@1.0.0 cannot be read: ", "2 packages of package.json are neither in node_modules nor", "yarn install"} {
			if !strings.Contains(strings.Join(out.Notes, "\n"), part) {
				t.Errorf("%s: no %s in %v", query, part, out.Notes)
			}
		}
	}
	for _, query := range []string{"untold", "sesame"} {
		if out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query}); len(out.Hits) > 0 {
			t.Errorf("%s is shown: %+v", query, out.Hits)
		}
	}
	out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: "zebra", Package: "@scope/lib"})
	if !strings.Contains(strings.Join(out.Notes, "\n"), "big.d.ts was left out: ") {
		t.Errorf("notes %v", out.Notes)
	}
}
