package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

// interviewJSON is the output of eval --questions --json. Its field names are stable.
type interviewJSON struct {
	evaluate.AnswerReport
	Compared *comparedAnswersJSON `json:"compared_with,omitempty"`
}

type comparedAnswersJSON struct {
	File    string            `json:"file"`
	At      time.Time         `json:"at"`
	Version string            `json:"version"`
	Changes []evaluate.Change `json:"changes"`
}

func (c *evalCommand) ask(ctx context.Context, env *environment) error {
	questions, err := readQuestions(c.Questions)
	if err != nil {
		return usageError(fmt.Sprintf("--questions %s: %v", c.Questions, err))
	}
	report := evaluate.AnswerReport{
		File: filepath.Base(c.Questions), Fingerprint: evaluate.FingerprintQuestions(questions), At: time.Now().UTC().Truncate(time.Second), Version: version,
		Sources: c.Source, Deep: c.Deep,
	}
	var earlier *evaluate.AnswerReport
	if c.Compare != "" { // before the work: a wrong file is reported at once
		if earlier, err = readAnswerReport(c.Compare); err == nil {
			_, err = report.Compare(*earlier)
		}
		if err != nil {
			return usageError(fmt.Sprintf("--compare %s: %v", c.Compare, err))
		}
	}
	err = env.withBase(ctx, func(base *wire.Base) error {
		base.Measuring = true
		return c.interview(ctx, env, base, questions, &report)
	})
	if err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Questions, err)
	}
	out := interviewJSON{AnswerReport: report}
	if earlier != nil {
		changes, err := report.Compare(*earlier)
		if err != nil {
			return err
		}
		out.Compared = &comparedAnswersJSON{c.Compare, earlier.At, earlier.Version, changes}
	}
	if c.JSON {
		err = newEncoder(env.stdout).Encode(out)
	} else {
		err = printInterview(env.out, out, c.Answers)
	}
	if c.Save != "" {
		err = errors.Join(err, writeWhole(c.Save, report.Write))
	}
	return err
}

func readQuestions(name string) ([]evaluate.Question, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return evaluate.ReadQuestions(file)
}

func readAnswerReport(name string) (*evaluate.AnswerReport, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	report, err := evaluate.ReadAnswerReport(file)
	return &report, err
}

func (c *evalCommand) interview(ctx context.Context, env *environment, base *wire.Base, questions []evaluate.Question, report *evaluate.AnswerReport) error {
	sources := make([]document.SourceID, len(c.Source))
	for i, id := range c.Source {
		sources[i] = document.SourceID(id)
	}
	missing, err := pagesMissing(ctx, base, sources, questions)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("No document that is indexed has a page that answers %s: they count as not found.", strings.Join(missing, ", ")))
	}
	retriever, err := base.Retriever()
	if err != nil {
		return err
	}
	embedder, _, err := base.SearchEmbedder(ctx)
	if err != nil {
		return err
	}
	if embedder != nil {
		report.Embedder = embedder.Model()
	}
	asker := &asker{env: env, base: base, choice: wire.Choice{Sources: sources, Unattended: true}, deep: c.Deep}
	bar := newProgress(env, "Asking "+report.File)
	defer bar.end()
	began := time.Now()
	report.Results, err = evaluate.Interview{Asker: asker, Retriever: retriever, Audience: base.ConsoleAudience(), Sources: sources}.Run(ctx, questions, func(asked int) {
		bar.doing(fmt.Sprintf("%d of %d questions", asked, len(questions)))
	})
	report.Seconds, report.Model = time.Since(began).Seconds(), asker.model
	expected := make(map[string]bool, len(questions))
	for _, q := range questions {
		expected[q.ID] = q.Answer != ""
	}
	report.Summaries = evaluate.Summarise(report.Results, expected)
	if err == nil && c.Deep && base.Config.HasModel() {
		bar.doing("Judging the answers")
		err = judgeAnswers(ctx, base, questions, report)
	}
	return err
}

func judgeAnswers(ctx context.Context, base *wire.Base, questions []evaluate.Question, report *evaluate.AnswerReport) error {
	model, err := base.Model()
	if err != nil {
		return err
	}
	judged, opinions := 0, make(map[evaluate.Opinion]int)
	for i, q := range questions {
		if q.Answer == "" {
			continue
		}
		if report.Results[i].Opinion, err = evaluate.Opine(ctx, model, q, report.Results[i].Answer); err != nil {
			return err
		}
		judged++
		opinions[report.Results[i].Opinion]++
	}
	if judged > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("Of %s whose right one is known, %s finds %d right, %d right in part and %d wrong.", plural.Count(judged, "answer"), model.Info().Name,
			opinions[evaluate.Agrees], opinions[evaluate.Partly], opinions[evaluate.Differs]))
	}
	return nil
}

// pagesMissing returns the ids of questions whose pages are not indexed. It fails if that is true
// of all.
func pagesMissing(ctx context.Context, base *wire.Base, sources []document.SourceID, questions []evaluate.Question) ([]string, error) {
	states, err := base.Index.Sources(ctx, base.Tenant)
	if err != nil {
		return nil, err
	}
	var known []document.SourceID
	for _, s := range states {
		known = append(known, s.Source.ID)
	}
	for _, id := range sources {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("there is no source %q: footnote sources lists them", id)
		}
	}
	if len(sources) == 0 {
		sources = known
	}
	pages := make(map[string]bool)
	for _, id := range sources {
		var stamps map[document.ID]index.Stamp
		if stamps, err = base.Index.Known(ctx, base.Tenant, id, nil); err != nil {
			return nil, err
		}
		for name := range maps.Keys(stamps) {
			pages[evaluate.Page(name)] = true
		}
	}
	var missing []string
	answerable := 0
	for _, q := range questions {
		if !q.Answerable() {
			continue
		}
		answerable++
		found := false
		for page := range pages {
			if found = q.Pages.MatchString(page); found {
				break
			}
		}
		if !found {
			missing = append(missing, q.ID)
		}
	}
	if answerable > 0 && len(missing) == answerable {
		return nil, errors.New("no document that is indexed has any of the pages that answer: index the documents that the questions are about, and see that pages_regex matches their paths below the source")
	}
	return missing, nil
}

