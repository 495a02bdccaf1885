package wire

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/pointcheck"
	"github.com/footnotehq/footnote/core/retrieve"
)

// checkedIndex is the index that answers use. For an answer to a single listener, it also asks each
// source whether that person may still read the document. Package pointcheck decides when to ask.
type checkedIndex struct {
	*pgindex.Index
	checks *checks
}

// maxKnown is the number of cached answers of a tenant above which old ones are evicted.
const maxKnown = 10_000

func (b *Base) newChecks() *checks {
	connect := func(ctx context.Context, tenant access.TenantID, id document.SourceID) (index.Connector, error) {
		of := *b
		of.Tenant = tenant
		source, found, err := of.storedSource(ctx, id)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("source %s is not stored, or refused", id)
		}
		return of.clients.connect(source.Source)
	}
	return &checks{
		connect: connect, acls: b.Index.StoredACLs, now: time.Now, logger: b.Logger,
		known: make(map[access.TenantID]map[pointcheck.Question]pointcheck.Answer),
	}
}

func (b *Base) checked() checkedIndex { return checkedIndex{b.Index, b.checks} }

// checks caches what sources said about who may read. It is safe for concurrent use.
type checks struct {
	connect func(ctx context.Context, tenant access.TenantID, id document.SourceID) (index.Connector, error)
	acls    func(ctx context.Context, tenant access.TenantID, ids []document.ID) (map[document.ID]access.ACL, error)
	now     func() time.Time
	logger  *slog.Logger

	mu    sync.Mutex
	known map[access.TenantID]map[pointcheck.Question]pointcheck.Answer
}

var _ retrieve.Index = checkedIndex{}

// Find implements retrieve.Index.
func (x checkedIndex) Find(ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID) (retrieve.Candidates, []retrieve.Passage, error) {
	var chosen []document.ChunkID // best first
	if choose != nil {
		inner := choose
		choose = func(c retrieve.Candidates) []document.ChunkID {
			chosen = inner(c)
			return chosen
		}
	}
	c, passages, err := x.Index.Find(ctx, r, choose)
	if err == nil {
		passages, c.Unchecked, err = x.checks.passages(ctx, r.Audience, passages, chosen)
	}
	return c, passages, err
}

// Chunks implements retrieve.Index.
func (x checkedIndex) Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	passages, err := x.Index.Chunks(ctx, audience, ids)
	if err == nil {
		passages, _, err = x.checks.passages(ctx, audience, passages, ids)
	}
	return passages, err
}

// Excerpts implements openurl.Index and mcp.Index.
func (x checkedIndex) Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	passages, err := x.Index.Excerpts(ctx, audience, spans)
	if err == nil {
		passages, _, err = x.checks.passages(ctx, audience, passages, nil)
	}
	return passages, err
}

// Readable implements answer.Library. A document must be readable for the audience in the index
// and, in a private answer, in its source.
func (x checkedIndex) Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	readable, err := x.Index.Readable(ctx, audience, ids)
	if err != nil {
		return nil, err
	}
	var candidates []document.ID
	for _, id := range ids {
		if readable[id] {
			candidates = append(candidates, id)
		}
	}
	verdicts, err := x.checks.judge(ctx, audience, candidates)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(readable, func(id document.ID, _ bool) bool { return verdicts[id] != pointcheck.Shown })
	return readable, nil
}

