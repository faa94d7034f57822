package adapters

import (
	"path/filepath"
	"regexp"
	"sync"

	"ccdir/agents"
	"ccdir/api"
)

// Screens are rules for the screens of a program that reports its state in no other way, by
// the program's name.
type Screens struct {
	Title, Install string
	// Tested is the version whose screens prove the rules (testdata/screens); "": the rules
	// follow the program's source and were not tried.
	Tested string
	Rules  []agents.ScreenRule
}

// knownScreens are the programs whose screens are known. Compiled at first use.
var knownScreens = sync.OnceValue(func() map[string]Screens {
	rule := func(state api.State, lines int, pattern string) agents.ScreenRule {
		return agents.ScreenRule{State: state, Lines: lines, Match: regexp.MustCompile(`(?m)` + pattern)}
	}
	return map[string]Screens{
		"qwen": {Title: "Qwen Code", Install: "npm install -g @qwen-code/qwen-code", Tested: "0.24.4", Rules: []agents.ScreenRule{
			rule(api.StatePermission, 24, `^ *(?P<question>Allow execution of: .*\?|Apply this change\?)[ █│]*\n(?:.*\n){1,3} *›? *1\. Yes, allow once(?:.*\n)+ *\d\. No, suggest changes \(esc\)`),
			rule(api.StateWorking, 10, `^ *\S .*\(.*esc to cancel\)`),
		}},
		"aider": {Title: "Aider", Install: "pip install aider-install && aider-install", Rules: []agents.ScreenRule{
			rule(api.StatePermission, 2, `^(?P<question>.*\?) \(Y\)es/\(N\)o.*\[(?:Yes|No)\]: *\n\z`),
			rule(api.StateIdle, 1, `^(?:[a-z]+ ?){0,2}> *\n\z`),
		}},
		"goose": {Title: "Goose", Install: "see github.com/block/goose", Rules: []agents.ScreenRule{
			rule(api.StatePermission, 8, `(?P<question>Goose would like to call the above tool.*\?)`),
			rule(api.StateIdle, 1, `^\( ?O\)> *\n\z`),
		}},
	}
})

// ScreensOf are the rules for a command, which may be a path; false if its screens are not
// known.
func ScreensOf(command string) (Screens, bool) {
	s, ok := knownScreens()[filepath.Base(command)]
	return s, ok
}
