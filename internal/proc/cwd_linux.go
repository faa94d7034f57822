package proc

import (
	"os"
	"strconv"
)

// CWD returns the working directory of a process of this user. One that was deleted is not
// returned.
func CWD(pid int) (string, error) {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err != nil { // "… (deleted)"
		return "", err
	}
	return dir, nil
}
