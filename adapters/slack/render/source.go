package render

import (
	"strconv"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
)

func (s Source) label() string {
	if s.Number == 0 {
		return s.Title
	}
	return "[" + strconv.Itoa(s.Number) + "] " + s.Title
}

func sourceOf(s foot.Source) Source {
	url, _ := address(s.URL)
	out := Source{Number: s.Number, Title: s.Title, URL: url, Detail: s.Detail()}
	for _, p := range s.Also {
		url, _ := address(p.URL)
		out.Also = append(out.Also, Source{Number: p.Number, Title: p.Title, URL: url})
	}
	return out
}

func (s Source) labels() string {
	out := s.label()
	for _, other := range s.Also {
		out += ", " + other.label()
	}
	return out
}

func (s Source) link() string {
	label := mrkdwnWord(Neutral(s.label()), answer.Place{})
	if s.URL != "" {
		label = mrkdwn{}.Link(label, s.URL)
	}
	return label
}

// Mrkdwn returns the source as one line of mrkdwn. The line contains number and title, other cited
// sections, location and age. The title is a link if the source has an address.
func (s Source) Mrkdwn() string {
	label := s.link()
	for _, other := range s.Also {
		label += ", " + other.link()
	}
	if s.Detail != "" {
		label += " · " + mrkdwnWord(Neutral(s.Detail), answer.Place{})
	}
	return label
}

// SourceLine returns the line for a cited document. If the line is too long for a block, it omits
// other cited sections first, and then the address.
func SourceLine(s Source) string {
	line := s.Mrkdwn()
	for utf8.RuneCountInString(line) > MaxSection {
		switch n := len(s.Also); {
		case n > 0: // the text of the answer links them, too
			s.Also = s.Also[:n-1]
		case s.URL == "":
			return line
		default:
			s.URL = ""
		}
		line = s.Mrkdwn()
	}
	return line
}
