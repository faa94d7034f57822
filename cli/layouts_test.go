package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestLayoutsPage: the file that docs/layouts.md shows is the one that the script layouts.txtar opens.
func TestLayoutsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/layouts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	script, err := txtar.ParseFile("testdata/script/layouts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "shop/shop.toml" && string(f.Data) == example {
			return
		}
	}
	t.Errorf("the script does not open the page's example:\n%s", example)
}
