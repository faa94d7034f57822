package diag

import (
	"os"
	"path/filepath"
	"testing"
)

// eslintStylish was printed by eslint 9.
const eslintStylish = `
/p/a.js
  1:7   warning  'a' is assigned a value but never used  no-unused-vars
  1:11  error    'b' is not defined                      no-undef

/p/sub/b.js
  3:1  error  Parsing error: Unexpected token

✖ 3 problems (2 errors, 1 warning)
`

const eslintReport = `[{"filePath":"/p/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"'b' is not defined.","line":1,"column":11,"endLine":1},` +
	`{"ruleId":null,"severity":1,"message":"odd"}],"errorCount":1},{"filePath":"/p/c.js","messages":[]}]`

func TestESLint(t *testing.T) {
	rep := decode(t, decodeESLint, eslintStylish)
	want := []Diagnostic{
		{File: "a.js", Line: 1, Column: 7, Severity: Warning, Code: "no-unused-vars", Message: "'a' is assigned a value but never used", Source: "eslint"},
		{File: "a.js", Line: 1, Column: 11, Severity: Error, Code: "no-undef", Message: "'b' is not defined", Source: "eslint"},
		{File: "sub/b.js", Line: 3, Column: 1, Severity: Error, Message: "Parsing error: Unexpected token", Source: "eslint"},
	}
	if len(rep.Diagnostics) != len(want) {
		t.Fatalf("got %+v", rep.Diagnostics)
	}
	for i, d := range rep.Diagnostics {
		if d != want[i] {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, []byte(eslintReport), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := Decode(decodeESLint, Input{Dir: "/p", Reports: []string{file}})
	if err != nil || len(rep.Diagnostics) != 2 || rep.Diagnostics[0] != (Diagnostic{File: "a.js", Line: 1, Column: 11, EndLine: 1, Severity: Error, Code: "no-undef", Message: "'b' is not defined.", Source: "eslint"}) {
		t.Errorf("%+v, %v", rep.Diagnostics, err)
	}
}
