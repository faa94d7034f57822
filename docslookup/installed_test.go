package docslookup

import (
	"bytes"
	"compress/gzip"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestNodeLocks: versions by name in the lock files of pnpm and yarn, of both generations each, and of Bun.
func TestNodeLocks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		parse      func([]byte) map[string]string
		want       map[string]string
	}{
		{"pnpm 9", "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      chalk:\n        specifier: ^5.0.0\n        version: 5.3.0\n      '@scope/lib':\n        specifier: ^1\n        version: 1.2.0(chalk@5.3.0)\n\npackages:\n\n  '@scope/lib@1.2.0':\n    resolution: {integrity: x}\n\n  chalk@5.3.0:\n    resolution: {integrity: x}\n\n  ms@2.1.3:\n    resolution: {integrity: x}\n",
			parsePnpmLock, map[string]string{"chalk": "5.3.0", "@scope/lib": "1.2.0", "ms": "2.1.3"}},
		{"pnpm 5", "lockfileVersion: 5.4\ndependencies:\n  chalk: 4.1.2\npackages:\n\n  /ansi-styles/4.3.0:\n    dev: false\n  /@scope/lib/1.0.0_chalk@4.1.2:\n    dev: false\n",
			parsePnpmLock, map[string]string{"chalk": "4.1.2", "ansi-styles": "4.3.0", "@scope/lib": "1.0.0"}},
		{"yarn 1", "# yarn lockfile v1\n\n\n\"@scope/lib@^1.0.0\", \"@scope/lib@^1.1\":\n  version \"1.1.2\"\n  resolved \"x\"\n\nchalk@^4.0.0:\n  version \"4.1.2\"\n  dependencies:\n    ms \"^2\"\n",
			parseYarnLock, map[string]string{"@scope/lib": "1.1.2", "chalk": "4.1.2"}},
		{"yarn 4", "__metadata:\n  version: 8\n\n\"app@workspace:.\":\n  version: 0.0.0-use.local\n\n\"chalk@npm:^5.0.0, chalk@npm:^5.1\":\n  version: 5.3.0\n  resolution: \"chalk@npm:5.3.0\"\n",
			parseYarnLock, map[string]string{"chalk": "5.3.0"}},
		{"bun", "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"dependencies\": {\n        \"chalk\": \"^5.0.0\",\n      },\n    },\n  },\n  \"packages\": {\n    \"@scope/lib\": [\"@scope/lib@1.2.0\", \"\", {}, \"sha512-x\"],\n\n    \"chalk\": [\"chalk@5.3.0\", \"\", {}, \"sha512-x\"],\n\n    \"own\": [\"own@workspace:packages/own\"],\n\n    \"chalk/ms\": [\"ms@2.1.3\", \"\", {}, \"sha512-x\"],\n  }\n}\n",
			parseBunLock, map[string]string{"chalk": "5.3.0", "@scope/lib": "1.2.0"}},
	} {
		if got := c.parse([]byte(c.text)); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPythonSources: what docstrings document, under the names by which programs import it.
func TestPythonSources(t *testing.T) {
	site := ".venv/lib/python3.12/site-packages/"
	dir := grow(t, map[string]string{".git/HEAD": "", "pyproject.toml": "[project]\ndependencies=['My_Lib[x]>=1']\n", "uv.lock": "[[package]]\nname = \"my-lib\"\nversion = \"1.1\"\n",
		".venv/pyvenv.cfg":                     "home = /nowhere/bin\n",
		site + "my_lib-1.0.dist-info/METADATA": "Name: my-lib\nVersion: 1.0\nSummary: Frobnicates.\n\n# Guide\n\nUse the zebra.\n",
		site + "my_lib-1.0.dist-info/RECORD":   "mylib/__init__.py,,\nmylib/_core.py,,\nmylib/util.py,,\nmylib/fast.pyi,,\nmy_lib-1.0.dist-info/RECORD,,\n",
		site + "mylib/__init__.py":             "\"\"\"The package.\"\"\"\nfrom ._core import (\n    Frob as Frob,  # the class\n    run,\n)\n",
		site + "mylib/_core.py": "import os\n\nclass Frob(Base):\n    '''Frobs things.\n\n        More.\n    '''\n    #: how many\n    count: int = 0\n\n    def __init__(self, a, b=':'):\n        def hidden(): \"no\"\n        self.a = a\n\n" +
			"    @property\n    def size(self) -> int:\n        r\"\"\"The size.\"\"\"\n\n    def _secret(self): 'no'\n\nasync def run(\n    x,  # one\n    y={'a': [1]},\n) -> None:\n    \"Runs it.\"\n    def inner():\n        'no'\n\nif True:\n    LIMIT = 3\n    \"\"\"The limit.\"\"\"\n",
		site + "mylib/util.py":  "from ._core import run\n\ndef help_me():\n    \"\"\"Helps.\"\"\"\n",
		site + "mylib/fast.pyi": "def speed(x: int) -> int: ...\n",
	})
	l := New(Options{Dir: t.TempDir(), Env: []string{"HOME=" + dir, "PATH="}, Wait: time.Minute})
	defer l.Close()
	for query, want := range map[string]api.DocsHit{
		"Frob":          {Package: "mylib", Symbol: "Frob", Signature: "class Frob(Base)\nFrob(a, b=':')", Text: "Frobs things.", Line: 3, Source: "source"},
		"Frob.size":     {Package: "mylib", Symbol: "Frob.size", Signature: "def size(self) -> int", Text: "The size.", Line: 16, Source: "source"},
		"Frob.count":    {Package: "mylib", Symbol: "Frob.count", Signature: "count: int = 0", Text: "how many", Line: 9, Source: "source"},
		"mylib.run":     {Package: "mylib", Symbol: "run", Signature: "async def run(x, y={'a': [1]}) -> None", Text: "Runs it.", Line: 21, Source: "source"},
		"util.help_me":  {Package: "mylib.util", Symbol: "help_me", Signature: "def help_me()", Text: "Helps.", Line: 3, Source: "source"},
		"fast.speed":    {Package: "mylib.fast", Symbol: "speed", Signature: "def speed(x: int) -> int", Line: 1, Source: "source"},
		"zebra guide":   {Package: "my-lib", Symbol: "Guide", Text: "Use the zebra.", Line: 5, Source: "readme"},
		"my-lib@1 Frob": {Package: "mylib", Symbol: "Frob", Signature: "class Frob(Base)\nFrob(a, b=':')", Text: "Frobs things.", Line: 3, Source: "source"},
	} {
		out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query})
		if len(out.Hits) == 0 {
			t.Errorf("%s: nothing", query)
			continue
		}
		got := out.Hits[0]
		if got.Version != "1.0" || got.Ecosystem != ecoPython || !strings.HasPrefix(got.File, dir) {
			t.Errorf("%s: got %+v", query, got)
		}
		got.ID, got.Version, got.Ecosystem, got.File = "", "", "", ""
		if got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", query, got, want)
		}
		if notes := strings.Join(out.Notes, ""); !strings.Contains(notes, "the lock file says 1.1, installed is 1.0") {
			t.Errorf("%s: notes %s", query, notes)
		}
	}
	for _, query := range []string{"_secret", "hidden", "inner"} {
		for _, h := range lookup(t, l, api.DocsQuestion{Dir: dir, Query: query}).Hits {
			if strings.Contains(h.Symbol, query) {
				t.Errorf("%s is shown: %+v", query, h)
			}
		}
	}
}

