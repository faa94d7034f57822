package intake

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

var update = flag.Bool("update", false, "write the tables in docs/events.md")

// eventsPage is docs/events.md, tablesBegin its line after which the tables stand.
const (
	eventsPage  = "../../docs/events.md"
	tablesBegin = "<!-- Written by `go test ./daemon/intake -run TestEventsPage -update`. -->\n"
)

// source is what package api says in its comments.
type source struct {
	// events are the values of constants named Event…, kinds the comments of constants named Kind….
	events []string
	kinds  map[string]string
}

func readSource(t *testing.T) source {
	t.Helper()
	s := source{kinds: map[string]string{}}
	files, err := filepath.Glob("../../api/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if n, ok := n.(*ast.GenDecl); ok {
				s.constants(n)
			}
			return true
		})
	}
	return s
}

func (s *source) constants(n *ast.GenDecl) {
	about := ""
	for _, spec := range n.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || n.Tok != token.CONST || len(v.Values) != 1 {
			continue
		}
		literal, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			continue
		}
		value, _ := strconv.Unquote(literal.Value)
		if v.Doc != nil {
			about = v.Doc.Text()
		}
		switch name := v.Names[0].Name; {
		case strings.HasPrefix(name, "Event"):
			s.events = append(s.events, value)
		case strings.HasPrefix(name, "Kind"):
			s.kinds[value] = sentence(about, name)
		}
	}
}

// sentence is the part of a comment about a name.
func sentence(comment, name string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if found := regexp.MustCompile(`(?:^|[.:;,] )` + name + `(?:, \w+)*(?: and \w+)?(?: is| are|:| has| had| counts?| count|,)? ?([^.:]*)`).FindStringSubmatch(text); found != nil {
		return strings.TrimRight(found[1], " ;,")
	}
	return ""
}

// fieldsOf are the JSON names of a struct's fields.
func fieldsOf(of reflect.Type) (list []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "-":
		case f.Anonymous:
			list = append(list, fieldsOf(f.Type)...)
		default:
			list = append(list, "`"+name+"`")
		}
	}
	return list
}

// tables are those of docs/events.md.
func tables(s source) string {
	var b strings.Builder
	b.WriteString("\n## Names\n\nAn event has the name of its type, and of what it brings about: `task.done` is an event of type `task.state`.\n\n| name | when |\n|---|---|\n")
	b.WriteString("| `*` | always, but for `reaction.failed` |\n")
	for _, state := range taskStates {
		fmt.Fprintf(&b, "| `%s%s` | a task is %s |\n", taskPrefix, state, strings.ReplaceAll(string(state), "_", " "))
	}
	for _, state := range sessionStates {
		fmt.Fprintf(&b, "| `%s%s` | a session is %s |\n", sessionPrefix, state, strings.ReplaceAll(string(state), "_", " "))
	}
	for _, kind := range kinds {
		fmt.Fprintf(&b, "| `%s%s` | an agent reports: %s |\n", agentPrefix, kind, s.kinds[string(kind)])
	}
	b.WriteString("\n## Types\n\nEach is a name, too. Data of an agent's own reports is what its hook was given.\n\n| type | when | about | data |\n|---|---|---|---|\n")
	for _, t := range eventTypes() {
		data := "–"
		if t.data != nil {
			data = strings.Join(fieldsOf(reflect.TypeOf(t.data)), ", ")
		}
		about := t.of
		if about == "" {
			about = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.name, t.says, about, strings.ReplaceAll(data, "|", `\|`))
	}
	return b.String()
}

