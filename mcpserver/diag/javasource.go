package diag

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

var javaClass = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+(\.[\w$]+)+$`) })

// javaRoots are the directories of sources of Maven and Gradle, below the project or
// one of its modules.
var javaRoots = []string{"src/*/*", "*/src/*/*", "*/*/src/*/*"}

// javaSource finds the source file of a class below dir: Java's stack traces have its
// base name only. It returns file if there is none.
func javaSource(dir, class, file string) string {
	if dir == "" || file == "" || strings.ContainsAny(file, `/\*?[`) || !javaClass().MatchString(class) {
		return file
	}
	if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
		return file
	}
	// By convention packages are lower case; the last name, and those of nested
	// classes, are the class.
	parts := strings.Split(class, ".")
	pkg := filepath.Join(parts[:len(parts)-1]...)
	for _, root := range javaRoots {
		// dir may hold special characters of a glob.
		names, _ := filepath.Glob(filepath.Join(quoteGlob(dir), root, pkg, file))
		for _, name := range names {
			if rel, err := filepath.Rel(dir, name); err == nil {
				return rel
			}
		}
	}
	return file
}

// quoteGlob escapes the special characters of filepath.Glob.
func quoteGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
