package answer

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
)

// ownQuestion is a question of an agent's own dialog.
func ownQuestion(input string, choices ...string) api.Request {
	q := permission("r1", "bbbb2222", "AskUserQuestion", input, 1)
	q.Kind, q.Question, q.Choices, q.AlwaysRule = api.RequestQuestion, "Which…", choices, ""
	q.Questions = strings.Count(input, `"question":`)
	return q
}

const whichDatabase = `{"questions":[{"question":"Which of these many databases do you want me to use for the new service?","options":[
	{"label":"PostgreSQL 16 with logical replication","description":"a server of its own"},
	{"label":"SQLite in a file beside the program","description":"no server at all"},
	{"label":"MySQL","description":"MySQL"},
	{"label":"none of them","description":"files are enough"}]}]}`

// TestQuestionInWords: an agent's own dialog takes other words than its choices, and so
// does the bar.
func TestQuestionInWords(t *testing.T) {
	q := ownQuestion(whichDatabase, "PostgreSQL 16 with logical replication", "SQLite in a file beside the program", "MySQL", "none of them")
	r, c := asked(t, q)
	r.Shows("Which of these many databases", "a server of its own", "no server at all", "files are enough", "[e]lse, in words")
	if dump := r.Dump(); strings.Count(dump, "MySQL") != 1 {
		t.Errorf("a choice is said twice:\n%s", dump)
	}
	r.Do("y")
	r.Shows("its answer is a choice: Enter gives the marked one")
	r.Do("e", "D", "B", "2", "Enter")
	if got := c.got["r1"]; got.Text != "DB2" || got.Behavior != api.AnswerAllow {
		t.Errorf("answered %+v", got)
	}
	q.Origin, q.Questions, q.Choices = api.OriginMCP, 0, []string{"red", "green"} // which takes nothing else
	r, c = asked(t, q)
	r.Do("e", "Enter")
	if got := c.got["r1"]; got.Text != "red" {
		t.Errorf("answered %+v", got)
	}
}

const threeQuestions = `{"questions":[
	{"question":"Which colour?","header":"Colour","options":[{"label":"red","description":"as before"},{"label":"green"}]},
	{"question":"Which sizes?","header":"Sizes","multiSelect":true,"options":[{"label":"S"},{"label":"M"},{"label":"XL"}]},
	{"question":"Which name?","options":[]}]}`

// TestSeveralQuestions: each is a page of its own; Enter on the last one sends all answers, a
// line for each.
func TestSeveralQuestions(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"arrows", []string{"Down", "Enter", "Space", "Down", "Space", "Enter", "Enter", "a", "b", "Enter"}, "green\nS, M\nab"},
		{"digits", []string{"1", "3", "1", "Enter", "1", "x", "Enter"}, "red\nS, XL\nx"},
		{"back", []string{"2", "Left", "1", "2", "Enter", "e", "x", "Enter"}, "red\nM\nx"},
		{"another way", []string{"Tab", "Tab", "Enter", "x", "Enter", "1", "1", "Enter", "Enter"}, "red\nS\nx"},
		{"own words", []string{"3", "b", "l", "u", "e", "Enter", "4", "L", "Enter", "1", "Enter", "1", "x", "Enter"}, "blue\nS, L\nx"},
		{"own words taken back", []string{"1", "4", "L", "Enter", "Space", "2", "Enter", "1", "x", "Enter"}, "red\nM\nx"},
		{"nothing marked", []string{"1", "Enter", "Enter"}, ""},
		{"not all", []string{"Tab", "Tab", "1", "x", "Enter", "Enter"}, ""},
		{"only marked", []string{"1", "1", "2", "Tab", "1", "x", "Escape"}, ""},
	} {
		r, c := asked(t, ownQuestion(threeQuestions))
		r.Shows("question 1 of 3", "Which colour?", "1 ☐ red", "as before", "3 ☐ other, in words", "Enter next question")
		if strings.Contains(r.Dump(), "Which sizes?") {
			t.Error("it shows another page, too")
		}
		r.Do(tt.keys...)
		if got := c.got["r1"]; got.Text != tt.want {
			t.Errorf("%s: answered %q, want %q", tt.name, got.Text, tt.want)
		}
	}
	r, c := asked(t, ownQuestion(threeQuestions))
	r.Do("2", "Enter")
	r.Shows("question 2 of 3 · Colour: green", "Space marks", "nothing is marked")
	r.Do("Tab", "1", "x", "Enter")
	r.Shows("question 2 of 3", "this question has no answer yet")
	if len(c.got) > 0 {
		t.Errorf("answered %v", c.got)
	}
	r.Do("y")
	if r.Shows("Enter gives the marked one"); len(c.got) > 0 {
		t.Errorf("answered %v", c.got)
	}
	r.ClickOn("XL")
	r.Shows("3 ☑ XL")
}

