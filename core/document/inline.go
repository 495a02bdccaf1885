package document

import "strings"

// InlineCode formats code for running text, between backticks. It uses one backtick more than the
// longest run of backticks in the code.
func InlineCode(code string) string {
	ticks := strings.Repeat("`", longestTicks(code)+1)
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return ticks + code + ticks
}

func longestTicks(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// InlineLink formats a link as its text followed by the address in parentheses. It omits addresses
// that the text already contains and addresses longer than longestAddress. It also omits addresses
// that are neither web nor e-mail addresses, because readers cannot open them.
func InlineLink(text, address string) string {
	mailbox, isMail := strings.CutPrefix(address, "mailto:")
	shown, _, _ := strings.Cut(mailbox, "?")
	if !isMail {
		if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
			return text
		}
		shown = address
	}
	bare := strings.TrimSuffix(shown[strings.Index(shown, "//")+1:], "/")
	if text == "" || len(shown) > longestAddress || strings.Contains(text, strings.TrimPrefix(bare, "/")) {
		return text
	}
	return text + " (" + shown + ")"
}

// longestAddress is the maximum length in bytes of an address that is written into text. Longer
// addresses are meant for machines.
const longestAddress = 200