type asker struct {
	env    *environment
	base   *wire.Base
	choice wire.Choice
	deep   bool   // questions are searched deeply
	model  string // model of the last answer
}

// Open implements evaluate.Asker.
func (a *asker) Open(ctx context.Context) (evaluate.Thread, error) {
	c, err := converse(ctx, a.env, a.base, talk{out: io.Discard, choice: a.choice})
	if err != nil {
		return nil, err
	}
	return &askedThread{conversation: c, asker: a}, nil
}

type askedThread struct {
	*conversation
	asker *asker
}

// Ask implements evaluate.Thread.
func (t *askedThread) Ask(ctx context.Context, question string) (evaluate.Reply, error) {
	if t.asker.deep {
		question = policy.Deepen(question)
	}
	id, said, err := t.conversation.Ask(ctx, question)
	if err == nil && id == "" {
		err = fmt.Errorf("it was not taken in: %s", cmp.Or(said, policy.NoQuestion))
	}
	if err != nil {
		return evaluate.Reply{}, err
	}
	result, err := t.Wait(ctx, id)
	if err = errors.Join(err, result.Err); err != nil {
		return evaluate.Reply{}, err
	}
	best := result.Best()
	if saved, ran := result.Final.Saved.Best(); ran {
		t.asker.model = saved.Model
	}
	if best.Outcome == session.Failed || best.Outcome == session.Limited {
		return evaluate.Reply{}, fmt.Errorf("it was not answered: %s", viewJSON(best).Message)
	}
	reply := evaluate.Reply{Text: best.Text(), Outcome: string(best.Outcome), Asserted: best.Outcome == session.Answered && strings.TrimSpace(best.Text()) != "",
		Linked: strings.HasPrefix(best.Text(), retrieve.MayHelp)}
	quoted, _, _ := strings.Cut(best.Text(), retrieve.MayHelp)
	for _, c := range best.Citations { // in the order in which the text has them
		reply.Cited = append(reply.Cited, c.Document)
		if strings.Contains(quoted, "["+strconv.Itoa(c.Number)+"]") {
			reply.Quoted++
		}
	}
	for _, d := range best.Documents {
		reply.Found = append(reply.Found, d.ID)
	}
	return reply, nil
}

func printInterview(to io.Writer, e interviewJSON, answers bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s in %.0f s, answered by %s", plain(e.File), plural.Count(len(e.Results), "question"), e.Seconds, e.Model)
	if e.Embedder != "" {
		fmt.Fprintf(&b, ", embedder %s", e.Embedder)
	}
	fmt.Fprintln(&b)
	if answers {
		for _, r := range e.Results {
			fmt.Fprintf(&b, "\n%s  %s\n%s: %s; cited: %s; right page found at %d\n%s\n", r.ID, plain(r.Question), r.Outcome, r.Verdict(), strings.Join(r.Cited, " "), r.Rank,
				plainLines(r.Answer))
		}
	}
	table := tabwriter.NewWriter(&b, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\n\tquestions\tright page cited\tmore than linked\tfirst\tin top 5\tin top 25\tpassage in 2,000\tin 6,000 tokens\twrong pages only\trefused\trefused, in top 5\tpages\t")
	for _, s := range e.Summaries {
		if s.Group == evaluate.NoAnswer {
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n", plain(s.Group), s.Questions, interval(s.Cited), count(s.Quoted), count(s.First), interval(s.Top5), count(s.Top25),
			count(s.Passage2000), count(s.Passage6000), count(s.WrongOnly), count(s.Refused), count(s.RefusedFound), s.PagesPerAnswer)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range e.Summaries {
		if s.Group == evaluate.NoAnswer {
			fmt.Fprintf(&b, "without an answer in the documents: %s of %d answered falsely, %d with links alone\n", interval(s.False), s.Questions, s.Linked.Count)
		}
	}
	if e.Compared != nil {
		fmt.Fprintf(&b, "\nagainst the run of %s:\n", e.Compared.At.Local().Format("2006-01-02 15:04"))
		for _, change := range e.Compared.Changes {
			sign := "-"
			if change.Better {
				sign = "+"
			}
			fmt.Fprintf(&b, "%s %s  %s → %s  %s\n", sign, change.ID, change.Before, change.Now, plain(shorten(change.Question, 90)))
		}
		if len(e.Compared.Changes) == 0 {
			fmt.Fprintln(&b, "no question came out differently")
		}
	}
	for _, note := range e.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := fmt.Fprint(to, b.String())
	return err
}

func count(s evaluate.Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Count, s.Of)
}

// interval formats a share with its 95 % confidence interval, as "3/10 (11–60 %)".
func interval(s evaluate.Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d (%.0f–%.0f %%)", s.Count, s.Of, 100*s.Low, 100*s.High)
}

// plainLines removes characters that could drive the terminal, but keeps line breaks.
func plainLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	return strings.Join(lines, "\n")
}
