package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Check is one check of `footnote doctor`. state describes the checked part; err says what to do.
type Check struct {
	Part string
	Run  func(ctx context.Context) (state string, err error)
}

const checkTimeout = 20 * time.Second

// Checks returns the checks of all parts, each after the parts that it depends on.
func (b *Base) Checks() []Check {
	checks := []Check{
		{"configuration", b.checkConfiguration},
		{"database", b.checkDatabase},
		{"schema", b.checkSchema},
		{"index", b.checkIndex},
		{"search engine", b.checkEngine},
		{"embedder", b.checkEmbedder},
		{"reranker", b.checkReranker},
		{"web search", b.checkWebSearch},
		{"model", b.checkModel},
		{"spending", b.checkSpending},
		{"filters", b.checkFilter},
		{"Redis", b.checkRedis},
	}
	if len(b.File().Projects) > 0 {
		checks = append(checks, Check{"projects", b.checkProjects})
	}
	for i := range checks {
		checks[i].Run = withTimeout(checkTimeout, checks[i].Run)
	}
	return checks
}

// withTimeout replaces the error of a timeout with one that says what the operator can do.
func withTimeout(limit time.Duration, run func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		silent := fmt.Errorf("it did not answer within %s: see that it runs, and that its address in the settings leads to it", limit)
		ctx, cancel := context.WithTimeoutCause(ctx, limit, silent)
		defer cancel()
		state, err := run(ctx)
		if err != nil && errors.Is(context.Cause(ctx), silent) {
			return "", silent
		}
		return state, err
	}
}

func (b *Base) checkConfiguration(ctx context.Context) (string, error) {
	hash, err := b.Hash(ctx)
	if err != nil {
		return "", err
	}
	f := b.File()
	if f.Path == "" {
		return fmt.Sprintf("%s, from the environment alone", hash), nil
	}
	return fmt.Sprintf("%s, with %s: %s, %s, %s, rules for %s",
		hash, f.Path, plural.Count(len(f.Agents), "agent"), plural.Count(len(f.Projects), "project"), plural.Count(len(f.Sources), "source"), plural.Count(len(f.Channels), "channel")), nil
}

// checkProjects opens every file and folder of the projects.
func (b *Base) checkProjects(ctx context.Context) (string, error) {
	opened := 0
	var faults []string
	for _, p := range b.File().Projects {
		for _, f := range p.Files {
			connector, err := b.projectConnector(f)
			if err == nil {
				err = opens(ctx, connector)
			}
			if opened++; err != nil {
				faults = append(faults, fmt.Sprintf("projects.%s, %s: %s", p.Name, f.Path, index.Reason(err)))
			}
		}
	}
	if len(faults) > 0 {
		return "", errors.New(strings.Join(faults, "; "))
	}
	return plural.Count(opened, "path") + " can be read", nil
}

// opens returns the error of the first batch of a connector. It loads no documents.
func opens(ctx context.Context, connector index.Connector) error {
	for _, err := range connector.Sync(ctx, nil) {
		return err
	}
	return nil
}

func (b *Base) checkDatabase(ctx context.Context) (string, error) {
	server, vector, err := b.DB.Versions(ctx)
	if err != nil {
		return "", err
	}
	if err := b.DB.CheckLibraries(ctx); err != nil {
		return "", fmt.Errorf("PostgreSQL %s: %w", server, err)
	}
	where := "DATABASE_URL"
	if b.cluster != nil {
		where = "private server"
	}
	return fmt.Sprintf("PostgreSQL %s with pgvector %s (%s)", server, vector, where), nil
}

func (b *Base) checkSchema(context.Context) (string, error) {
	if s := b.DB.Schema; s.Newer() {
		return fmt.Sprintf("version %d; this program wants %d and works with it", s.Have, s.Want), nil
	}
	return fmt.Sprintf("version %d, as this program wants", b.DB.Schema.Have), nil
}

// Empty reports whether the index holds no documents.
func (b *Base) Empty(ctx context.Context) (bool, error) {
	sources, err := b.Index.Sources(ctx, b.Tenant)
	return err == nil && !slices.ContainsFunc(sources, func(s pgindex.SourceState) bool { return s.Documents > 0 }), err
}

