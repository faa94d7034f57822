package edit

// KeyLine is a line of help: keys, separated by spaces, and what they do.
type KeyLine struct{ Keys, Text string }

// KeyLines are the keys of texts that are written, beside those that type. Single lines
// (filters, names) have them too, where there is something for them to do.
func KeyLines() []KeyLine {
	return []KeyLine{
		{"Left Right C-b C-f", "a character to the left, to the right"},
		{"C-Left C-Right M-b M-f", "a word back, forward"},
		{"Home End C-a C-e", "beginning, end of the line"},
		{"Up Down", "the row above, below; at the first row of the prompt bar the prompt before"},
		{"C-Home C-End M-< M->", "beginning, end of the text"},
		{"BSpace C-h DC C-d", "delete the character before, under the cursor"},
		{"C-w M-BSpace M-d", "delete the word before, behind the cursor"},
		{"C-u C-k", "delete the line before, behind the cursor"},
		{"C-y", "put in what was deleted last by word or line"},
		{"C-_ C-/ C-z", "undo: take the last edit back"},
	}
}