// TestRustSources: what doc comments document, under the paths by which programs reach it.
func TestRustSources(t *testing.T) {
	dir := grow(t, map[string]string{".git/HEAD": "", "Cargo.toml": "[dependencies]\nmy-lib = \"1\"\n",
		"Cargo.lock":               "[[package]]\nname = \"my-lib\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n",
		"vendor/my-lib/Cargo.toml": "[package]\nname = \"my-lib\"\nversion = \"1.0.0\"\n",
		"vendor/my-lib/src/lib.rs": "//! The crate.\nmod inner;\npub mod shown;\npub use inner::{Frob, run as go_on};\n#[cfg(test)]\nmod tests { pub fn no() {} }\n\n/// Makes it.\n#[macro_export]\nmacro_rules! make { ($x:expr) => { \"}\" } }\n",
		"vendor/my-lib/src/inner.rs": "/// Frobs.\n///\n/// More.\n#[derive(Debug)]\npub struct Frob<'a> {\n    /// How many.\n    pub count: usize,\n    secret: u8,\n}\n\nimpl<'a> Frob<'a> {\n    /// A new one for '{'.\n    pub fn new(c: char) -> Self { let x = '{'; Frob { } }\n    fn hidden() {}\n}\n" +
			"impl Drop for Frob<'_> { fn drop(&mut self) {} }\n/// Runs.\npub async fn run() {}\n/// Hidden.\npub fn kept_inside() {}\n",
		"vendor/my-lib/src/shown/mod.rs": "/// Does.\npub trait Does {\n    /// It does.\n    fn it(&self) -> bool { true }\n}\n/// Kinds.\npub enum Kind { /// The first.\n One(u8), Two }\nimpl crate::Frob<'_> { #[deprecated] /// Old.\n pub fn old(&self) {} }\n",
	})
	l := New(Options{Dir: t.TempDir(), Env: []string{"HOME=" + dir}, Wait: time.Minute})
	defer l.Close()
	for query, want := range map[string]api.DocsHit{
		"Frob":           {Package: "my_lib", Symbol: "Frob", Signature: "pub struct Frob<'a>", Text: "Frobs.", Line: 5},
		"Frob::new":      {Package: "my_lib", Symbol: "Frob::new", Signature: "pub fn new(c: char) -> Self", Text: "A new one for '{'.", Line: 13},
		"Frob::count":    {Package: "my_lib", Symbol: "Frob::count", Signature: "pub count: usize", Text: "How many.", Line: 7},
		"Frob::old":      {Package: "my_lib", Symbol: "Frob::old", Signature: "pub fn old(&self)", Text: "Deprecated: Old.", Line: 10},
		"my_lib::go_on":  {Package: "my_lib", Symbol: "go_on", Signature: "pub async fn run()", Text: "Runs.", Line: 18},
		"make!":          {Package: "my_lib", Symbol: "make", Signature: "macro_rules! make", Text: "Makes it.", Line: 10},
		"Does::it":       {Package: "my_lib::shown", Symbol: "Does::it", Signature: "fn it(&self) -> bool", Text: "It does.", Line: 4},
		"shown::Kind":    {Package: "my_lib::shown", Symbol: "Kind", Signature: "pub enum Kind", Text: "Kinds.", Line: 7},
		"Kind::One":      {Package: "my_lib::shown", Symbol: "Kind::One", Signature: "One(u8)", Text: "The first.", Line: 8},
		"my-lib@1.0.0 x": {Package: "my_lib", Symbol: "my_lib", Signature: "mod my_lib", Text: "The crate.", Line: 1},
	} {
		out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query})
		if len(out.Hits) == 0 {
			if !strings.HasSuffix(query, " x") {
				t.Errorf("%s: nothing", query)
			}
			continue
		}
		got := out.Hits[0]
		if got.Version != "1.0.0" || got.Ecosystem != ecoRust || got.Source != "source" {
			t.Errorf("%s: got %+v", query, got)
		}
		got.ID, got.Version, got.Ecosystem, got.File, got.Source = "", "", "", "", ""
		if got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", query, got, want)
		}
	}
	for _, query := range []string{"hidden", "kept_inside", "secret"} {
		for _, h := range lookup(t, l, api.DocsQuestion{Dir: dir, Query: query}).Hits {
			if strings.Contains(h.Symbol, query) {
				t.Errorf("%s is shown: %+v", query, h)
			}
		}
	}
}

