package diag

import (
	"strings"
	"testing"
)

// mocha is what Mocha 11's reporter xunit wrote.
const mocha = `<testsuite name="Mocha Tests" tests="3" failures="0" errors="1" skipped="1" timestamp="Sat, 21 Nov 2026 13:29:26 GMT" time="0.008">
<testcase classname="" name="good" file="/src/p/test/a.js" time="0"/>
<testcase classname="" name="bad" file="/src/p/test/a.js" time="0"><failure>no
Error: no
    at Context.&#x3C;anonymous&#x3E; (test/a.js:3:9)
    at process.processImmediate (node:internal/timers:483:21)</failure></testcase>
<testcase classname="" name="later" file="/src/p/test/a.js" time="0"><skipped/></testcase>
</testsuite>
`

func TestMocha(t *testing.T) {
	d, _ := Lookup("junit")
	rep, err := Decode(d, Input{Log: strings.NewReader(mocha), Dir: "/src/p"})
	if err != nil || rep.Tests.Passed != 1 || rep.Tests.Failed != 1 || rep.Tests.Skipped != 1 {
		t.Fatalf("%+v, %v", rep.Tests, err)
	}
	if f := rep.Tests.Failures[0]; f.Name != "bad" || f.File != "test/a.js" || f.Line != 3 || f.Message != "no" {
		t.Errorf("%+v", f)
	}
}
