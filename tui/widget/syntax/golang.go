package syntax

import "github.com/alecthomas/chroma/v2"

// golang is the lexer of Go, which chroma has not as a file.
func golang() (*chroma.RegexLexer, error) {
	return chroma.NewLexer(&chroma.Config{Name: "Go"}, func() chroma.Rules {
		types := []string{"any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune", "string",
			"uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}
		return chroma.Rules{"root": {
			{Pattern: `\s+`, Type: chroma.TextWhitespace},
			{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
			{Pattern: `/\*[\s\S]*?(\*/|\z)`, Type: chroma.CommentMultiline},
			{Pattern: chroma.Words(`\b`, `\b`, "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go", "goto", "if", "import",
				"interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var"), Type: chroma.Keyword},
			{Pattern: chroma.Words(`\b`, `\b`, "true", "false", "iota", "nil"), Type: chroma.KeywordConstant},
			{Pattern: chroma.Words(`\b`, `\b`, types...), Type: chroma.KeywordType},
			{Pattern: `0[xXbBoO][0-9a-fA-F_]+|\d[\d_]*(\.[\d_]*)?([eE][+-]?\d+)?i?|\.\d+([eE][+-]?\d+)?i?`, Type: chroma.LiteralNumber},
			{Pattern: `'(\\.[^'\n]*|[^\\'\n])'`, Type: chroma.LiteralStringChar},
			{Pattern: "`[^`]*(`|\\z)", Type: chroma.LiteralString},
			{Pattern: `"(\\.|[^"\\\n])*("|$)`, Type: chroma.LiteralString},
			{Pattern: `[a-zA-Z_]\w*(?=\()`, Type: chroma.NameFunction},
			{Pattern: `[^\W\d]\w*`, Type: chroma.NameOther},
			{Pattern: `[\s\S]`, Type: chroma.Punctuation},
		}}
	})
}
