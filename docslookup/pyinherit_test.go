package docslookup

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// TestPythonInherits: a class has the documented methods of those that it is derived from, as far
// as they are in its package.
func TestPythonInherits(t *testing.T) {
	site := ".venv/lib/python3.12/site-packages/"
	dir := grow(t, map[string]string{".git/HEAD": "", "pyproject.toml": "[project]\ndependencies=['web']\n", ".venv/pyvenv.cfg": "home = /nowhere/bin\n",
		site + "web-1.0.dist-info/METADATA": "Name: web\nVersion: 1.0\n",
		site + "web-1.0.dist-info/RECORD":   "web/__init__.py,,\nweb/app.py,,\nweb/other.py,,\nweb/_base/__init__.py,,\nweb/_base/core.py,,\n",
		site + "web/__init__.py":            "from .app import App as App\n",
		site + "web/app.py": "import threading\nfrom typing import Generic\nfrom ._base import core\nfrom ._base import Named as _Named\n\nclass App(core.Base['x'], _Named, Generic[T], metaclass=Meta):\n    \"The app.\"\n\n    def start(self): ...\n\n    def stop(self):\n        \"Stops the app.\"\n\n" +
			"class Sub(App):\n    \"Derived.\"\n\nclass Worker(threading.Thread):\n    \"Works.\"\n",
		site + "web/other.py":          "class Thread:\n    \"Not that of threading.\"\n    def unravel(self):\n        \"Unravels.\"\n",
		site + "web/_base/__init__.py": "from .core import Named\n",
		site + "web/_base/core.py": "class Root:\n    def stop(self):\n        \"Stops.\"\n\n    def dive(self, deep: bool):\n        \"Dives.\"\n\n    def quiet(self): ...\n\n    def _own(self):\n        \"Not for others.\"\n\nclass Base(Root):\n    def route(self, rule: str):\n        \"Routes.\"\n\n    def start(self):\n        \"Starts.\"\n\n" +
			"class Named:\n    #: what it is called\n    name: str = ''\n\nclass Loop(Loop, Pool):\n    pass\nclass Pool(Loop):\n    def swim(self):\n        \"Swims.\"\n",
	})
	l := New(Options{Dir: t.TempDir(), Env: []string{"HOME=" + dir, "PATH="}, Wait: time.Minute})
	defer l.Close()
	for query, want := range map[string]string{
		"App.route": "web App.route Routes. core.py:14", "App.start": "web App.start Starts. app.py:9", "App.stop": "web App.stop Stops the app. app.py:11",
		"App.dive": "web App.dive Dives. core.py:5", "App.name": "web App.name what it is called core.py:22",
		"Sub.route": "web.app Sub.route Routes. core.py:14", "Sub.stop": "web.app Sub.stop Stops the app. app.py:11",
	} {
		out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query})
		if len(out.Hits) == 0 {
			t.Errorf("%s: nothing", query)
			continue
		}
		if h := out.Hits[0]; fmt.Sprintf("%s %s %s %s:%d", h.Package, h.Symbol, h.Text, filepath.Base(h.File), h.Line) != want {
			t.Errorf("%s: got %+v, want %s", query, h, want)
		}
	}
	for _, query := range []string{"App.quiet", "App._own", "Worker.unravel"} {
		for _, h := range lookup(t, l, api.DocsQuestion{Dir: dir, Query: query}).Hits {
			if h.Symbol == query {
				t.Errorf("%s is shown: %+v", query, h)
			}
		}
	}
	if hits := lookup(t, l, api.DocsQuestion{Dir: dir, Query: "how to dive"}).Hits; len(hits) != 1 {
		t.Errorf("one method of three classes is shown as %+v", hits)
	}
}
