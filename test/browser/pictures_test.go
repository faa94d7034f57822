package browser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"ccdir/api"
	"ccdir/test/realcli"
)

// pictures makes the pictures of docs/web.md.
var pictures = flag.Bool("pictures", false, "write docs/pictures/page-*.png")

// testPictures writes pictures of the pages, on a phone in the light and on a desk in the dark; put "light dark" to see all.
// They look right where fonts have all signs (fonts-noto-color-emoji, fonts-symbola).
func testPictures(t *testing.T, b *browser) {
	if !*pictures {
		t.Skip("with -pictures only")
	}
	r := newRig(t, b)
	dir := filepath.Join(realcli.Root(t), "docs", "pictures")
	r.State(r.ctx, r.start("docs", "say The pages describe all options now."), api.StateIdle)
	id := r.start("parser", "tool Grep func parse", "say The parser drops the last token when the input ends without a newline.\nI added a test for it.")
	r.State(r.ctx, id, api.StateIdle)
	q := r.asking("makefile", "say The generated files are stale: I will remove and rebuild them.", "permit Bash rm -rf build/ && make generate")
	p := r.device(api.WebType)
	for _, size := range []struct {
		name, schemes string
		w, h          int64
	}{{"phone", "light", 390, 844}, {"desk", "dark", 1440, 900}} {
		if size.name == "phone" {
			p.do(chromedp.EmulateViewport(size.w, size.h, chromedp.EmulateMobile, chromedp.EmulateTouch))
		} else {
			p = r.device(api.WebType) // a desk that is not touched
			p.do(chromedp.EmulateViewport(size.w, size.h))
		}
		for _, scheme := range strings.Fields(size.schemes) {
			p.scheme(scheme)
			for _, c := range []struct{ name, path, see string }{
				{"sessions", "/", "makefile"}, {"approval", "/approvals/" + q.ID, "Allow once"}, {"session", "/sessions/" + id, "I added a test"}, {"terminal", "/sessions/" + id + "/terminal", "only looking"},
			} {
				p.open(r.url + c.path)
				p.sees(c.see)
				if c.name == "terminal" {
					p.screen("parser drops")
				}
				data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%s-%s.png", c.name, size.name)), data, 0o644); err != nil { //nolint:gosec // part of the repository
					t.Fatal(err)
				}
			}
		}
	}
}
