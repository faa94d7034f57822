package tui

import (
	"strings"
	"testing"

	"ccdir/api"
)

// ownQuestion is a question of an agent's own dialog.
func ownQuestion(input string, choices ...string) api.Request {
	q := testRequest("r1", "bbbb2222", "AskUserQuestion", input, 1)
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
	m, c := asked(t, q)
	do(m, "C-b", "a")
	shows(t, m, "Which of these many databases", "a server of its own", "no server at all", "files are enough", "[e]lse, in words")
	if dump := m.picture().Dump(); strings.Count(dump, "MySQL") != 1 {
		t.Errorf("a choice is said twice:\n%s", dump)
	}
	do(m, "y")
	shows(t, m, "its answer is a choice: Enter gives the marked one")
	do(m, "e", "D", "B", "2", "Enter")
	if got := c.got["r1"]; got.Text != "DB2" || got.Behavior != api.AnswerAllow {
		t.Errorf("answered %+v", got)
	}
	q.Origin, q.Questions, q.Choices = api.OriginMCP, 0, []string{"red", "green"} // which takes nothing else
	m, c = asked(t, q)
	do(m, "C-b", "a", "e", "Enter")
	if got := c.got["r1"]; got.Text != "red" {
		t.Errorf("answered %+v", got)
	}
}

// TestSeveralQuestions: each takes a line.
func TestSeveralQuestions(t *testing.T) {
	m, c := asked(t, ownQuestion(`{"questions":[{"question":"Which colour?","options":[{"label":"red","description":"as before"}]},{"question":"Which size?","options":[]}]}`))
	do(m, "C-b", "a")
	shows(t, m, "Which colour?", "· red: as before", "Which size?", "[e]dit an answer")
	do(m, "e")
	shows(t, m, "an answer for each of the 2 questions, one a line")
	do(m, "r", "e", "d", "C-j", "X", "L", "Enter")
	if got := c.got["r1"]; got.Text != "red\nXL" {
		t.Errorf("answered %+v", got)
	}
}

// TestQuestionInASmallTerminal: what is asked and the marked choice are in view, nothing is
// drawn over anything else, and the border tells what is not.
func TestQuestionInASmallTerminal(t *testing.T) {
	q := ownQuestion(whichDatabase, "PostgreSQL 16 with logical replication", "SQLite in a file beside the program", "MySQL", "none of them")
	m, _ := asked(t, q)
	m.cols, m.rows = 40, 10
	do(m, "C-b", "2", "C-b", "a")
	shows(t, m, "Which of these many databases do you", "▸ 1 PostgreSQL 16 with logical", "a server of its own", "Enter   [n]o   [e]lse", "Esc", "want me to use for the new service?", "━ 1 of 4 ━")
	do(m, "Down", "Down", "Down")
	shows(t, m, "Which of these many databases do you", "3 MySQL", "▸ 4 none of them", "files are enough")
	m, _ = asked(t, ownQuestion(strings.Replace(whichDatabase, "service?", "service that we talked about yesterday?", 1), q.Choices...))
	m.cols, m.rows = 40, 10
	do(m, "C-b", "2", "C-b", "a")
	shows(t, m, "1 of 4 · PgUp PgDn 1 more line")
	do(m, "NPage")
	shows(t, m, "that we talked about yesterday?", "▸ 1 PostgreSQL 16")
}
