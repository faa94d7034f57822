package diag

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// sarifLog is the part of SARIF 2.1.0 (OASIS standard) that is used.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name string `json:"name"`
			} `json:"driver"`
		} `json:"tool"`
		Results []struct {
			RuleID  string `json:"ruleId"`
			Level   string `json:"level"`
			Kind    string `json:"kind"`
			Message struct {
				Text     string `json:"text"`
				Markdown string `json:"markdown"`
			} `json:"message"`
			Locations []struct {
				Physical struct {
					Artifact struct {
						URI string `json:"uri"`
					} `json:"artifactLocation"`
					Region struct {
						StartLine   int `json:"startLine"`
						StartColumn int `json:"startColumn"`
						EndLine     int `json:"endLine"`
					} `json:"region"`
				} `json:"physicalLocation"`
			} `json:"locations"`
		} `json:"results"`
	} `json:"runs"`
}

// decodeSARIF reads SARIF documents from the report files, or from the log if there are
// none; lines before the document are skipped.
func decodeSARIF(in Input, rep *Report) error {
	if len(in.Reports) == 0 {
		return sarifFrom(in.Log, rep)
	}
	return eachReport(in.Reports, func(r io.Reader) error { return sarifFrom(r, rep) })
}

// eachReport reads the files in turn: all of them, and joins the errors.
func eachReport(files []string, read func(io.Reader) error) error {
	var all []error
	for _, name := range files {
		f, _, err := untrusted.Open(name)
		if err == nil {
			err = read(f)
			f.Close()
		}
		if err != nil {
			all = append(all, fmt.Errorf("report %s: %w", name, err))
		}
	}
	return errors.Join(all...)
}

func sarifFrom(r io.Reader, rep *Report) error {
	br, ok := jsonFrom(io.LimitReader(r, maxDocument))
	if !ok {
		return errors.New("no SARIF document in the output")
	}
	var doc sarifLog
	if err := json.NewDecoder(br).Decode(&doc); err != nil {
		return fmt.Errorf("SARIF: %w", err)
	}
	for _, run := range doc.Runs {
		for _, res := range run.Results {
			d := Diagnostic{Code: res.RuleID, Source: run.Tool.Driver.Name, Severity: sarifLevel(res.Level, res.Kind), Message: res.Message.Text}
			if d.Message == "" {
				d.Message = res.Message.Markdown
			}
			if len(res.Locations) > 0 {
				p := res.Locations[0].Physical
				d.File = p.Artifact.URI
				if u, err := url.PathUnescape(d.File); err == nil {
					d.File = u
				}
				d.Line, d.Column, d.EndLine = p.Region.StartLine, p.Region.StartColumn, p.Region.EndLine
			}
			rep.add(d)
		}
	}
	return nil
}

// sarifLevel: section 3.27.10 has "warning" as the default, "none" for kinds
// other than fail.
func sarifLevel(level, kind string) string {
	switch {
	case level != "":
		return strings.ToLower(level)
	case kind != "" && kind != "fail":
		return Info
	}
	return Warning
}
