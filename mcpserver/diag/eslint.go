package diag

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// eslintFile is one element of the array that `eslint --format json` writes.
type eslintFile struct {
	Path     string `json:"filePath"`
	Messages []struct {
		Rule     *string `json:"ruleId"`
		Severity int     `json:"severity"`
		Message  string  `json:"message"`
		Line     int     `json:"line"`
		Column   int     `json:"column"`
		EndLine  int     `json:"endLine"`
	} `json:"messages"`
}

// eslintRow is a finding in ESLint's default format ("stylish"), which prints the file
// name on a line before.
var eslintRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s+(\d+):(\d+)\s+(error|warning)\s+(.*?)(?:\s{2,}(\S+))?$`)
})

// eslintUnix is a finding in the format "unix" (until ESLint 8).
var eslintUnix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<message>.*?) \[(?P<severity>Error|Warning)(?:/(?P<code>[^\]]+))?\]$`)
})

// decodeESLint reads ESLint's JSON in report files, and its default and unix formats in
// the output, which a project's scripts print.
func decodeESLint(in Input, rep *Report) error {
	if len(in.Reports) > 0 {
		return eachReport(in.Reports, func(r io.Reader) error { return eslintJSON(r, rep) })
	}
	file := ""
	for raw := range lines(in.Log) {
		l := Clean(string(raw[:min(len(raw), maxPatternLine)]))
		if m := eslintRow().FindStringSubmatch(l); m != nil && file != "" {
			line, _ := strconv.Atoi(m[1])
			column, _ := strconv.Atoi(m[2])
			rep.add(Diagnostic{File: file, Line: line, Column: column, Severity: m[3], Message: m[4], Code: m[5], Source: "eslint"})
			continue
		}
		if m := eslintUnix().FindStringSubmatch(l); m != nil {
			rep.add(fromMatch("eslint", eslintUnix(), m))
			continue
		}
		if l != "" && l[0] != ' ' {
			file = l
		}
	}
	return nil
}

func eslintJSON(r io.Reader, rep *Report) error {
	dec := json.NewDecoder(io.LimitReader(r, maxDocument))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return errors.Join(errors.New("ESLint's JSON is no list"), err)
	}
	for dec.More() { // file by file, so that a report that is cut off keeps its beginning
		var f eslintFile
		if err := dec.Decode(&f); err != nil {
			return fmt.Errorf("ESLint's JSON: %w", err)
		}
		for _, m := range f.Messages {
			d := Diagnostic{File: f.Path, Line: m.Line, Column: m.Column, EndLine: m.EndLine, Message: m.Message, Severity: Warning, Source: "eslint"}
			if m.Severity == 2 {
				d.Severity = Error
			}
			if m.Rule != nil {
				d.Code = *m.Rule
			}
			rep.add(d)
		}
	}
	return nil
}