// TestManPages: a page is found by name and section, compressed too, and only if it is meant.
func TestManPages(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(".TH FROB 1\n.SH NAME\nfrob \\- frobs things\n.SH OPTIONS\n.TP\n\\fB\\-z\\fR, \\fB\\-\\-zap\\fR=\\fIN\\fR\nZaps \\(bu N.\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pages := grow(t, map[string]string{"man1/frob.1.gz": z.String(), "man5/frob.5": ".TH FROB 5\n.SH NAME\nfrob \\- format of frobs\n", "man1/frob-all.1": ".so man1/frob.1\n", "man1/big.1.gz": "no gzip",
		"man1/docbook.1": ".SH OPTIONS\n.PP\n\\fB\\-\\-squash\\fR, \\-\\-no\\-squash\n.RS 4\nSquashes.\n.sp\n.RS 4\ninner\n.RE\n.PP\nMore.\n.RE\n.PP\n\\-q\n.RS 4\nQuiet.\n.RE\n"})
	dir := grow(t, map[string]string{".git/HEAD": "", "README.md": "# frob\n"})
	l := New(Options{Dir: t.TempDir(), Env: []string{"MANPATH=" + pages}, Wait: time.Minute})
	defer l.Close()
	for query, want := range map[string]string{"docbook --no-squash": "--squash", "docbook -q": "-q", "frob --zap": "-z", "man frob": "frob", "frob(5)": "frob", "man frob all": "frob-all"} {
		out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query})
		if len(out.Hits) == 0 || out.Hits[0].Symbol != want || out.Hits[0].Ecosystem != ecoMan || query == "frob(5)" && out.Hits[0].Version != "5" {
			t.Errorf("%s: got %+v", query, out)
		}
	}
	hit := lookup(t, l, api.DocsQuestion{Dir: dir, Query: "zap", Package: "frob@1"}).Hits[0]
	if hit.Signature != "-z, --zap=N" || hit.Text != "Zaps • N." || hit.File != filepath.Join(pages, "man1/frob.1.gz") || hit.Line != 5 && hit.Line != 6 {
		t.Errorf("got %+v", hit)
	}
	if got, err := l.Read(context.Background(), dir, hit.ID, nil); err != nil || got.Signature != hit.Signature {
		t.Errorf("read: %+v, %v", got, err)
	}
	for _, h := range lookup(t, l, api.DocsQuestion{Dir: dir, Query: "how to frob"}).Hits {
		if h.Ecosystem == ecoMan {
			t.Errorf("not asked: %+v", h)
		}
	}
	if err := os.Remove(filepath.Join(pages, "man5/frob.5")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: dir, Query: "x", Package: "frob@5", Ecosystem: ecoMan}, nil); err == nil || !strings.Contains(err.Error(), "installed is frob@1") {
		t.Errorf("another section: %v", err)
	}
}
