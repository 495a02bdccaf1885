package turn

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
)

// Sentence is text for people in a thread. It says what happened and what to do. It reveals no
// internals.
type Sentence string

// Sentences about the outcome of a turn.
const (
	SentenceListed     Sentence = "I found these documents:"
	sentenceNothing    Sentence = session.SentenceNothing
	sentenceUnsearched Sentence = "The documents cannot be searched at the moment. Ask again in a few minutes."
	sentenceUnbased    Sentence = "The documents could not be searched, so this answer is not based on any of them. Ask again in a few minutes."
	sentenceUncited    Sentence = "This answer is not based on any of the documents that were found."
	sentenceGeneral    Sentence = "This answer is not based on any document."
	sentenceBaseless   Sentence = "I couldn't match this answer to its sources. Check them before you rely on it."
	sentenceStopped    Sentence = "Stopped. What had been written is kept."
	sentenceUnstarted  Sentence = "Stopped before anything was written."
	sentenceRefused    Sentence = "The model declined to answer this. Ask in other words, or ask a person."
	sentenceEmpty      Sentence = "The model gave no answer. Ask again, or ask in other words."
	sentenceTooLong    Sentence = "The question and what came with it are too long for the model. Ask with less text or fewer files."
	sentenceEndless    Sentence = "The model did not come to an end, so its answer was stopped. Ask in other words, or ask for less."
	sentenceUnbegun    Sentence = "The model did not begin its answer. Ask again."
	sentenceStalled    Sentence = "The model stopped in the middle of its answer. Ask again."
	sentenceDown       Sentence = "I can't reach the language model right now. Try again in a few minutes."
	sentenceSetup      Sentence = "The model cannot be used the way it is set up. Tell whoever runs this bot."
	sentenceBroken     Sentence = "Something went wrong while answering. Ask again; if it happens again, tell whoever runs this bot."
	sentenceInterrupt  Sentence = "The answer was interrupted. Ask again."
	sentenceCut        Sentence = "The answer was cut off because it became too long. Ask for the rest, or for a shorter answer."
	sentenceUnchecked  Sentence = "The answer could not be checked before it is shown, so it is not shown. Ask again in a few minutes; if it happens again, tell whoever runs this bot."
	sentenceNoBudget   Sentence = "There is no budget for written answers at the moment. Ask again later, or tell whoever runs this bot."
	sentenceProject    Sentence = "The project's files are too long to be read whole, so they were searched."
)

func sentenceLimited(after time.Duration) Sentence {
	switch {
	case after <= 0:
		return "The model has too much to do at the moment. Ask again in a minute."
	case after < 90*time.Second:
		return Sentence("The model has too much to do at the moment. Ask again in " + plural.Count(int(after.Seconds()+0.999), "second") + ".")
	default:
		return Sentence("The model has too much to do at the moment. Ask again in " + plural.Count(int(after.Minutes()+0.999), "minute") + ".")
	}
}

func quotedPreface(reference string) string {
	return fmt.Sprintf("I can't reach the language model right now. Here is what your documents say: (code %s)\n\n", reference)
}

// newReference returns a random code for a failure. It identifies the failure in the log and in the
// command "footnote why".
func newReference() string { return strings.ToLower(rand.Text()[:10]) }

