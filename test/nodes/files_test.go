package nodes

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// walk calls f for each file below dir that is not too large.
func walk(dir string, f func(path string, data []byte)) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // it ended meanwhile
		}
		if data, err := os.ReadFile(path); err == nil {
			f(path, data)
		}
		return nil
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
