package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// pass is one Sync.
type pass struct {
	*Connector
	sourcepass.Documents
	state   state
	now     time.Time
	total   int
	failing int  // repositories in a row
	fresh   bool // nothing is known of passes before
	first   bool // there was none: what is read is all there is
}

// repositoryOf is a repository as its documents name it.
type repositoryOf struct {
	id       int64
	node     string // id in GraphQL
	name     string
	url      string
	standing standing
}

func (c *Connector) prefix(repository int64, of sort) string {
	return string(c.source.ID) + ":" + strconv.FormatInt(repository, 10) + ":" + string(of) + ":"
}

// place is what an id says.
func (c *Connector) place(id document.ID) (repository int64, of sort, key string, ok bool) {
	rest, found := strings.CutPrefix(string(id), string(c.source.ID)+":")
	number, rest, parted := strings.Cut(rest, ":")
	kind, key, named := strings.Cut(rest, ":")
	repository, err := strconv.ParseInt(number, 10, 64)
	return repository, sort(kind), key, found && parted && named && err == nil
}

func (c *Connector) acl(repository int64) access.ACL { return access.ACL{c.node(repository)} }

// Sync implements index.Connector. What is newest is read first, in all repositories. A pass over
// repositories in which nothing happened asks one question for each hundred of them, and one for
// each page of their list that GitHub does not count.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		p := &pass{Connector: c, state: decode(since, c.Settings()), now: c.client.config.Now(), first: len(since) == 0}
		p.Documents = sourcepass.Documents{Emit: emit, Encode: p.state.encode, Resumed: p.state.Open}
		p.fresh = len(p.state.Repositories) == 0
		return p.run(sparing(ctx))
	})
}

// emit sends a batch.
func (p *pass) emit(b index.Batch) error {
	b.Total = p.total
	return p.Send(b)
}

// task is something to be read of a repository, and when it was changed last.
type task struct {
	repository repositoryOf
	of         sort
	at         int64
	pages      sourcehttp.Pages // that were read of it by this pass
}

func (p *pass) run(ctx context.Context) error {
	all, err := p.repositories(ctx)
	if err != nil {
		return err
	}
	now, err := p.standings(ctx, inOrder(all))
	if err != nil {
		return err
	}
	p.state.Open = true
	if err := p.forget(now); err != nil {
		return err
	}
	hints, err := p.heard(ctx, false)
	if err != nil {
		return err
	}
	if err := p.follow(ctx, now, hints); err != nil {
		return err
	}
	tasks := p.tasks(now)
	for len(tasks) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := 0
		for i := range tasks {
			if tasks[i].at > tasks[next].at {
				next = i
			}
		}
		more, err := p.do(ctx, &tasks[next])
		if err != nil {
			if err := p.failed(ctx, tasks[next], err); err != nil {
				return err
			}
			more = false
		} else {
			p.failing = 0
		}
		if !more {
			tasks = slices.Delete(tasks, next, next+1)
		}
	}
	p.state.Open = false
	if err := p.Save(index.Batch{Total: p.total}); err != nil {
		return err
	}
	return p.followed(ctx, hints)
}

// failed says what it means that something could not be read of a repository: a notice, or the end
// of the pass where it is not about that one.
func (p *pass) failed(ctx context.Context, t task, err error) error {
	if ctx.Err() != nil || errors.Is(err, sourcepass.ErrBroken) || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked) {
		return err
	}
	if !gitmirror.TooLarge(err) { // else it is about that one alone
		p.failing++
	}
	if p.failing >= patience {
		return err
	}
	p.Notices = append(p.Notices, index.Notice{Name: t.repository.name, Sentence: fmt.Sprintf("Its %ss could not be read (%v). The next run tries again.", t.of, err)})
	return nil
}

// forget removes the documents of repositories that were not seen for long, and of what is not
// there any more, or not chosen. Who may read documents of a repository was taken from everybody
// when it was first missing.
func (p *pass) forget(now map[int64]standing) error {
	left := make(map[int64]map[sort]bool) // what stays
	changed := p.fresh
	for id, r := range p.state.Repositories {
		if _, ok := now[id]; ok {
			r.Gone = 0
			continue
		}
		ruling := crawl.Vanish(crawl.List{Lost: true, Since: sourcepass.Time(r.Gone)}, p.now)
		if r.Gone = sourcepass.Seconds(ruling.Since); ruling.Fate == crawl.Remove {
			delete(p.state.Repositories, id)
			changed = true
			continue
		}
		left[id] = map[sort]bool{issues: true, pulls: true, discussions: true, files: true, wiki: true}
	}
	for id, s := range now {
		left[id] = make(map[sort]bool)
		progress := p.state.of(id, s.Name)
		for _, of := range sorts {
			if p.reads(of, s) {
				left[id][of] = true
				continue
			}
			changed = changed || progress.Walks[of] != nil || progress.Trees[of] != nil
			delete(progress.Walks, of)
			delete(progress.Trees, of)
		}
	}
	if !changed {
		return nil
	}
	return p.emit(index.Batch{Review: func(id document.ID) index.Verdict {
		repository, of, _, ok := p.place(id)
		return index.Verdict{Gone: !ok || !left[repository][of]}
	}})
}

// reads reports whether a sort is chosen, and there in a repository.
func (p *pass) reads(of sort, s standing) bool {
	o := p.options
	switch of {
	case issues:
		return o.Issues && s.HasIssues
	case pulls:
		return o.PullRequests
	case discussions:
		return o.Discussions && s.HasDiscussions
	case files:
		return len(o.Files) > 0 && o.Read != nil && s.DefaultBranchRef != nil
	case wiki:
		return o.Wiki && o.Read != nil && s.HasWiki
	}
	return false
}

// tasks are what there is to read.
func (p *pass) tasks(now map[int64]standing) []task {
	var all []task
	for _, id := range slices.Sorted(maps.Keys(now)) {
		s := now[id]
		r := repositoryOf{id: id, node: s.NodeID, name: s.Name, url: s.URL, standing: s}
		progress := p.state.of(id, s.Name)
		for of, c := range map[sort]connection[dated]{issues: s.Issues, pulls: s.PullRequests, discussions: s.Discussions} {
			if !p.reads(of, s) {
				continue
			}
			at, total := newest(c)
			p.total += total
			if p.due(progress.walk(of), sourcepass.Seconds(at), total) {
				all = append(all, task{repository: r, of: of, at: max(sourcepass.Seconds(at), 1)})
			}
		}
		if p.reads(files, s) && progress.tree(files).Head != head(s) {
			all = append(all, task{repository: r, of: files, at: max(sourcepass.Seconds(s.PushedAt), 1)})
		}
		if p.reads(wiki, s) && p.now.Sub(time.Unix(progress.tree(wiki).At, 0)) >= p.options.WikiEvery {
			all = append(all, task{repository: r, of: wiki, at: max(sourcepass.Seconds(s.PushedAt), 1)})
		}
	}
	slices.SortStableFunc(all, func(a, b task) int { return strings.Compare(string(a.of), string(b.of)) })
	return all
}

func head(s standing) string {
	if s.DefaultBranchRef == nil {
		return ""
	}
	return s.DefaultBranchRef.Target.OID
}

// do reads the next part of a task, and reports whether there is more of it.
func (p *pass) do(ctx context.Context, t *task) (more bool, err error) {
	switch t.of {
	case issues, pulls, discussions:
		return p.step(ctx, t)
	default:
		return false, p.readTree(ctx, t.repository, t.of)
	}
}