func (b *Base) checkIndex(ctx context.Context) (string, error) {
	sources, err := b.Index.Sources(ctx, b.Tenant)
	if err != nil {
		return "", err
	}
	var documents, chunks int64
	for _, s := range sources {
		documents, chunks = documents+s.Documents, chunks+s.Chunks
	}
	if failed := neverRead(sources); len(failed) > 0 {
		return "", fmt.Errorf("%s in %s, and nothing could ever be read of %d: %s; footnote sources --failures says why: mend it and index again, or take a source out with footnote sources remove",
			plural.Count(documents, "document"), plural.Count(len(sources), "source"), len(failed), strings.Join(failed, ", "))
	}
	if documents == 0 {
		return "empty; index a folder with: footnote index PATH", nil
	}
	return fmt.Sprintf("%s in %s, %s", plural.Count(documents, "document"), plural.Count(len(sources), "source"), plural.Count(chunks, "chunk")), nil
}

func neverRead(indexed []pgindex.SourceState) []string {
	var names []string
	for _, s := range indexed {
		if s.State().NeverRead(s.Documents) {
			names = append(names, strconv.Quote(s.Source.Name))
		}
	}
	return names
}

func (b *Base) checkEmbedder(ctx context.Context) (string, error) {
	e, err := b.Embedder()
	if err != nil {
		return "", err
	}
	backlog, err := b.Backlog(ctx)
	if err != nil {
		return "", err
	}
	waiting := ""
	if backlog.Chunks > 0 {
		waiting = fmt.Sprintf("; %s have no vector of it yet and are found by their words alone: run footnote index once, or let footnote serve run, which embeds them in the background", backlog)
	}
	began := time.Now()
	vectors, err := e.Embed(ctx, retrieve.ForQuery, []string{"test"})
	if err != nil {
		state, err := unpaid(err)
		return state + waiting, err
	}
	took := time.Since(began)
	kept, fresh, err := b.Index.Bits(ctx, b.Tenant, e.Model())
	if err != nil {
		return "", err
	}
	says := fmt.Sprintf("%s, %d dimensions, alpha %.2g", e.Model(), len(vectors[0]), b.Config.HybridAlpha)
	if took > retrieve.DefaultEmbedWait {
		says += fmt.Sprintf("; it took %.1f s, and a search waits %g s and then uses keywords only: see why it is slow", took.Seconds(), retrieve.DefaultEmbedWait.Seconds())
	}
	if kept > 0 && kept != fresh {
		says += fmt.Sprintf("; its vectors have %d bits a number, and not the %d of INDEX_PRECISION: to rebuild them, run footnote sources reindex --all", kept, fresh)
	}
	state, used, err := b.FillState(ctx)
	if err != nil {
		return "", err
	}
	if used {
		says += fmt.Sprintf("; sentence vectors, alpha %.2g: %s", b.Config.SentenceAlpha, state)
		if !state.Complete {
			says += ", and searches use them once they are complete"
		}
	}
	return says + waiting, nil
}

func (b *Base) checkReranker(ctx context.Context) (string, error) {
	r, err := b.Reranker()
	if err != nil {
		return "", err
	}
	if r == nil {
		return "none configured: passages stand in the order of the search (RERANK_URL)", nil
	}
	began := time.Now()
	if _, err := r.Rerank(ctx, "test", []string{"test", "another test"}); err != nil {
		return unpaid(err)
	}
	return fmt.Sprintf("%s, two passages in %d ms; a search waits %d ms for 100", r.Model(), time.Since(began).Milliseconds(), b.Config.RerankWait.Milliseconds()), nil
}

// ProbeModel returns an error if the language model does not answer. free reports that the check
// cost nothing, because the endpoint lists the model. Otherwise it costs a few tokens.
func (b *Base) ProbeModel(ctx context.Context) (free bool, err error) {
	if !b.Config.HasModel() {
		return false, nil
	}
	_, err = withTimeout(checkTimeout, func(ctx context.Context) (string, error) {
		if free = b.listed(ctx); free {
			return "", nil
		}
		return b.checkModel(ctx)
	})(ctx)
	return free, err
}

func (b *Base) checkModel(ctx context.Context) (string, error) {
	model, err := b.Model()
	if err != nil {
		return "", err
	}
	info := model.Info()
	if info.Extractive {
		state := "none configured: answers quote the documents (set OPENAI_API_KEY or OPENAI_BASE_URL for written ones)"
		if why := b.whyNoSentenceModel(); why != "" {
			state += "; words alone decide whether a quotation answers the question, and not the sentence model in the program: " + why
		}
		return state + b.localState(ctx), nil
	}
	for _, err := range model.Stream(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Reply with OK."}}, MaxTokens: 16}) {
		if err != nil {
			return unpaid(err)
		}
		break // the model responds
	}
	return fmt.Sprintf("%s answers, window of %d tokens", info.Name, info.Window) + b.loadedWindow(ctx, info.Name, info.Window), nil
}
