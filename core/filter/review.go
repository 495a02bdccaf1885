package filter

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Paragraph is a paragraph of an answer that a reviewer checks.
type Paragraph struct {
	Answer
	Number int // within the message, from 1
	Text   string
}

// Verdict is a reviewer's decision on a paragraph.
type Verdict int

// The values of [Verdict].
const (
	Allow Verdict = iota
	Replace
	Block
)

// Reviewer checks paragraphs before they are shown. Implementations must be safe for concurrent
// use.
type Reviewer interface {
	// Review returns the verdict on a paragraph. With Replace, it also returns the replacement
	// text. It must return when ctx ends.
	Review(ctx context.Context, p Paragraph) (Verdict, string, error)
}

// Reviewed is a stage that sends every complete paragraph to a reviewer before it is shown.
type Reviewed struct {
	Reviewer Reviewer
	// a paragraph that cannot be reviewed is shown; otherwise the answer ends before it
	Open   bool
	Logger *slog.Logger // nil: silent
}

var _ Stage = Reviewed{}

// Screen implements Stage.
func (r Reviewed) Screen(a Answer) Screen {
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	return &reviewScreen{Reviewed: r, answer: a}
}

type reviewScreen struct {
	Reviewed
	answer Answer
	raw    string
	number int
	ended  error
}

// Push implements Screen.
func (s *reviewScreen) Push(ctx context.Context, text string) (string, error) {
	var out strings.Builder
	for text != "" && s.ended == nil {
		n := min(len(text), maxParagraph-len(s.raw))
		if end := paragraphEnd(s.raw, text[:n]); end > 0 {
			n = end
		}
		s.raw += text[:n]
		text = text[n:]
		if endsParagraph(s.raw) || len(s.raw) >= maxParagraph {
			out.WriteString(s.review(ctx))
		}
	}
	return out.String(), s.ended
}

// Flush implements Screen.
func (s *reviewScreen) Flush(ctx context.Context) (string, error) {
	if s.ended != nil {
		return "", s.ended
	}
	text := s.review(ctx)
	s.number = 0
	return text, s.ended
}

// review returns the text that may be shown. The reviewer does not see the white space around the
// paragraph.
func (s *reviewScreen) review(ctx context.Context) string {
	raw := s.raw
	s.raw = ""
	text := strings.TrimSpace(raw)
	if text == "" {
		return raw
	}
	before, after, _ := strings.Cut(raw, text)
	s.number++
	verdict, instead, err := s.Reviewer.Review(ctx, Paragraph{Answer: s.answer, Number: s.number, Text: text})
	switch {
	case context.Cause(ctx) != nil:
		s.ended = context.Cause(ctx)
		return ""
	case err != nil && s.Open:
		s.Logger.WarnContext(ctx, "a paragraph was shown that could not be reviewed", "turn", s.answer.Turn, "error", err)
		return raw
	case err != nil:
		s.ended = fmt.Errorf("%w: %w", ErrUnchecked, err)
		return ""
	case verdict == Replace:
		if instead = strings.TrimSpace(instead); instead == "" {
			return ""
		}
		return before + instead + after
	case verdict == Block:
		s.ended = &Blocked{sentenceBlock}
		return ""
	default:
		return raw
	}
}
