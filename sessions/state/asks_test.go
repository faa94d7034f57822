package state

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestFoldAsks: what a waiting session asks about, and what would end that, for each
// kind of dialog.
func TestFoldAsks(t *testing.T) {
	begin := []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle), hook(api.KindPrompt, working, "", working)}
	uses := append(begin[:3:3], hook(api.KindToolBegins, working, `tool=Bash input={"command":"ls"}`, working))
	request := hook(api.KindDialog, permission, `tool=Bash question=Bash:_ls input={"command":"ls"}`, permission)
	for name, c := range map[string]struct {
		steps       []step
		tool, input string
		ends        string // a part of what would end it
	}{
		"permission":         {append(uses[:4:4], request), "Bash", `{"command":"ls"}`, "ccdir approve"},
		"without a status":   {append(uses[:4:4], request), "Bash", `{"command":"ls"}`, "the screen"},
		"question":           {append(begin[:3:3], hook(api.KindToolBegins, input, `tool=AskUserQuestion input={"questions":[]}`, input)), "AskUserQuestion", `{"questions":[]}`, "an answer in the pane"},
		"told by the status": {append(uses[:4:4], psp("state=blocked kind=permission msg=approve", permission, permission)), "Bash", `{"command":"ls"}`, "status working"},
		"told by the file": {append(uses[:4:4], step{source: api.SourceFile, name: "file", says: permission, fields: "status=waiting waiting_for=permission", want: permission}),
			"Bash", `{"command":"ls"}`, "the session file"},
		"trust":                 {[]step{process(EvidenceStarted, starting), psp("state=blocked kind=permission msg=trust", permission, permission)}, "", "", "status working"},
		"a panel":               {append(begin[:2:2], step{source: api.SourceFile, name: "file", says: input, fields: "status=waiting waiting_for=dialog_open", want: input}), "", "", "the end of the panel"},
		"a server's":            {append(begin[:3:3], hook(api.KindQuestion, input, "question=name?", input)), "", "", "an answer in the pane"},
		"a tool of ccdir's":     {append(begin[:3:3], step{source: api.SourceDelivery, name: EvidenceAsksPerson, says: input, fields: "question=which?", want: input}), "", "", "ccdir answer"},
		"of two dialogs":        {append(uses[:4:4], hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission), hook(api.KindDialog, permission, "tool=Bash agent_id=b", permission)), "Bash", "", "the next of 2"},
		"a long input":          {append(uses[:4:4], hook(api.KindDialog, permission, "tool=Write", permission)), "Write", "", "ccdir approve"},
		"input that is no JSON": {append(uses[:4:4], hook(api.KindDialog, permission, "tool=Bash input={x", permission)), "Bash", "", "ccdir approve"},
		"it works":              {uses, "", "", "a dialog or question"},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			for i, s := range c.steps {
				e := s.evidence(time.Duration(i+1) * time.Second)
				if e.Fields["waiting_for"] != "" {
					e.Fields["waiting_for"] = strings.ReplaceAll(e.Fields["waiting_for"], "_", " ")
				}
				if f = f.Apply(e); f.State != s.want {
					t.Fatalf("step %d, %s: %s by rule %s, want %s", i, s.name, f.State, f.Rule, s.want)
				}
			}
			if tool, in := f.AsksAbout(); tool != c.tool || string(in) != c.input {
				t.Errorf("asks about %q %s, want %q %s", tool, in, c.tool, c.input)
			}
			x := f.Explain("s")
			if ends := strings.Join(x.Changes, "\n"); !strings.Contains(ends, c.ends) || !strings.Contains(ends, "exited") {
				t.Errorf("would change: %s", ends)
			}
			if _, told := x.Winner.Fields[FieldInput]; told {
				t.Error("the explanation tells the input")
			}
		})
	}
}
