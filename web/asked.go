package web

import (
	"encoding/json"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/toolinput"
)

// part is one piece of what an agent asks for. Nothing of an input is hidden, since a person decides
// by it.
type part struct {
	// Label is above it, "" for none.
	Label string
	// Text is shown as it stands; Main: it matters most. Lines are a difference.
	Text  string
	Main  bool
	Lines []toolinput.Line
}

// asked is an open request as pages show it.
type asked struct {
	api.Request
	Name, Agent, Task, Prompt, ModeNow string
	Parts                              []part
	// Asks are the questions that take an answer here.
	Asks []question
	// Elsewhere: it can be answered in its pane alone.
	Elsewhere bool
	// Always: there is a rule that would allow it always.
	Always bool
}

// question is one of the questions of a request.
type question struct {
	toolinput.Question
	// Name is that of its fields in the form.
	Name string
	// Free: a text of one's own is taken, too.
	Free bool
}

// askedOf is a request as pages show it, with the session that asks.
func askedOf(r api.Request, v api.Session) asked {
	a := asked{Request: r, Name: short(v.Name, maxHeadline), Agent: short(v.AgentLine(), maxHeadline), Task: v.Task,
		Prompt: short(v.Prompt, maxHeadline), ModeNow: modeWord(v.PermissionMode)}
	if a.Name == "" {
		a.Name = short(r.SessionName, maxHeadline)
	}
	if r.Mode != "" {
		a.ModeNow = modeWord(r.Mode)
	}
	a.Parts = partsOf(r)
	a.Asks = questionsOf(r)
	a.Elsewhere = r.Kind == api.RequestQuestion && len(a.Asks) == 0
	a.Always = r.Kind == api.RequestPermission && r.AlwaysRule != "" && len(r.Scopes) > 0
	return a
}

// mainKeys are the fields that matter most: they come first.
var mainKeys = map[string]bool{"command": true, "file_path": true, "notebook_path": true, "url": true, "query": true, "pattern": true}

// partsOf takes a request's input apart: the command, the file, the site first, an edit as what goes
// and what comes, a plan and a question as their texts, every other field as it stands.
func partsOf(r api.Request) (parts []part) {
	fields, ok := toolinput.Fields(r.Input)
	switch {
	case !ok && (len(r.Input) == 0 || string(r.Input) == "null"):
		return []part{{Text: r.Question, Main: true}, {Label: "Its input is too large to be shown here: look at the pane."}}
	case !ok:
		return []part{{Text: string(r.Input)}}
	}
	edits, told := toolinput.Edits(fields)
	switch r.Kind {
	case api.RequestQuestion:
		told = map[string]bool{"question": true, "questions": true, "choices": true}
		if len(questionsOf(r)) == 0 {
			told = nil
		}
	case api.RequestPlan:
		if plan := toolinput.Member(r.Input, "plan"); plan != "" {
			parts, told = append(parts, part{Text: plan, Main: true}), map[string]bool{"plan": true}
		}
	}
	for _, first := range []bool{true, false} {
		for _, f := range fields {
			if mainKeys[f.Key] == first && !told[f.Key] {
				parts = append(parts, fieldParts(f, first)...)
			}
		}
		if first {
			parts = append(parts, editParts(edits)...)
		}
	}
	if len(parts) == 0 && r.Kind != api.RequestQuestion {
		parts = []part{{Label: "without input"}}
	}
	return parts
}

// fieldParts shows one field.
func fieldParts(f toolinput.Field, main bool) []part {
	if f.Key == "files" {
		if files, ok := toolinput.Patch(f.Value); ok {
			var parts []part
			for _, file := range files {
				label := file.Change + " " + file.Path
				if file.MoveTo != "" {
					label += ", and move to " + file.MoveTo
				}
				parts = append(parts, part{Label: textsafe.Line(label), Main: true})
				var edits []toolinput.Edit
				for _, e := range file.Edits {
					edits = append(edits, toolinput.Edit{Old: &e.Old, New: &e.New})
				}
				parts = append(parts, editParts(edits)...)
			}
			return parts
		}
	}
	text, isText := f.Text()
	switch {
	case !isText:
		text = pretty(f.Value)
	case f.Key == "content" || f.Key == "new_source":
		return []part{{Label: textsafe.Line(f.Key), Lines: []toolinput.Line{{Kind: toolinput.Added, Text: text}}}}
	}
	return []part{{Label: textsafe.Line(f.Key), Text: text, Main: main}}
}

// pretty sets JSON in lines.
func pretty(data json.RawMessage) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil || !strings.ContainsAny(string(data), "{[") {
		return string(data)
	}
	return string(out)
}

func editParts(edits []toolinput.Edit) (parts []part) {
	for _, e := range edits {
		label := "changes"
		if e.All {
			label = "changes, everywhere in the file"
		}
		parts = append(parts, part{Label: label, Lines: e.Diff()})
	}
	return parts
}

// questionsOf are the questions of a request that take an answer here.
func questionsOf(r api.Request) (list []question) {
	if r.Kind != api.RequestQuestion {
		return nil
	}
	own := toolinput.Questions(r.Input)
	switch {
	case r.Questions > 0 && len(own) == r.Questions:
		for i, q := range own {
			list = append(list, question{Question: q, Name: fieldName(i), Free: true})
		}
	case len(r.Choices) > 0 || r.Origin == api.OriginMCP:
		q := question{Question: toolinput.Question{Text: r.Question, Multiple: r.Multiple}, Name: fieldName(0), Free: len(r.Choices) == 0}
		if text := toolinput.Member(r.Input, "question"); text != "" {
			q.Text = text // the request has its beginning alone
		}
		for _, choice := range r.Choices {
			q.Options = append(q.Options, toolinput.Option{Label: choice})
		}
		list = append(list, q)
	}
	return list
}

// fieldName is the name of a question's field in a form, and the value of its choice i.
func fieldName(i int) string { return "q" + strconv.Itoa(i) }

// textOf is the answer to the questions of a request that a form gives: a line for each question, or
// for a single one a line for each choice. Values of choices are their places.
func textOf(questions []question, form map[string][]string) (string, error) {
	var lines []string
	for _, q := range questions {
		var chosen []string
		for _, v := range form[q.Name] {
			i := -1
			for n := range q.Options {
				if v == fieldName(n) {
					i = n
				}
			}
			if i < 0 {
				return "", api.Errorf(api.CodeInvalid, "the answer names a choice that is not there: open the page again")
			}
			chosen = append(chosen, textsafe.Line(q.Options[i].Label))
		}
		free := ""
		if own := form[q.Name+"t"]; q.Free && len(own) > 0 {
			free = strings.TrimSpace(strings.ReplaceAll(own[0], "\r\n", "\n"))
		}
		switch {
		case len(questions) == 1 && free != "" && len(q.Options) == 0:
			return free, nil
		case free != "":
			chosen = append(chosen, strings.Join(strings.Fields(free), " "))
		}
		if len(chosen) == 0 {
			return "", api.Errorf(api.CodeInvalid, "choose an answer to %q, or deny the request", short(q.Text, maxHeadline))
		}
		if len(questions) == 1 {
			return strings.Join(chosen, "\n"), nil
		}
		lines = append(lines, strings.Join(chosen, ", "))
	}
	return strings.Join(lines, "\n"), nil
}
