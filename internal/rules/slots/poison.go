package slots

// Poison reports whether freed memory is overwritten with an invalid pattern, and checked to be
// unchanged when it is used again. It is true in tests and with the build tag bufftickpoison.
var Poison = poisonTag

// poisonWord fills freed slots. As numbers of definitions and slots its parts are out of range, so
// that a use after free panics.
const poisonWord = 0x7f7f7f7f7f7f7f7f

func poison(lines []cacheLine) {
	for k := range lines {
		for j := range lines[k] {
			lines[k][j] = poisonWord
		}
	}
}

// checkPoison panics if a freed slot has been written to.
func checkPoison(lines []cacheLine) {
	for k := range lines {
		for _, word := range lines[k] {
			if word != poisonWord {
				panic("slots: write to a freed slot")
			}
		}
	}
}
