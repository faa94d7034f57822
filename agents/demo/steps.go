package demo

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step is one directive of a turn.
type step struct {
	verb     string
	text     string
	tool     string
	choices  []string
	n        int
	usd      float64
	duration time.Duration
}

// steps parses a prompt as directives. A prompt whose first line is none gets an
// ordinary turn: thinking, a tool, an answer.
func steps(prompt string, delay time.Duration) []step {
	var out []step
	for _, line := range strings.Split(strings.ReplaceAll(prompt, "\r", "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		s, ok := parseStep(strings.TrimSpace(line))
		if !ok {
			if len(out) > 0 {
				out = append(out, step{verb: "say", text: line})
				continue
			}
			return []step{
				{verb: "think", duration: 2 * delay},
				{verb: "tool", tool: "Read", text: "README.md"},
				{verb: "say", text: "You said: " + prompt},
			}
		}
		out = append(out, s)
	}
	return out
}

// parseStep reads one directive.
func parseStep(line string) (step, bool) {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	s := step{verb: verb, text: rest}
	switch verb {
	case "say", "fail", "await":
		return s, rest != ""
	case "think", "spin", "background":
		if rest == "" {
			s.duration = -1
			return s, verb == "spin"
		}
		d, err := time.ParseDuration(rest)
		s.duration = d
		return s, err == nil && d >= 0
	case "tool", "permit":
		s.tool, s.text, _ = strings.Cut(rest, " ")
		return s, s.tool != "" && s.text != ""
	case "ask":
		parts := strings.Split(rest, "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		s.text, s.choices = parts[0], parts[1:]
		return s, len(parts) > 2 && len(parts) <= 10
	case "use":
		tokens, model, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(tokens)
		s.n, s.text = n, strings.TrimSpace(model)
		return s, err == nil && n > 0 && s.text != ""
	case "cost":
		usd, err := strconv.ParseFloat(rest, 64)
		s.usd = usd
		return s, err == nil && usd >= 0
	case "flood", "crash":
		if rest == "" {
			s.n = 1
			return s, verb == "crash"
		}
		n, err := strconv.Atoi(rest)
		s.n = n
		return s, err == nil && n >= 0
	case "exit", "/exit":
		s.verb = "exit"
		return s, rest == ""
	}
	return s, false
}

// readScript parses a script: blocks separated by blank lines, each of them a prompt.
// If a block's first line begins with "> ", it is the prompt as a user would have typed
// it, and the rest are the directives; any other block is its own prompt.
func readScript(text string, delay time.Duration) []queued {
	var out []queued
	for _, block := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		block = strings.Trim(block, "\n")
		if block == "" {
			continue
		}
		q := queued{prompt: block}
		if typed, ok := strings.CutPrefix(block, "> "); ok {
			var todo string
			q.prompt, todo, _ = strings.Cut(typed, "\n")
			q.todo = steps(todo, delay)
		}
		out = append(out, q)
	}
	return out
}

// scenes are the built-in scripts for `ccdir demo`: together its panes show every state.
// "tour" is what the person reads: five captions, each with the next key.
var scenes = map[string]string{
	"tour": `> Show me ccdir in five steps.
say 1 of 5 · makefile wants a permission: press C-b a, read it, y allows it.
say 2 of 5 · timeouts asks a question: C-b a again, ↑ ↓ choose, Enter answers.
say 3 of 5 · parser fails (✗): C-b f, parser, Enter; then "try again", Enter.
say 4 of 5 · docs finishes (✓ until seen): C-b s, go down to it, Enter.
say 5 of 5 · C-b : gives a prompt, C-b ? lists all keys, C-b 1 comes back.
say The end: C-b d leaves the demo. Then, in a project of yours: ccdir new
`,
	"build": `> The parser loses the last word of some files. Find out why and fix it.
think 2s
tool Read src/parser.go
tool Grep func parse
think 2s
say The parser drops the last token when the input ends without a newline.
tool Edit src/parser.go
tool Bash go test ./src/...
fail Overloaded
`,
	"permission": `> Are the generated files up to date?
think 2s
tool Read Makefile
say The generated files are stale, I will remove and rebuild them.
permit Bash rm -rf build/ && make generate
say Rebuilt, nothing else changed.
`,
	"question": `> Give the client a timeout.
think 3s
tool Grep timeout
say Two of the callers expect seconds, three expect milliseconds.
ask Which unit should the new timeout have? | seconds | milliseconds
say Good, I will change the others.
`,
	"answer": `> What happens to my sessions if the daemon dies?
think 6s
tool Read docs/design.md
think 4s
say The daemon owns the registry; hosts own their terminals. A daemon that dies takes no session with it, because hosts are processes of their own.
`,
	"background": `> Run the benchmark and tell me when it is done.
tool Bash make bench
background 20s
say The benchmark is done: 3 % faster.
`,
}

func sceneNames() []string { return slices.Sorted(maps.Keys(scenes)) }
