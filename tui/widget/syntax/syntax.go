package syntax

import (
	"embed"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
)

// Kind is what a part of a text is.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Keyword
	Type
	Function
	String
	Number
	Comment
)

// Part is a run of bytes of one kind.
type Part struct {
	Len  int
	Kind Kind
}

const (
	// budget is how long the lines of one call may take. A single match of chroma's may take as long again.
	budget = 250 * time.Millisecond
	// maxLine is the length in bytes of a line from which a text has no parts.
	maxLine = 1000
)

//go:embed lexers
var files embed.FS

// lexers are those that were asked for; nil: there is none, or it failed.
var lexers = struct {
	sync.Mutex
	made     map[string]chroma.Lexer
	registry *chroma.LexerRegistry
}{}

// lexer is that of a language.
func lexer(language string) chroma.Lexer {
	lexers.Lock()
	defer lexers.Unlock()
	if lexers.made == nil {
		lexers.made, lexers.registry = map[string]chroma.Lexer{}, chroma.NewLexerRegistry()
	}
	for _, other := range uses[language] {
		load(other)
	}
	return load(language)
}

// load makes a lexer unless that was done. The lock is held.
func load(language string) chroma.Lexer {
	if l, ok := lexers.made[language]; ok {
		return l
	}
	var l *chroma.RegexLexer
	var err error
	if language == "go" {
		l, err = golang()
	} else {
		l, err = chroma.NewXMLLexer(files, "lexers/"+language+".xml")
	}
	if err != nil {
		lexers.made[language] = nil
		return nil
	}
	l.SetRegistry(lexers.registry)
	lexers.made[language] = lexers.registry.Register(l)
	return l
}

// Lines are the parts of each line of a text, which stand one after the other in a file of that name. ok is false
// if the text has none, and none of the file should be asked for again: nothing is known of its language, or it
// took too long. It is safe for concurrent use, and may take budget and a little more.
func Lines(file string, lines []string, now func() time.Time) (parts [][]Part, ok bool) {
	language := languageOf(file)
	if language == "" {
		return nil, false
	}
	for _, l := range lines {
		if len(l) > maxLine {
			return nil, false
		}
	}
	l := lexer(language)
	if l == nil {
		return nil, false
	}
	defer func() {
		if recover() != nil { // chroma tells a failed match so
			parts, ok = nil, false
		}
	}()
	next, err := l.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: false}, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return nil, false
	}
	out, line := make([][]Part, len(lines)), 0
	until := now().Add(budget)
	for t, n := next(), 0; t != chroma.EOF; t, n = next(), n+1 {
		if n%64 == 63 && now().After(until) {
			return nil, false
		}
		kind := kindOf(t.Type)
		for text := t.Value; text != "" && line < len(out); {
			head, rest, broken := strings.Cut(text, "\n")
			out[line] = add(out[line], len(head), kind)
			if broken {
				line++
			}
			text = rest
		}
	}
	return out, true
}

// add adds bytes of a kind to a line.
func add(line []Part, n int, kind Kind) []Part {
	switch last := len(line) - 1; {
	case n == 0:
	case last >= 0 && line[last].Kind == kind:
		line[last].Len += n
	default:
		line = append(line, Part{n, kind})
	}
	return line
}

func kindOf(t chroma.TokenType) Kind {
	switch {
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameBuiltin, t == chroma.NameTag:
		return Type
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return Keyword
	case t == chroma.NameFunction, t == chroma.NameAttribute, t == chroma.NameDecorator, t == chroma.NameFunctionMagic:
		return Function
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Comment):
		return Comment
	}
	return Plain
}
