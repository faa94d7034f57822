package taskfile

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/orchestrator"
)

func shown(tasks []api.NewTask) string {
	var s []string
	for _, n := range tasks {
		s = append(s, fmt.Sprint("{", n.Name, " ", n.Prompt, " ", n.Steps, " ", n.Manual, " ", n.Kind, " ", n.Agent, " ", n.CWD, " ", n.Priority, " ", n.After, " ", n.Timeout, "}"))
	}
	return strings.Join(s, "\n")
}

func TestFormats(t *testing.T) {
	all := map[string]string{
		"a.toml": "[[task]]\nname = \"build\"\nprompt = '''\nmake it\nname = no'''\nsteps = [\"now test it\"]\nautoplay = false\nagent = 'claude'\nenv = ['A=b']\ndir = '/tmp'\npriority = 3\nafter = ['setup']\ntimeout = '1h30m'\n[[task]]\nprompt = 'next'\n",
		"a.yaml": "tasks:\n- name: build\n  prompt: |-\n    make it\n    name = no\n  steps: [now test it]\n  autoplay: false\n  agent: claude\n  env: [A=b]\n  dir: /tmp\n  priority: 3\n  after: setup\n  timeout: 1h30m\n- next\n",
		"a.md":   "# Evening\n\nsome text\n\n- [ ] make it\n  name = no\n  1. now test it\n  - name: build\n  - autoplay: false\n  - agent: claude\n  - env: A=b\n  - dir: /tmp\n  - priority: 3\n  - after: setup\n  - timeout: 1h30m\n- [x] was done\n  - priority: much\n* next\n",
	}
	first := ""
	for name, text := range all {
		tasks, _, err := Parse(name, []byte(text), nil)
		if err != nil || len(tasks) != 2 {
			t.Errorf("%s: %+v %v", name, tasks, err)
			continue
		}
		if first == "" {
			first = shown(tasks)
		}
		if shown(tasks) != first {
			t.Errorf("%s: %s\nelsewhere %s", name, shown(tasks), first)
		}
		if n := tasks[0]; n.Name != "build" || n.Prompt != "make it\nname = no" || !n.Manual || n.Priority != 3 || len(n.After) != 1 || len(n.Steps) != 1 || len(n.ExtraEnv) != 1 {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.toml", "[[task]]\nprompt = \n", "a.toml:2:"},
		{"a.toml", "[[task]]\nprompt = '''\nretries = 1\n'''\nretries = 'x'\n", "a.toml:5: retries takes a whole number"},
		{"a.toml", "[[task]]\nprompt = 'p'\n\n[[task]]\ncolour = 1\nprompt = 'q'", "a.toml:5: the key \"colour\""},
		{"a.toml", "[tasks]\n", "a.toml:1: only [[task]]"},
		{"a.toml", "[[task]]\nprompt = '''\n[no]\n'''\n[tasks]\n", "a.toml:5: only [[task]]"},
		{"a.toml", "\nx = 1\n[[task]]\nprompt = 'p'\n", "a.toml:2: only [[task]]"},
		{"a.toml", "[[task]]\nprompt = 'p'\nlabels = [['x']]\n", "a.toml:3: labels"},
		{"a.yaml", "- prompt: p\n---\n- steps: [x]\n", "a.yaml:3: the task has no prompt"},
		{"a.yaml", "- prompt: p\n---\n- \tx: [\n", "a.yaml:3:"},
		{"a.yaml", "- prompt: p\n- prompt:\n", "a.yaml:2: the task has no prompt"},
		{"a.yaml", "- prompt: p\n- ~\n", "a.yaml:2: a task is a mapping or a text"},
		{"a.yaml", "---\n", "a.yaml: it holds no task"},
		{"a.yaml", "- prompt: p\n  timeout: long\n- steps: [x]\n", "a.yaml:2: timeout"},
		{"a.yaml", "- prompt: p\n- steps: [x]\n", "a.yaml:2: the task has no prompt"},
		{"a.yaml", "- prompt: p\n  labels: [[x]]\n", "a.yaml:2: labels"},
		{"a.yaml", "- prompt: \"p\n", "a.yaml:"},
		{"a.yaml", "- prompt: p\n  priority: 1\n  priority: 2\n", "a.yaml:3: priority is given twice"},
		{"a.md", "text\n\n- p\n  - retries: many\n", "a.md:4: retries"},
		{"a.md", "- p\n  - name: x\n- q\n  - name: x\n", "a.md:3: the name \"x\" is that of the task in line 1"},
		{"a.md", "# nothing\n", "a.md: it holds no task"},
		{"a.md", "- p\n  - owner: me\n", "a.md:2: the key \"owner\" is unknown: known are name, prompt,"},
		{"a.md", "- p\n  - owner:\n", "text of the prompt begins with a capital letter"},
		{"a.md", "- p\n  - retires: 3\n", "a.md:2: the key \"retires\" is unknown: write retries"},
		{"a.toml", "[[task]]\nprompt = \"p\"\nlable = [\"x\"]\n", "a.toml:3: the key \"lable\" is unknown"},
		{"a.md", "- p\n  - Label: x\n", "a.md:2: the key \"label\" is unknown: write labels"},
		{"a.md", "- p\n  - max-turn: 3\n", "a.md:2: the key \"max_turn\" is unknown: write max_turns"},
		{"a.txt", "- p", "not known"},
		{"a.md", "- \xff", "UTF-8"},
	} {
		tasks, _, err := Parse(c.name, []byte(c.text), nil)
		if err == nil || tasks != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	_, _, err := Parse("a.md", []byte("- p\n- q\n"), func(n api.NewTask) error {
		if n.Prompt == "q" {
			return errors.New("no q")
		}
		return nil
	})
	if err == nil || err.Error() != "a.md:2: no q" {
		t.Error(err)
	}
}

// TestMarkdownText: what does not look like a key is text of the prompt.
func TestMarkdownText(t *testing.T) {
	tasks, _, err := Parse("a.md", []byte("- p\n  - Note: look twice\n  - see http://x/y: there\n  - https://x/y\n  - the answer: yes\n"), nil)
	if err != nil || len(tasks) != 1 || tasks[0].Prompt != "p\n- Note: look twice\n- see http://x/y: there\n- https://x/y\n- the answer: yes" {
		t.Errorf("%+v %v", tasks, err)
	}
}

// TestWorktrees: each task of a file says in which work tree it runs, and what that begins at.
func TestWorktrees(t *testing.T) {
	for name, text := range map[string]string{
		"a.md": "- p\n  - worktree: .\n  - base: origin/main\n", "a.toml": "[[task]]\nprompt = 'p'\nworktree = '.'\nbase = 'origin/main'\n",
		"a.yaml": "- prompt: p\n  worktree: .\n  base: origin/main\n",
	} {
		tasks, _, err := Parse(name, []byte(text), orchestrator.Check)
		if err != nil || len(tasks) != 1 || tasks[0].Prompt != "p" || tasks[0].Worktree != "." || tasks[0].Base != "origin/main" {
			t.Errorf("%s: %+v %v", name, tasks, err)
		}
	}
}

// TestOddFiles: what editors and people leave in files loses no task.
func TestOddFiles(t *testing.T) {
	for name, text := range map[string]string{
		"a.md": "\ufeff- one\r\n- two\r\n", "a.toml": "\ufeff[[task]]\r\nprompt = 'one'\r\n[[task]]\r\nprompt = 'two'\r\n",
		"a.yaml": "\ufeff- prompt: one\r\n  dir: ~\r\n  after: null\r\n---\r\ntasks:\r\n- two\r\n---\r\n",
	} {
		tasks, lines, err := Parse(name, []byte(text), nil)
		if err != nil || len(tasks) != 2 || tasks[0].Prompt != "one" || tasks[1].Prompt != "two" || tasks[0].CWD != "" || len(lines) != 2 || lines[0] != 1 {
			t.Errorf("%s: %+v %v %v", name, tasks, lines, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a.md", "- p\n  1. x\n  - after: y")
	f.Add("a.yaml", "- prompt: p\n  steps: [a, b]")
	f.Add("a.toml", "[[task]]\nprompt = '''\n'''")
	f.Fuzz(func(t *testing.T, name, text string) {
		tasks, _, err := Parse(name, []byte(text), nil)
		if (err == nil) == (len(tasks) == 0) {
			t.Error(len(tasks), err)
		}
	})
}

// TestDocs: the file of tasks that docs/tasks.md shows is one that the queue takes.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/tasks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	tasks, _, err := Parse("tonight.toml", []byte(example), orchestrator.Check)
	if err != nil || len(tasks) < 2 {
		t.Errorf("%d tasks: %v", len(tasks), err)
	}
}
