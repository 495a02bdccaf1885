package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ofDocuments matches questions about documents themselves: "pages updated in 2024", "notes
	// from last week". A period in such a question means the dates of the documents.
	ofDocuments = anyWord(func(t *periodLanguage) string { return t.documents })
	// ofNews matches questions about events: "what changed since the release", "what was decided
	// last week". Recent events are reported by documents with dates in the same period. Older
	// events may be reported at any time (newsAge).
	ofNews = anyWord(func(t *periodLanguage) string { return t.news })
)

// newsAge is how long ago a period may have begun so that ofNews applies to it.
const newsAge = 400 * 24 * time.Hour

// MeansDates reports whether a period in a question clearly refers to the dates of documents, not
// to their subject. For example, a page of 2025 may answer "what was the revenue in 2024". rest is
// the question without the period.
func MeansDates(rest string, p Period, now time.Time) bool {
	if p.Open() {
		return false
	}
	return ofDocuments.MatchString(rest) || ofNews.MatchString(rest) && !p.From.IsZero() && now.Sub(p.From) < newsAge
}

// ErrNoRelease means that no readable document states when a release happened.
var ErrNoRelease = errors.New("no document that these readers may see tells when that was released; ask without it, or with a date")

// Dated finds the period that a text names, such as "last week" or "since the release". It returns
// the period and the rest of the text. If there is none, it returns an open period and the whole
// text.
//
// The date of a release comes from a document that the audience may read. The error wraps
// [ErrNoRelease] if no document has it, or if g is nil.
func Dated(ctx context.Context, g Graph, q Question, text string, now time.Time) (p Period, rest string, err error) {
	if p, rest = ReadPeriod(text, now); !p.Open() {
		return p, rest, nil
	}
	since, rest, named := ReadSince(text)
	if !named {
		return Period{}, text, nil
	}
	if g == nil {
		return Period{}, text, ErrNoRelease
	}
	p, found, err := Released(ctx, g, q, since, now)
	if err != nil {
		return Period{}, text, fmt.Errorf("when it was released could not be looked up: %w", err)
	}
	if !found {
		return Period{}, text, ErrNoRelease
	}
	return p, rest, nil
}

// DatedAlone is like [Dated] for a text that consists only of a period, such as "March" or "since
// the release".
func DatedAlone(ctx context.Context, g Graph, q Question, text string, now time.Time) (p Period, err error) {
	if strings.TrimSpace(text) == "" {
		return Period{}, nil
	}
	if p, _, err = Dated(ctx, g, q, text, now); err == nil && p.Open() {
		p, _ = ReadPeriod("in "+text, now)
	}
	return p, err
}
