package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Explanation holds the stored facts about a message: the decision whether to answer it, and the
// result.
type Explanation struct {
	Turn    *session.Turn   // nil: the message created no turn
	Verdict session.Verdict // the decision about the message; zero if none is stored
	Saved   session.Saved   // the turn's result
}

// Reason returns the code of the decision about the message, or "" if no decision is stored.
func (e Explanation) Reason() policy.Reason {
	if e.Turn != nil && e.Turn.Reason != "" {
		return policy.Reason(e.Turn.Reason)
	}
	return policy.Reason(e.Verdict.Reason)
}

// Inspector explains why messages were answered or not.
type Inspector struct{ Store Explained }

// Turn explains a turn by the decision about its message and by its result. While the turn is
// running, the explanation has no result.
func (i Inspector) Turn(ctx context.Context, t session.Turn) (Explanation, error) {
	e := Explanation{Turn: &t}
	var err error
	if t.Message != "" {
		if e.Verdict, err = i.Store.Verdict(ctx, t.Session.Tenant, t.Session.Ref, t.Message); err != nil {
			return e, err
		}
	}
	if t.Outcome != "" {
		e.Saved, err = i.Store.Saved(ctx, t)
	}
	return e, err
}

// Message explains a question, a page of an answer, or a message without an answer. For an unknown
// message the explanation is empty.
func (i Inspector) Message(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Explanation, error) {
	t, err := i.Store.TurnOf(ctx, tenant, at, id)
	if err == nil {
		return i.Turn(ctx, t)
	}
	if !errors.Is(err, session.ErrUnknownTurn) {
		return Explanation{}, err
	}
	v, err := i.Store.Verdict(ctx, tenant, at, id)
	return Explanation{Verdict: v}, err
}

// Sentences returns the explanation as paragraphs and list items. It names only documents for which
// may returns true. It does not reveal how many other documents exist.
func (e Explanation) Sentences(may func(document.ID) bool) []string {
	if e.Turn == nil {
		if e.Verdict.Reason == "" {
			return []string{"Nothing is known of this message: it was written where I do not listen, or longer ago than decisions are kept."}
		}
		return []string{describeDecision(e.Verdict.Reason), "It was not taken in, and its text was not kept."}
	}
	t := e.Turn
	said := []string{describeDecision(string(e.Reason()))}
	if origin, derived := origins[t.Origin.As]; derived {
		said[0] = fmt.Sprintf("Decision: %s (of turn %s)", origin, t.Origin.Turn)
	}
	if t.Ambient {
		said = append(said, "The answer was unasked.")
	}
	said = append(said, audienceInWords(t.Audience))
	if !t.LimitedUntil.IsZero() {
		said = append(said, fmt.Sprintf("A quota had no room for it until %s.", t.LimitedUntil.UTC().Format("2006-01-02 15:04 UTC")))
	}
	if t.Outcome == "" {
		return append(said, "It is still being answered.")
	}
	said = append(said, describePlan(e.Saved.Plan, may)...)
	for n, run := range e.Saved.Runs {
		if len(e.Saved.Runs) > 1 {
			said = append(said, fmt.Sprintf("Model %d was %s.", n+1, run.Model))
		}
		for _, search := range run.Searches {
			said = append(said, describeSearch(search, may)...)
		}
	}
	return append(said, e.outcome()...)
}

var origins = map[session.Derivation]string{
	session.Retried:   "The question was answered again, replacing an earlier answer.",
	session.Privately: "The asker wanted the answer privately.",
	session.Shared:    "Its owner shared a private answer.",
}

func describeDecision(reason string) string {
	if words := policy.Explain(policy.Reason(reason)); words != "" {
		return fmt.Sprintf("Decision: %s (%s)", words, reason)
	}
	if reason == "" {
		return "Decision: it was asked where every question is answered."
	}
	return fmt.Sprintf("Decision: %s, which this version does not know.", reason)
}

func audienceInWords(a access.Audience) string {
	var all []string
	for _, p := range a.Principals() {
		all = append(all, string(p))
	}
	return "Audience: whoever sees the answer holds " + strings.Join(all, ", ") + "; only documents that name one of these, or what they all held of sources, were used."
}

