package taskfile

import (
	"fmt"
	"strings"

	"ccdir/api"
)

// Place adds file and line to the queue's error about tasks of a file. The queue's error
// begins with the task's name or number, or with neither if it was the only task. Other
// errors are returned unchanged.
func Place(file string, lines []int, list []api.NewTask, err error) error {
	if err == nil || len(lines) != len(list) {
		return err
	}
	text := err.Error()
	if len(list) == 1 {
		return &Problem{file, lines[0], text}
	}
	for i, n := range list {
		labels := []string{fmt.Sprintf("task %d", i+1)}
		if n.Name != "" {
			labels = append(labels, n.Name)
		}
		for _, label := range labels {
			if rest, ok := strings.CutPrefix(text, label+": "); ok {
				return &Problem{file, lines[i], rest}
			}
			if _, loop, ok := strings.Cut(text, "form a cycle: "); ok && strings.HasPrefix(loop, label+" → ") {
				return &Problem{file, lines[i], text}
			}
		}
	}
	return err
}
