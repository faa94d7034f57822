package proc

import (
	"bytes"
	"context"
	"os"
	"strconv"
)

// processes reads proc(5): parent and resident pages of /proc/PID/stat. A process that
// ends meanwhile is left out.
func processes(ctx context.Context) ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	const parentField, rssField = 4 - 3, 24 - 3
	page := int64(os.Getpagesize())
	var out []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(fields) <= rssField {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[parentField]))
		pages, _ := strconv.ParseInt(string(fields[rssField]), 10, 64)
		out = append(out, Process{pid, parent, pages * page})
	}
	return out, nil
}
