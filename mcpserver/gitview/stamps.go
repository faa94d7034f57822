package gitview

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxStamps is how many files Stamps looks at.
const maxStamps = 50000

// Stamp tells two versions of a file apart.
type Stamp struct {
	modified, size int64
	mode           fs.FileMode
}

// Stamps are those of all files below the directory that git does not ignore, by their path.
// A commit changes none of them.
func (v *View) Stamps(ctx context.Context) (map[string]Stamp, error) {
	out, cut, err := v.run(ctx, "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	if cut || strings.Count(out, "\x00") > maxStamps {
		return nil, fmt.Errorf("there are more than %d files that git does not ignore: add what is built to .gitignore, or name a smaller project", maxStamps)
	}
	stamps := map[string]Stamp{}
	for name := range strings.SplitSeq(out, "\x00") {
		info, err := os.Lstat(filepath.Join(v.dir, filepath.FromSlash(name)))
		if err == nil && !info.IsDir() { // a folder is another repository
			stamps[name] = Stamp{info.ModTime().UnixNano(), info.Size(), info.Mode()}
		}
	}
	return stamps, nil
}
