// Package syntax says what the parts of program text are: keywords, strings, comments. It is chroma's tokenizer with
// lexers of the languages in lexers, which are those of chroma (see TestLexers), and Go's in golang.go. Nothing is made
// before the first text of a language is asked for: chroma's own set of all lexers costs 30 ms at the start of every verb.
//
// Text is hostile: what takes long, or makes a lexer fail, has no parts, and its file none from then on.
package syntax
