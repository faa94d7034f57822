package diag

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// jestReport is the output of `jest --json --outputFile`, and of vitest with its
// reporter json.
type jestReport struct {
	Suites []struct {
		File string `json:"name"`
		// Message says why the suite did not run, if there are no results.
		Message string `json:"message"`
		Status  string `json:"status"`
		Results []struct {
			Name     string   `json:"fullName"`
			Status   string   `json:"status"`
			Messages []string `json:"failureMessages"`
		} `json:"assertionResults"`
	} `json:"testResults"`
}

// jsFrame is a frame of a stack trace: at f (/dir/a.test.js:3:4).
var jsFrame = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s+at (?:.*\()?(?:file://)?([^():\s]+):(\d+):\d+\)?$`)
})

// decodeJest reads the report files, or the output from its first line that begins with
// a brace.
func decodeJest(in Input, rep *Report) error {
	if len(in.Reports) > 0 {
		return eachReport(in.Reports, func(r io.Reader) error { return jestFrom(r, rep) })
	}
	r, ok := jsonFrom(in.Log)
	if !ok {
		return errors.New("no report of Jest in the output")
	}
	return jestFrom(r, rep)
}

func jestFrom(r io.Reader, rep *Report) error {
	var doc jestReport
	if err := json.NewDecoder(io.LimitReader(r, maxDocument)).Decode(&doc); err != nil {
		return fmt.Errorf("Jest's JSON: %w", err)
	}
	rep.tests()
	for _, s := range doc.Suites {
		if len(s.Results) == 0 && s.Status == "failed" {
			f := TestFailure{Name: rep.relative(s.File), Output: Clean(s.Message)}
			f.File, f.Line = jestPlace(f.Output, s.File)
			f.Message, _, _ = strings.Cut(strings.ReplaceAll(f.Output, "● ", ""), "\n      at ")
			rep.fail(f)
		}
		for _, t := range s.Results {
			switch t.Status {
			case "passed":
				rep.tests().Passed++
			case "failed":
				f := TestFailure{Name: t.Name, Output: Clean(strings.Join(t.Messages, "\n"))}
				f.File, f.Line = jestPlace(f.Output, s.File)
				f.Message, _, _ = strings.Cut(f.Output, "\n    at ")
				rep.fail(f)
			default: // pending, skipped, todo, disabled
				rep.tests().Skipped++
			}
		}
	}
	return nil
}

// jestPlace is the first frame in the test's own file.
func jestPlace(trace, file string) (string, int) {
	for _, m := range jsFrame().FindAllStringSubmatch(trace, 200) {
		if m[1] == file {
			n, _ := strconv.Atoi(m[2])
			return file, n
		}
	}
	return file, 0
}
