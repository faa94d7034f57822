// Package spelling measures how far apart two words are, for messages that ask "did you
// mean". Pure functions; no imports.
package spelling

// maxLength bounds the words that are compared, in bytes: the work grows with the
// product of their lengths.
const maxLength = 64

// Distance is the Levenshtein distance: how many bytes have to be inserted, deleted or
// replaced to turn a into b. For words of more than 64 bytes it is the length of the
// longer one.
func Distance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return max(len(a), len(b))
	}
	// row[j] is the distance of b[:j] from the part of a seen so far.
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