// TestQuestionInASmallTerminal: what is asked and the marked choice are in view, nothing is
// drawn over anything else, and the border tells what is not.
func TestQuestionInASmallTerminal(t *testing.T) {
	q := ownQuestion(whichDatabase, "PostgreSQL 16 with logical replication", "SQLite in a file beside the program", "MySQL", "none of them")
	r, _ := asked(t, q)
	r.Env.Cols, r.Env.Rows, r.Env.Bottom = 40, 10, 9
	r.Shows("Which of these many databases do you", "▸ 1 PostgreSQL 16 with logical", "a server of its own", "Enter   [n]o   [e]lse", "Esc", "want me to use for the new service?", "━ 1 of 4 ━")
	r.Do("Down", "Down", "Down")
	r.Shows("Which of these many databases do you", "3 MySQL", "▸ 4 none of them", "files are enough")
	r, _ = asked(t, ownQuestion(strings.Replace(whichDatabase, "service?", "service that we talked about yesterday?", 1), q.Choices...))
	r.Env.Cols, r.Env.Rows, r.Env.Bottom = 40, 10, 9
	r.Shows("1 of 4 · PgUp PgDn 1 more line")
	r.Do("NPage")
	r.Shows("that we talked about yesterday?", "▸ 1 PostgreSQL 16")
}

// TestWholeQuestion: what is chosen by is all of the question, of which the request itself
// has the beginning.
func TestWholeQuestion(t *testing.T) {
	q := permission("r1", "bbbb2222", "ask_person", `{"question":"Delete?\nNot the backups, but the originals.","choices":["yes","no"]}`, 1)
	q.Kind, q.Origin, q.Question, q.Choices = api.RequestQuestion, api.OriginMCP, "Delete?…", []string{"yes", "no"}
	r, _ := asked(t, q)
	r.Shows("Not the backups, but the originals.")
}

func TestAnswerChoices(t *testing.T) {
	q := permission("r1", "bbbb2222", "ask_person", `{"question":"Which?"}`, 1)
	q.Kind, q.Origin, q.Choices, q.AlwaysRule = api.RequestQuestion, api.OriginMCP, []string{"red", "green", "blue"}, ""
	for _, tt := range []struct {
		multiple bool
		keys     []string
		want     string
	}{
		{false, []string{"Enter"}, "red"}, {false, []string{"Down", "Enter"}, "green"}, {false, []string{"3"}, "blue"}, {false, []string{"4"}, ""},
		{true, []string{"Enter"}, ""}, {true, []string{"3", "1", "Enter"}, "red\nblue"}, {true, []string{"Space", "Space", "Down", "Space", "Enter"}, "green"},
	} {
		q.Multiple = tt.multiple
		r, c := asked(t, q)
		r.Do(tt.keys...)
		if got := c.got["r1"].Text; got != tt.want {
			t.Errorf("%v %q: %q, want %q", tt.multiple, tt.keys, got, tt.want)
		}
	}
	q.Choices = nil
	r, c := asked(t, q)
	r.Do("e", "4", "2", "Enter")
	if got := c.got["r1"]; got.Text != "42" || got.Behavior != api.AnswerAllow {
		t.Errorf("free text: %+v", got)
	}
}

// TestQuestionOfThePane: one that takes no answer here offers none, and opens the pane.
func TestQuestionOfThePane(t *testing.T) {
	q := permission("r1", "cccc3333", "AskUserQuestion", `{"questions":[{"question":"Which?"}]}`, 0)
	q.Kind, q.AlwaysRule, q.Question = api.RequestQuestion, "", "Which? (red / green)"
	r, c := asked(t, q)
	if dump := r.Dump(); strings.Contains(dump, "[y]es") || strings.Contains(dump, "[a]lways") {
		t.Errorf("a choice is offered as yes:\n%s", dump)
	}
	if r.Do("y", "a"); len(c.got) > 0 {
		t.Errorf("answers %v", c.got)
	}
	if r.Do("o"); r.C != nil || !r.Asks(ui.Focus{Session: "cccc3333"}) {
		t.Error("the pane is not open")
	}
}

// TestChoiceByMouse: a click marks a choice, one on the marked one answers.
func TestChoiceByMouse(t *testing.T) {
	q := permission("r1", "bbbb2222", "ask_person", `{"question":"Which?"}`, 1)
	q.Kind, q.Origin, q.Choices, q.AlwaysRule = api.RequestQuestion, api.OriginMCP, []string{"red", "green", "blue"}, ""
	r, c := asked(t, q)
	for clicks := range 2 {
		if len(c.got) > 0 {
			t.Fatalf("%d clicks have answered: %v", clicks, c.got)
		}
		r.ClickOn("green")
	}
	if got := c.got["r1"].Text; got != "green" {
		t.Errorf("answered %q", got)
	}
}
