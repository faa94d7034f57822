package diag

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

var javaClass = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+(\.[\w$]+)+$`) })

// javaRoots are where Maven and Gradle look for sources, below the project or one
// of its modules.
var javaRoots = []string{"src/*/*", "*/src/*/*", "*/*/src/*/*"}

// javaSource finds the source file of a class below dir: traces of Java have its
// bare name only. file is returned if it isn't there.
func javaSource(dir, class, file string) string {
	if dir == "" || file == "" || strings.ContainsAny(file, `/\*?[`) || !javaClass().MatchString(class) {
		return file
	}
	if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
		return file
	}
	// Directories are names of packages in lower case by convention; the last
	// name, and those of nested classes, are the class.
	parts := strings.Split(class, ".")
	pkg := filepath.Join(parts[:len(parts)-1]...)
	for _, root := range javaRoots {
		// dir may hold characters that mean something in a pattern.
		names, _ := filepath.Glob(filepath.Join(quoteGlob(dir), root, pkg, file))
		for _, name := range names {
			if rel, err := filepath.Rel(dir, name); err == nil {
				return rel
			}
		}
	}
	return file
}

// quoteGlob quotes what means something in a pattern of filepath.Glob.
func quoteGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
