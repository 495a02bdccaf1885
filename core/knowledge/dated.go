package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ofDocuments matches questions about documents themselves, in which a period means their
	// dates: "pages updated in 2024", "notes from last week".
	ofDocuments = anyWord(func(t *tongue) string { return t.documents })
	// ofNews matches questions about recent events, which documents of that time report: "what
	// changed since the release", "what was decided last week". Older events are reported in
	// documents of any time: "what was decided in 1998".
	ofNews = anyWord(func(t *tongue) string { return t.news })
)

// newsAge is the maximum age of the start of a period that ofNews applies to.
const newsAge = 400 * 24 * time.Hour

// MeansDates reports whether a period in a question clearly refers to the dates of documents and
// not to their subject. A page of 2025 may answer "what was the revenue in 2024". rest is the
// question without the period.
func MeansDates(rest string, p Period, now time.Time) bool {
	if p.Open() {
		return false
	}
	return ofDocuments.MatchString(rest) || ofNews.MatchString(rest) && !p.From.IsZero() && now.Sub(p.From) < newsAge
}

// ErrNoRelease means that no readable document has the date of the release.
var ErrNoRelease = errors.New("no document that these readers may see tells when that was released; ask without it, or with a date")

// Dated finds the period that a text names, and returns it with the rest of the text. The period
// may also be relative to a release, if a document that the audience may read has its date. The
// graph may be nil; then no releases are known.
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

// DatedAlone is Dated for a text that consists of a period, such as "March" or "since the release".
func DatedAlone(ctx context.Context, g Graph, q Question, text string, now time.Time) (p Period, err error) {
	if strings.TrimSpace(text) == "" {
		return Period{}, nil
	}
	if p, _, err = Dated(ctx, g, q, text, now); err == nil && p.Open() {
		p, _ = ReadPeriod("in "+text, now)
	}
	return p, err
}
