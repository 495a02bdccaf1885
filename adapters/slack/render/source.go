package render

import (
	"strconv"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

func (s Source) label() string {
	if s.Number == 0 {
		return s.Title
	}
	return "[" + strconv.Itoa(s.Number) + "] " + s.Title
}

// Mrkdwn is the source as one line of mrkdwn: number and title, linked where there is an address, and where it lies and how old it is.
func (s Source) Mrkdwn() string {
	label := mrkdwnWord(Neutral(s.label()), answer.Place{})
	if s.URL != "" {
		label = mrkdwn{}.Link(label, s.URL)
	}
	if s.Detail != "" {
		label += " · " + mrkdwnWord(Neutral(s.Detail), answer.Place{})
	}
	return label
}

// SourceLine is a cited document. An address that no block can hold is left out.
func SourceLine(s Source) string {
	line := s.Mrkdwn()
	if utf8.RuneCountInString(line) > MaxSection {
		s.URL = ""
		line = s.Mrkdwn()
	}
	return line
}