// passages drops passages that may not be shown. unchecked counts documents that are dropped
// because their source could not be asked. best is the order in which documents are checked.
func (c *checks) passages(
	ctx context.Context, audience access.Audience, passages []retrieve.Passage, best []document.ChunkID,
) (shown []retrieve.Passage, unchecked int, err error) {
	if !pointcheck.Private(audience) {
		return passages, 0, nil
	}
	of := make(map[document.ChunkID]document.ID, len(passages))
	for _, p := range passages {
		of[p.ID] = p.Document.ID
	}
	var ids []document.ID
	for _, chunk := range best {
		if id, ok := of[chunk]; ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, p := range passages {
		if !slices.Contains(ids, p.Document.ID) {
			ids = append(ids, p.Document.ID)
		}
	}
	verdicts, err := c.judge(ctx, audience, ids)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range passages {
		if verdicts[p.Document.ID] == pointcheck.Shown {
			shown = append(shown, p)
		}
	}
	for _, v := range verdicts {
		if v == pointcheck.Unchecked {
			unchecked++
		}
	}
	return shown, unchecked, nil
}

// judge expects documents that the audience may read according to the index.
func (c *checks) judge(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]pointcheck.Verdict, error) {
	verdicts := make(map[document.ID]pointcheck.Verdict, len(ids))
	for _, id := range ids {
		verdicts[id] = pointcheck.Shown
	}
	if len(ids) == 0 || !pointcheck.Private(audience) {
		return verdicts, nil
	}
	acls, err := c.acls(ctx, audience.Tenant(), ids)
	if err != nil {
		return nil, err
	}
	documents := make([]pointcheck.Document, len(ids))
	for i, id := range ids {
		documents[i] = pointcheck.Document{ID: id, ACL: acls[id]}
	}
	questions := pointcheck.Questions(audience, documents)
	var all []pointcheck.Question
	for _, id := range ids {
		all = append(all, questions[id]...)
	}
	now := c.now()
	c.ask(ctx, audience.Tenant(), pointcheck.Due(all, c.answers(audience.Tenant(), all), now), now)
	known := c.answers(audience.Tenant(), all)
	for id := range verdicts {
		verdicts[id] = pointcheck.Judge(questions[id], known, now)
	}
	return verdicts, nil
}

func (c *checks) answers(tenant access.TenantID, questions []pointcheck.Question) map[pointcheck.Question]pointcheck.Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[pointcheck.Question]pointcheck.Answer, len(questions))
	for _, q := range questions {
		out[q] = c.known[tenant][q]
	}
	return out
}

// ask caches the answers. It makes one call per source and person, all at the same time.
func (c *checks) ask(ctx context.Context, tenant access.TenantID, due []pointcheck.Question, now time.Time) {
	if len(due) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pointcheck.Timeout)
	defer cancel()
	type call struct {
		source document.SourceID
		person string
	}
	calls := make(map[call][]index.Point)
	for _, q := range due {
		key := call{q.Source, q.Person}
		calls[key] = append(calls[key], q.Point)
	}
	var all sync.WaitGroup
	for to, points := range calls {
		all.Go(func() {
			for p, said := range c.mayRead(ctx, tenant, to.source, to.person, points) {
				c.remember(tenant, pointcheck.Question{Source: to.source, Person: to.person, Point: p}, pointcheck.Answer{Permission: said, Asked: now})
			}
		})
	}
	all.Wait()
}

// mayRead returns nil if the source cannot be reached, and index.CannotAsk if it has no such check.
func (c *checks) mayRead(ctx context.Context, tenant access.TenantID, source document.SourceID, person string, points []index.Point) map[index.Point]index.Permission {
	connector, err := c.connect(ctx, tenant, source)
	if err != nil {
		c.logger.WarnContext(ctx, "a source cannot be asked who may read; what depends on it is hidden in private answers", "source", string(source), "error", err)
		return nil
	}
	if checker, can := connector.(index.PointChecker); can {
		return checker.MayRead(ctx, person, points)
	}
	out := make(map[index.Point]index.Permission, len(points))
	for _, p := range points {
		out[p] = index.CannotAsk
	}
	return out
}

func (c *checks) remember(tenant access.TenantID, q pointcheck.Question, a pointcheck.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[tenant] == nil {
		c.known[tenant] = make(map[pointcheck.Question]pointcheck.Answer)
	}
	if len(c.known[tenant]) >= maxKnown {
		pointcheck.Forget(c.known[tenant], c.now())
	}
	c.known[tenant][q] = pointcheck.Newer(c.known[tenant][q], a)
}
