package arch

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fenced     = regexp.MustCompile("(?s)```.*?```")
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks: the targets of relative links in the repository's pages exist, including
// headings.
func TestLinks(t *testing.T) {
	const root = "../../"
	out, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	if err != nil {
		t.Skip("not a git checkout:", err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(root + name)
		if err != nil {
			t.Error(err)
		}
		return fenced.ReplaceAllString(string(data), "")
	}
	for page := range strings.FieldsSeq(string(out)) {
		for _, m := range linkTarget.FindAllStringSubmatch(read(page), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = path.Join(path.Dir(page), target)
			}
			if _, err := os.Stat(root + file); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if anchor != "" && !slices.Contains(anchors(read(file)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
}

// anchors are the names by which a page's headings can be linked to.
func anchors(page string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return list
}
