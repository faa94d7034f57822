package listen

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ccdir/daemon/httpapi/access"
	"ccdir/internal/disk/atomicfile"
)

// minToken is the least length of a token from the file, in bytes.
const minToken = 32

// APIToken reads the API's token from its file, or makes both. Only the user may have
// access to the file.
func APIToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var random [32]byte
		_, _ = rand.Read(random[:]) // never fails
		token := access.NewToken(random[:])
		return token, atomicfile.Replace(path, []byte(token+"\n"))
	}
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the token file %s must be a file of yours alone: chmod 600, or remove it and a new one is made", path)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minToken || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' || c == ',' }) {
		return "", fmt.Errorf("the token file %s has no good token (%d characters or more): remove it and a new one is made", path, minToken)
	}
	return token, nil
}