// causeOf returns a code for the reason why a run has no answer, or "" if there is no failure to
// report. If every search failed, it returns CauseUnsearched even if there is an answer.
func causeOf(err error, f facts) session.Cause {
	var limited *llm.RateLimitError
	var full *spend.CapError
	switch {
	case err == nil && f.unsearched, errors.Is(err, llm.ErrEmpty) && f.unsearched:
		return session.CauseUnsearched
	case err == nil, f.stopping, errors.As(err, new(errRefused)), errors.As(err, new(*filter.Blocked)):
		return ""
	case f.interrupted:
		return session.CauseInterrupted
	case errors.Is(err, filter.ErrUnchecked):
		return session.CauseUnchecked
	case errors.As(err, &full), errors.Is(err, llm.ErrBudget):
		return session.CauseBudget
	case errors.As(err, &limited):
		return session.CauseBusy
	}
	for _, known := range []struct {
		err   error
		cause session.Cause
	}{
		{llm.ErrEmpty, session.CauseEmpty}, {llm.ErrContextTooLong, session.CauseTooLong}, {budget.ErrTooLarge, session.CauseTooLong},
		{budget.ErrWindow, session.CauseTooLong}, {llm.ErrEndless, session.CauseEndless}, {llm.ErrStalled, session.CauseStalled},
		{llm.ErrIncomplete, session.CauseStalled}, {llm.ErrUnavailable, session.CauseDown}, {llm.ErrAuth, session.CauseAuth},
		{llm.ErrNotFound, session.CauseNotFound}, {llm.ErrBadRequest, session.CauseRequest},
	} {
		if errors.Is(err, known.err) {
			return known.cause
		}
	}
	return session.CauseInside
}

var exhaustedBudgets = map[string]string{"daily": "The budget for today is used up", "monthly": "The budget for this month is used up"}

func sentenceStandIn(full *spend.CapError) string {
	return exhaustedBudgets[full.Period] + ", so this answer quotes the documents instead of writing about them."
}

func sentenceCapped(full *spend.CapError) Sentence {
	return Sentence(fmt.Sprintf("%s. Ask again after %s.", exhaustedBudgets[full.Period], full.Until.Format("2 January 15:04 UTC")))
}

// errRefused ends a run if a filter refused the question. It contains the sentence for the person.
type errRefused string

func (e errRefused) Error() string { return "a filter refused the question" }

// errPanic ends a run after a panic. The log has the panic's value.
var errPanic = errors.New("a lower level panicked")

type facts struct {
	cited, wroteText      bool
	baseless              bool // the passages support no citation
	isDenial              bool // the answer says that the documents do not answer
	searched, evidence    bool
	unsearched            bool // every search failed
	references            bool // the model was shown documents
	grounding             prompt.Grounding
	smallTalk             bool // the message was a greeting or a thank-you
	searchOnly            bool // only a search was requested
	interrupted, stopping bool // the context ended, with ErrStopped if stopping
}

func outcomeOf(err error, f facts) Ending {
	switch {
	case err == nil:
		return completedOutcome(f)
	case f.stopping:
		if !f.wroteText {
			return Ending{Outcome: session.Stopped, Sentence: sentenceUnstarted}
		}
		return Ending{Outcome: session.Stopped, Sentence: sentenceStopped}
	case f.interrupted:
		return Ending{Outcome: session.Failed, Sentence: sentenceInterrupt, Retryable: true}
	}
	var (
		limited *llm.RateLimitError
		full    *spend.CapError
		blocked *filter.Blocked
		refused errRefused
	)
	switch {
	case errors.As(err, &refused):
		return Ending{Outcome: session.Refused, Sentence: Sentence(refused)}
	case errors.As(err, &blocked):
		return Ending{Outcome: session.Refused, Sentence: Sentence(blocked.Sentence)}
	case errors.Is(err, filter.ErrUnchecked):
		return Ending{Outcome: session.Failed, Sentence: sentenceUnchecked, Retryable: true}
	case errors.As(err, &full):
		return Ending{Outcome: session.Limited, Sentence: sentenceCapped(full)}
	case errors.Is(err, llm.ErrBudget):
		return Ending{Outcome: session.Limited, Sentence: sentenceNoBudget}
	case errors.As(err, &limited):
		return Ending{Outcome: session.Limited, Sentence: sentenceLimited(limited.RetryAfter), Retryable: true}
	case errors.Is(err, llm.ErrRefused):
		return Ending{Outcome: session.Refused, Sentence: sentenceRefused}
	case errors.Is(err, llm.ErrEmpty) && f.unsearched:
		return Ending{Outcome: session.Failed, Sentence: sentenceUnsearched, Retryable: true}
	case errors.Is(err, llm.ErrEmpty) && f.searched && !f.evidence:
		return Ending{Outcome: session.NoEvidence, Sentence: sentenceNothing}
	case errors.Is(err, llm.ErrEmpty):
		return Ending{Outcome: session.Failed, Sentence: sentenceEmpty, Retryable: true}
	case errors.Is(err, llm.ErrContextTooLong), errors.Is(err, budget.ErrTooLarge):
		return Ending{Outcome: session.Failed, Sentence: sentenceTooLong}
	case errors.Is(err, llm.ErrEndless):
		return Ending{Outcome: session.Failed, Sentence: sentenceEndless, Retryable: true}
	case (errors.Is(err, llm.ErrStalled) || errors.Is(err, llm.ErrIncomplete)) && !f.wroteText:
		return Ending{Outcome: session.Failed, Sentence: sentenceUnbegun, Retryable: true}
	case errors.Is(err, llm.ErrStalled), errors.Is(err, llm.ErrIncomplete):
		return Ending{Outcome: session.Failed, Sentence: sentenceStalled, Retryable: true}
	case errors.Is(err, llm.ErrUnavailable):
		return Ending{Outcome: session.Failed, Sentence: sentenceDown, Retryable: true}
	case errors.Is(err, llm.ErrAuth), errors.Is(err, llm.ErrNotFound), errors.Is(err, llm.ErrBadRequest), errors.Is(err, budget.ErrWindow):
		return Ending{Outcome: session.Failed, Sentence: sentenceSetup}
	default:
		return Ending{Outcome: session.Failed, Sentence: sentenceBroken, Retryable: true}
	}
}