// TestEventsPage: docs/events.md has every type of event that package api names, every state and every
// kind, with the fields of its data.
func TestEventsPage(t *testing.T) {
	t.Parallel()
	s := readSource(t)
	var known []string
	for _, row := range eventTypes() {
		known = append(known, row.name)
	}
	for _, name := range s.events {
		if !slices.Contains(known, name) && name != api.EventNode { // no log has it
			t.Errorf("the event %s has no row in names.go", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(s.events, name) {
			t.Errorf("package api has no event %s", name)
		}
	}
	for kind := range s.kinds {
		if !slices.Contains(kinds, api.EventKind(kind)) && strings.Contains(kind, "-") {
			t.Errorf("the kind %s is not in names.go", kind)
		}
	}
	page, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(page), tablesBegin)
	if !found {
		t.Fatalf("%s lacks the line %q", eventsPage, tablesBegin)
	}
	want := tables(s)
	if *update {
		if err := os.WriteFile(eventsPage, []byte(before+tablesBegin+want), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
		return
	}
	if after != want {
		t.Errorf("%s is not what the code says: `go test ./daemon/intake -run TestEventsPage -update` writes it", eventsPage)
	}
}

// TestSamples: every name has a sample, which has that name.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, name := range eventNames() {
		in, known := sampleOf(name)
		if !known || !slices.Contains(namesOf(in.Event), name) {
			t.Errorf("%s: %v %+v", name, known, in.Event)
		}
	}
	if _, known := sampleOf("task.nothing"); known {
		t.Error("a name that no event has")
	}
}

// TestRecipes runs every example of docs/events.md with samples of its events: its condition holds or
// not, and it does what the page says, by a curl that writes down what it was given.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed: the recipe of the chat message needs it")
	}
	bin, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"curl":   "#!/bin/sh\n{ printf '%s\\n' \"$@\"; case \"$*\" in *@-*) cat ;; esac; } >> \"$OUT/curl\"\n",
		"logger": "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"$OUT/logger\"\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	tree := filepath.Join(dir, "tree")
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", tree, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if out, err := exec.Command("git", "init", "-q", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	put := os.WriteFile(filepath.Join(tree, "a.txt"), []byte("a\n"), 0o600)
	if put != nil {
		t.Fatal(put)
	}
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OUT="+dir, "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.org", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.org")
	r := &Reactions{o: ReactionOptions{Env: env, Dir: dir, Now: time.Now}}
	recipes := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(recipes) != 6 {
		t.Fatalf("%d recipes", len(recipes))
	}
	for _, recipe := range recipes {
		l := config.Parse([]byte(recipe[1]), "events.md", dir)
		if len(l.Problems) > 0 || len(l.Reactions) != 1 {
			t.Fatalf("%v: %s", l.Problems, recipe[1])
		}
		c := l.Reactions[0]
		program, err := condition(c.If)
		if err != nil {
			t.Fatalf("%v: %s", err, recipe[1])
		}
		for _, name := range c.Events {
			in, known := sampleOf(name)
			if !known {
				t.Fatalf("no event %s", name)
			}
			if in.Task != nil {
				in.Session.CWD = tree
				in.Task.Priority = 1
			}
			in.Event.Message = "@/etc/passwd $(touch " + dir + "/mark) it's"
			input, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := holds(program, input); err != nil || !ok {
				t.Errorf("%s: %v %v: %s", name, ok, err, c.If)
			}
			if run := r.command(t.Context(), api.Reaction{Run: c.Run, Timeout: api.Duration(c.Timeout)}, name, 1, input); run.Error != "" {
				t.Errorf("%s: %s: %s", name, run.Error, c.Run)
			}
		}
	}
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return string(text)
	}
	for file, wants := range map[string][]string{
		"curl":            {`"text": "ccdir: @/etc/passwd`, "Title: api asks\n--data-raw\n@/etc/passwd", "{\"on\":true,\"hue\":0}\nhttp", "{\"on\":false}\nhttp"},
		"logger":          {"-t\nccdir\n@/etc/passwd"},
		"ccdir-times.tsv": {"2026-12-24T07:30:00Z\tapi\tsession.working\n", "session.idle\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(read(file), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, read(file))
			}
		}
	}
	if log := git("log", "--format=%s"); log != "api (t1)\n" {
		t.Errorf("commits %q", log)
	}
	if _, err := os.Stat(filepath.Join(dir, "mark")); err == nil {
		t.Error("a text was run")
	}
}
