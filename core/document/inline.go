package document

import "strings"

// InlineCode writes code inside running text: between backticks, of which there are more than the
// code itself has in a row.
func InlineCode(code string) string {
	longest, run := 0, 0
	for _, r := range code {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	ticks := strings.Repeat("`", longest+1)
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return ticks + code + ticks
}

// InlineLink writes a link inside running text: its text and, where that is an address of the web
// or of a mailbox which the text does not name already, the address in brackets. Other addresses
// lead to places that a reader of the text alone cannot reach and are left out.
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

// longestAddress is the longest address that is written into text; longer ones are for machines.
const longestAddress = 200
