package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ofDocuments finds questions about documents themselves, whose dates are those that a period
	// means: "pages updated in 2024", "notes from last week".
	ofDocuments = anyWord(func(t *tongue) string { return t.documents })
	// ofNews finds questions about what happened lately, which is what documents of that time tell:
	// "what changed since the release", "what was decided last week". Of what happened long ago
	// documents of any time tell: "what was decided in 1998".
	ofNews = anyWord(func(t *tongue) string { return t.news })
)

// lately is how long ago a period begins at most that is asked about for its news.
const lately = 400 * 24 * time.Hour

// MeansDates reports whether a period that a question names, with what is left of it, is clearly
// one of the dates of documents, and not of what they speak of: "what was the revenue in 2024" is
// answered by a page of 2025.
func MeansDates(rest string, p Period, now time.Time) bool {
	if p.Open() {
		return false
	}
	return ofDocuments.MatchString(rest) || ofNews.MatchString(rest) && !p.From.IsZero() && now.Sub(p.From) < lately
}

// ErrNoRelease says that the time is not known from which a question counts.
var ErrNoRelease = errors.New("no document that these readers may see tells when that was released; ask without it, or with a date")

// Dated finds the period that a text names, also one that counts from a release by the documents
// that the question's audience may read, and returns it with what is left of the text. The graph
// may be nil: then nothing is known of releases.
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

// DatedAlone is Dated for a text that names a period and nothing else, such as "March" or "since
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
