package diag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// surefire is what Maven's surefire 2.22.3 wrote, without its properties.
const surefire = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="p.ATest" time="0.529" tests="3" errors="0" skipped="1" failures="1">
  <testcase name="adds" classname="p.ATest" time="0.033"/>
  <testcase name="fails" classname="p.ATest" time="0.019">
    <failure message="one and two expected:&lt;4&gt; but was:&lt;3&gt;" type="java.lang.AssertionError"><![CDATA[java.lang.AssertionError: one and two expected:<4> but was:<3>
	at p.ATest.fails(ATest.java:15)
]]></failure>
  </testcase>
  <testcase name="skipped" classname="p.ATest" time="0">
    <skipped message="later"/>
  </testcase>
</testsuite>
`

func TestSurefire(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	source := "module/src/test/java/p/ATest.java"
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(source)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, source), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Lookup("junit")
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Decode(d, Input{Log: strings.NewReader(surefire), Dir: dir})
	if err != nil || rep.Tests == nil || rep.Tests.Passed != 1 || rep.Tests.Failed != 1 || rep.Tests.Skipped != 1 {
		t.Fatalf("%+v %v", rep, err)
	}
	if f := rep.Tests.Failures[0]; f.File != source || f.Line != 15 {
		t.Errorf("%+v", f)
	}
	for class, want := range map[string]string{"p.ATest": source, "q.ATest": "ATest.java", "../p.ATest": "ATest.java", "ATest": "ATest.java", "p.*": "ATest.java"} {
		if got := javaSource(dir, class, "ATest.java"); got != want {
			t.Errorf("%s: %s", class, got)
		}
	}
	for _, file := range []string{"", "*", "../ATest.java", "B.java"} {
		if got := javaSource(dir, "p.ATest", file); got != file {
			t.Errorf("%s: %s", file, got)
		}
	}
}
