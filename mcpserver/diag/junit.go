package diag

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	junit "github.com/joshdk/go-junit"
)

// maxXMLDepth bounds the nesting of a JUnit document: the library copies the
// inside of every element, so its cost is depth times size.
const maxXMLDepth = 16

// decodeJUnit reads JUnit XML from the report files, or, if there are none, from the
// log from its first line that begins with "<".
func decodeJUnit(in Input, rep *Report) error {
	if len(in.Reports) == 0 {
		return junitFrom(in.Dir, in.Log, rep)
	}
	return eachReport(in.Reports, func(r io.Reader) error { return junitFrom(in.Dir, r, rep) })
}

func junitFrom(dir string, r io.Reader, rep *Report) error {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return err
	}
	if len(data) > maxDocument {
		return fmt.Errorf("JUnit: more than %d MiB", maxDocument>>20)
	}
	data = mendXML(data)
	if !bytes.HasPrefix(data, []byte("<")) {
		_, rest, found := bytes.Cut(data, []byte("\n<"))
		if !found {
			return errors.New("no JUnit XML in the output")
		}
		data = append([]byte("<"), rest...)
	}
	data, bare, broken := checkXML(data)
	if data == nil {
		return fmt.Errorf("JUnit: %w", broken)
	}
	if bare { // Node's reporter; the library looks for tests inside suites only
		data = bytes.Replace(data, []byte("<testsuites"), []byte("<testsuite"), 1)
		if i := bytes.LastIndex(data, []byte("</testsuites")); i >= 0 {
			data = append(data[:i+len("</testsuite")], data[i+len("</testsuites"):]...)
		}
	}
	suites, err := junit.Ingest(data)
	if err != nil {
		return fmt.Errorf("JUnit: %w", err)
	}
	for _, s := range suites {
		junitSuite(dir, s, rep)
	}
	if broken != nil {
		return fmt.Errorf("JUnit: the report is broken, what comes before that counts: %w", broken)
	}
	return nil
}

// checkXML refuses documents that would make the library panic: it parses in a
// goroutine of its own, where a panic cannot be contained. Of a document that is cut
// off, by a killed run for example, it returns the part up to the last complete test
// case, closed; nil if there is none. bare: test cases stand in <testsuites> itself,
// outside any suite.
func checkXML(data []byte) (doc []byte, bare bool, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	inSuites := false
	var open, openThen []string
	whole := int64(0) // offset after the last complete test case, and the elements open there
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return data, bare, nil
		}
		if err != nil {
			if whole == 0 {
				return nil, false, err
			}
			doc = append([]byte{}, data[:whole]...)
			for i := len(openThen) - 1; i >= 0; i-- {
				doc = append(doc, "</"+openThen[i]+">"...)
			}
			return doc, bare, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			bare = bare || len(open) == 1 && inSuites && tok.Name.Local == "testcase"
			if len(open) == 0 {
				inSuites = tok.Name.Local == "testsuites"
			}
			if open = append(open, tok.Name.Local); len(open) > maxXMLDepth {
				return nil, false, errors.New("elements are nested too deeply")
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			if tok.Name.Local == "testcase" {
				whole, openThen = dec.InputOffset(), append(openThen[:0], open...)
			}
		}
	}
}

func junitSuite(dir string, s junit.Suite, rep *Report) {
	for _, t := range s.Tests {
		switch t.Status {
		case junit.StatusSkipped:
			rep.tests().Skipped++
		case junit.StatusFailed, junit.StatusError:
			f := junitFailure(t)
			f.File = javaSource(dir, t.Classname, f.File)
			rep.fail(f)
		default:
			rep.tests().Passed++
		}
	}
	for _, inner := range s.Suites {
		junitSuite(dir, inner, rep)
	}
}

// testPlace finds locations in stack traces: Python's File "x", line n; pytest's and
// most others' x.ext:n; Node's (file:///x:n:m); Java's (X.java:n).
var testPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`File "([^"]+)", line (\d+)|(?:file://)?((?:[\w@./+-]*)[\w@+-]+\.[A-Za-z]{1,5}):(\d+)\b`)
})

func junitFailure(t junit.Test) TestFailure {
	f := TestFailure{Name: t.Name, Message: t.Message}
	if t.Classname != "" && t.Classname != "test" && !strings.HasPrefix(t.Name, t.Classname) {
		f.Name = t.Classname + " " + t.Name
	}
	var body strings.Builder
	if t.Error != nil {
		body.WriteString(t.Error.Error())
	}
	if f.Message == "" {
		f.Message = firstTelling(body.String())
	}
	f.File = t.Properties["file"]
	f.Line, _ = strconv.Atoi(t.Properties["line"])
	if f.Line == 0 {
		f.File, f.Line = tracePlace(body.String(), t, f.File)
	}
	for _, out := range []string{t.SystemOut, t.SystemErr} {
		if out != "" {
			body.WriteString("\n" + out)
		}
	}
	f.Output = body.String()
	return f
}

// tracePlace picks the location in a stack trace that most likely is the test's own:
// one in the file that the report names, or named like the class; else the last one in
// Python's order (which ends with the innermost frame), and the first one otherwise.
func tracePlace(trace string, t junit.Test, file string) (string, int) {
	trace = head(trace, 64<<10)
	class := t.Classname[strings.LastIndexByte(t.Classname, '.')+1:]
	best, line := file, 0
	for _, m := range testPlace().FindAllStringSubmatch(trace, 200) {
		name, at := m[3], m[4]
		if m[1] != "" {
			name, at = m[1], m[2]
		}
		n, _ := strconv.Atoi(at)
		base := name[strings.LastIndexByte(name, '/')+1:]
		own := file != "" && strings.HasSuffix(file, base) || class != "" && strings.HasPrefix(base, class+".")
		if own {
			if file != "" {
				name = file
			}
			return name, n
		}
		if (line == 0 || m[1] != "") && file == "" && !strings.Contains(name, "node:") {
			best, line = name, n
		}
	}
	return best, line
}