// completedOutcome returns the outcome of a run without error. The outcome depends on what the
// answer says and cites. It does not depend on whether the search rated its results as evidence,
// because the model has read the results.
//
//	the answer               open agent                     strict agent;
//	cites a passage:         answered, cited                answered, cited;
//	… without support:       answered, cited, with a note   answered, cited, with a note;
//	cites nothing:           answered, with a note          no_evidence; not shown;
//	… and is a denial:       no_evidence, without a note    the same, if only a denial;
//
// A run without text ends with llm.ErrEmpty. Its outcome is no_evidence if a search found nothing
// close, and failed otherwise. If every search failed and the model saw no documents, an open
// agent's answer says so and a strict agent's turn fails.
func completedOutcome(f facts) Ending {
	grounding := packet.General
	if f.references {
		grounding = packet.Uncited
	}
	switch {
	case f.cited && f.baseless:
		return Ending{Outcome: session.Answered, Grounding: packet.Cited, Sentence: sentenceBaseless}
	case f.cited:
		return Ending{Outcome: session.Answered, Grounding: packet.Cited}
	case f.unsearched && !f.references && f.grounding == prompt.Strict:
		// the documents may answer it, so no_evidence would be wrong
		return Ending{Outcome: session.Failed, Sentence: sentenceUnsearched, Retryable: true}
	case f.unsearched && !f.references:
		return Ending{Outcome: session.Answered, Grounding: packet.General, Sentence: sentenceUnbased}
	case f.searchOnly && f.evidence:
		return Ending{Outcome: session.Answered, Sentence: SentenceListed}
	case f.isDenial && f.searched: // the answer itself says so
		return Ending{Outcome: session.NoEvidence, Grounding: grounding}
	case f.smallTalk && f.wroteText && !f.references:
		return Ending{Outcome: session.Answered, Grounding: packet.General}
	case f.searchOnly, f.grounding == prompt.Strict:
		return Ending{Outcome: session.NoEvidence, Grounding: grounding, Sentence: sentenceNothing}
	case f.references:
		return Ending{Outcome: session.Answered, Grounding: packet.Uncited, Sentence: sentenceUncited}
	default:
		return Ending{Outcome: session.Answered, Grounding: packet.General, Sentence: sentenceGeneral}
	}
}

func cancellation(ctx context.Context) (interrupted, stopping bool) {
	cause := context.Cause(ctx)
	return cause != nil, errors.Is(cause, ErrStopped)
}
