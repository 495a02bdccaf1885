package knowledge

import (
	"context"
	"regexp"
	"strings"
	"time"
)

// anyRelease is the key of the entity for any release. Each document that announces a release
// announces this entity too. The phrase "the release" in a question then means the newest release.
const anyRelease = "release"

var (
	// releaseTitle matches titles such as "Release 2.0", "Lighthouse release notes 2.0",
	// "Lighthouse 2.0 released" and "v2.0".
	releaseTitle = regexp.MustCompile(`(?i)^(?:(.{1,80}?)\s+)?(?:release(?:\s+notes)?(?:\s+(?:for|of))?:?\s+(?:(\S.{0,60}?)\s+)?(v?\d[\w.-]*)|(v?\d[\w.-]*)\s+(?:is\s+)?(?:release(?:d|\s+notes)?))$|^(v?\d+(?:\.\d+)+[\w.-]*)$`)
	// sinceRelease matches references to a release in a question: "since the release", "before
	// release 2.0", "after the latest release of Lighthouse".
	sinceRelease = regexp.MustCompile(`(?i)(?:^|\s)(since|after|before|until|up to)\s+(?:the\s+)?(?:(?:last|latest|newest|most recent)\s+)?release(?:\s+of\s+(?:the\s+)?([^,?!]{1,60}?)|\s+(v?\d[\w.-]*))?(\s*[,?!]|\.(?:\s|$)|\s+(?:what|who|which|did|does|do|has|have|is|are|was|were|in|and)\b|\s*$)`)
	// sinceReleased matches "since Lighthouse 2.0 was released".
	sinceReleased = regexp.MustCompile(`(?i)(?:^|\s)(since|after|before|until)\s+(?:the\s+)?([^,?!]{1,60}?)\s+(?:was|came|is|has been)\s+(?:released|out)()\b`)
)

func releaseOf(title string) *Entity {
	m := releaseTitle.FindStringSubmatch(strings.Join(strings.Fields(title), " "))
	if m == nil {
		return nil
	}
	of, version := strings.TrimSpace(m[1]+" "+m[2]), strings.TrimRight(m[3]+m[4]+m[5], ".-")
	of = strings.TrimRight(of, " :-–")
	if words := strings.Fields(Form(of)); len(words) > 0 && ordinary[words[len(words)-1]] {
		return nil // "The release of the prisoners in 1981"
	}
	bare := strings.TrimLeft(version, "vV")
	e := &Entity{Kind: Release, Name: strings.TrimSpace(of + " " + version)}
	if e.Key = Form(e.Name); e.Key == anyRelease || len(e.Key) > MaxNameBytes {
		return nil
	}
	e.Other = []string{bare, "release " + bare}
	if of != "" {
		e.Other = append(e.Other, of, of+" "+bare)
	}
	return e
}

// Since is a reference to a release in a question, such as "since the release". [Released] looks up
// its date.
type Since struct {
	Name   string // of the product; empty for the latest release of anything
	Before bool   // up to the release instead of from it
}

// ReadSince finds a reference to a release in a question, such as "since the release" or "after
// Lighthouse 2.0 was released". It returns the reference and the rest of the question. It does not
// search questions of more than maxDated bytes.
func ReadSince(question string) (s Since, rest string, found bool) {
	if len(question) > maxDated {
		return Since{}, question, false
	}
	at := sinceReleased.FindStringSubmatchIndex(question)
	if at == nil {
		at = sinceRelease.FindStringSubmatchIndex(question)
	}
	if at == nil {
		return Since{}, question, false
	}
	group := func(n int) string {
		if 2*n >= len(at) || at[2*n] < 0 {
			return ""
		}
		return question[at[2*n]:at[2*n+1]]
	}
	word := strings.ToLower(group(1))
	s = Since{Name: strings.Trim(group(2)+group(3), " .-"), Before: word == "before" || word == "until" || word == "up to"}
	if form := Form(s.Name); form == anyRelease || form == "it" || form == "that" || form == "this" {
		s.Name = ""
	}
	left := strings.TrimLeft(question[at[len(at)-2]:], " ,?!.") // the last group is the text after it
	return s, strings.TrimSpace(strings.TrimSpace(question[:at[0]]) + " " + left), true
}

// Released returns the period that begins or, if s.Before is set, ends with a release. The date of
// the release comes from a document that the audience may read. found is false if no document has
// the date. Of q, only Audience, Sources and Documents are used.
func Released(ctx context.Context, g Graph, q Question, s Since, now time.Time) (p Period, found bool, err error) {
	q = Question{Audience: q.Audience, Sources: q.Sources, Documents: q.Documents, Relations: []Relation{Releases}, To: now, Limit: 1, Object: true, Names: []string{anyRelease}}
	if form := Form(s.Name); form != "" {
		bare := form
		if len(form) > 1 && form[0] == 'v' && isDigit(form[1]) {
			bare = form[1:]
		}
		q.Names = []string{form, bare, "release " + bare}
	}
	stated, err := g.Statements(ctx, q)
	if err != nil || len(stated) == 0 || stated[0].At.IsZero() {
		return Period{}, false, err
	}
	at := stated[0].At
	if s.Before {
		return Period{To: at}, true, nil
	}
	return Period{From: at}, true, nil
}
