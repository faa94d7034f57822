package proc

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// Available returns how much memory the machine can give without swapping, in bytes.
func Available() (uint64, error) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	return available(string(data))
}

// available reads MemAvailable of /proc/meminfo.
func available(meminfo string) (uint64, error) {
	for line := range strings.Lines(meminfo) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 53)
			return kib << 10, err
		}
	}
	return 0, errors.New("/proc/meminfo has no MemAvailable")
}
