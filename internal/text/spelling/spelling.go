// Package spelling tells how far apart two words are, for messages that ask "did
// you mean". It holds pure functions and imports nothing.
package spelling

// maxLength bounds the words that are compared, in bytes: the work grows with the
// product of their lengths.
const maxLength = 64

// Distance is how many bytes have to be put in, taken out or changed to make b of
// a (the Levenshtein distance). Words of more than 64 bytes are as far apart as the
// longer one is long.
func Distance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return max(len(a), len(b))
	}
	// row[j] is the distance of b[:j] from what was looked at of a.
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
