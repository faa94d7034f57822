// Package markdown sets what agents write as text: headings, lists, emphasis, code, tables,
// quotes and links, without the signs that stand for them. Conversations, plans, cards and
// answers use it.
//
//	for _, l := range markdown.Lines(theme, plan, width) { sgr.Draw(s, x, y, width, l.Text) }
//	answer := markdown.Plain(text) // one line without signs, for a row of a list
//
// Contract: pure. The text is foreign, may be cut anywhere (it is streamed), and is made
// harmless here; what is not understood stays as it was written. A line is at most as wide as
// asked for. Time and memory are proportional to the text.
//
// The syntax is CommonMark's with GitHub's tables, strikes and boxes, as far as agents use it.
// Different on purpose: line breaks within a paragraph stay, because terminals show prose as
// it was broken; HTML stays as it is; references are not resolved; a link whose words are not
// its address shows both, so that nobody is led elsewhere than it says.
package markdown