func describeSearch(a retrieve.Account, may func(document.ID) bool) []string {
	var asked []string
	for _, q := range a.Queries {
		asked = append(asked, fmt.Sprintf("%q", q))
	}
	if a.Web {
		return append([]string{fmt.Sprintf("Web search: %s; %s.", strings.Join(asked, ", "), plural.Count(len(a.Found), "page"))}, listWebPages(a, may)...)
	}
	evidence := "what was found matches the question closely"
	if !a.Evidence {
		evidence = "nothing matches the question closely"
	}
	vectors := "keywords alone"
	if a.Embedder != "" && a.Alpha > 0 {
		vectors = fmt.Sprintf("keywords and %.0f %% %s", 100*a.Alpha, a.Embedder)
	}
	if a.Page > 0 {
		return []string{fmt.Sprintf("Search: page %d of %s, from what that had found; %s.", a.Page, strings.Join(asked, ", "), plural.Count(len(a.Found), "passage"))}
	}
	said := []string{fmt.Sprintf("Search: %s, by %s; %s.", strings.Join(asked, ", "), vectors, evidence)}
	if len(a.Synonyms) > 0 {
		said = append(said, "Synonyms that were looked for too: "+strings.Join(a.Synonyms, "; ")+".")
	}
	if a.Notice != "" {
		said = append(said, a.Notice)
	}
	named := make(map[document.ID]bool)
	for _, f := range a.Found {
		if named[f.Document] || !may(f.Document) {
			continue
		}
		named[f.Document] = true
		matches := ""
		if f.Coverage > 0 { // it is computed for the best few
			matches = fmt.Sprintf("; matches %.0f %% of the question", 100*f.Coverage)
		}
		said = append(said, fmt.Sprintf("- %d. %s: score %.3f (%s%s)", len(named), f.Title, f.Score, describeRanks(f), matches))
		if len(named) == maxExplained {
			break
		}
	}
	return said
}

func listWebPages(a retrieve.Account, may func(document.ID) bool) (said []string) {
	for _, f := range a.Found {
		if may(f.Document) && len(said) < maxExplained {
			said = append(said, fmt.Sprintf("- %d. %s", len(said)+1, f.Title))
		}
	}
	return said
}

// maxExplained is the maximum number of documents that an explanation names for each search.
const maxExplained = 5

// describeRanks returns for example "keywords #2, BM25 7.31, age ×0.90".
func describeRanks(f retrieve.Found) string {
	var in []string
	if f.KeywordPos > 0 {
		in = append(in, fmt.Sprintf("keywords #%d, BM25 %.2f", f.KeywordPos, f.Flat))
	}
	if f.VectorPos > 0 {
		in = append(in, fmt.Sprintf("vectors #%d, similarity %.2f", f.VectorPos, f.Cosine))
	}
	if f.Recency != 0 && f.Recency != 1 {
		in = append(in, fmt.Sprintf("age ×%.2f", f.Recency))
	}
	if f.Knowledge > 0 {
		in = append(in, "named by a passage that was found")
	}
	if len(in) == 0 {
		return "a neighbour or an earlier source"
	}
	return strings.Join(in, ", ")
}

var causes = map[session.Cause]string{
	session.CauseDown:        "the model's endpoint could not be reached or was not available. Check that it runs and that `OPENAI_BASE_URL` is right; `footnote doctor` tries it.",
	session.CauseStalled:     "the model's endpoint stopped in the middle of a reply. Check its load and its log; `footnote doctor` tries it.",
	session.CauseAuth:        "the model's endpoint refused the credentials. Set a valid `OPENAI_API_KEY` and restart.",
	session.CauseNotFound:    "the model's endpoint does not know the model or the address. Check `LLM_MODEL` and `OPENAI_BASE_URL`.",
	session.CauseRequest:     "the model's endpoint refused the request. The log has what it said; check that `LLM_MODEL` names a chat model.",
	session.CauseBusy:        "the model's endpoint asked for a pause. Raise its limits, or lower the quotas of questions.",
	session.CauseBudget:      "a cost cap leaves no room for the call. Wait for the next period, or raise the cap; `footnote usage` shows what was spent.",
	session.CauseTooLong:     "the prompt does not fit into the model's window. Ask with less text, or set a larger window.",
	session.CauseEmpty:       "the model wrote nothing. Try again, or choose another model.",
	session.CauseEndless:     "the model did not stop writing. Ask for less, or choose another model.",
	session.CauseUnchecked:   "the filter for answers could not be reached. Check its endpoint; `footnote doctor` tries it.",
	session.CauseUnsearched:  "the documents could not be searched. Check the database; `footnote doctor` tries it.",
	session.CauseInterrupted: "the process ended while it answered. Ask again.",
	session.CauseAudience:    "it was not known who is in the channel, so only public documents were used. Try again; `footnote doctor` checks the bot's scopes.",
	session.CauseInside:      "the program failed. Report it with the lines of the log that have the reference.",
}

func (e Explanation) outcome() []string {
	t, said := e.Turn, []string(nil)
	line := "Outcome: " + string(t.Outcome)
	if best, ran := e.Saved.Best(); ran {
		line += ", written by " + best.Model
		if best.Ending.Grounding != "" {
			line += ", " + string(best.Ending.Grounding)
		}
	}
	if took := e.Saved.Timings["total"]; took > 0 {
		line += ", in " + took.Round(time.Millisecond).String()
	}
	said = append(said, line+".")
	if e.Saved.Sentence != "" {
		said = append(said, e.Saved.Sentence)
	}
	if t.Undelivered != "" {
		said = append(said, t.Undelivered)
	}
	for _, run := range e.Saved.Runs {
		if words := causes[run.Ending.Cause]; words != "" {
			said = append(said, "Cause: "+words)
		}
	}
	if e.Saved.Reference != "" {
		said = append(said, "The log tells more under the reference "+e.Saved.Reference+".")
	}
	return said
}
