package jira

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
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
	state    state
	now      time.Time
	projects map[string]project
	odd      map[string]bool // projects of which it was told that nobody may read some issues
	all      *site           // without who may use the site: that decides no names of nodes
}

// Sync implements index.Connector. A pass in which nothing happened asks for the projects, for the
// account's time zone, and for what was changed last. Every Options.SweepEvery it looks at the ids
// of all issues besides, for what was deleted, and at the settings of projects; where these name
// other fields of issues than before, and every Options.FullEvery, it looks at all issues.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		p := &pass{
			Connector: c, state: decode(since, c.Settings()), now: c.client.Config.Now(),
			projects: make(map[string]project), all: &site{schemes: make(map[string]levels)}, odd: make(map[string]bool),
		}
		p.Documents = sourcepass.Documents{Emit: emit, Encode: p.state.encode, Resumed: p.state.Open}
		return p.run(ctx)
	})
}

func (p *pass) run(ctx context.Context) error {
	all, err := p.ours(ctx)
	if err != nil {
		return err
	}
	if err := p.client.locate(ctx); err != nil {
		return err
	}
	p.state.Open = true
	for _, one := range all {
		p.projects[string(one.ID)] = one
		p.state.of(one)
	}
	p.forget()
	if len(all) > 0 {
		if err := p.changes(ctx); err != nil {
			return err
		}
	}
	for _, one := range all {
		if err := p.look(ctx, one, p.state.of(one)); err != nil {
			return err
		}
	}
	if err := p.clean(); err != nil {
		return err
	}
	p.state.Open = false
	return p.Save(index.Batch{})
}

// forget has the documents of projects removed that were not seen for long. Nobody may read them
// since their nodes were first missing.
func (p *pass) forget() {
	forgotten := false
	for id, at := range p.state.Projects {
		if _, there := p.projects[id]; there {
			at.Gone = 0
			continue
		}
		r := crawl.Vanish(crawl.List{Lost: true, Since: sourcepass.Time(at.Gone)}, p.now)
		if at.Gone = sourcepass.Seconds(r.Since); r.Fate == crawl.Remove {
			forgotten = true
			delete(p.state.Projects, id)
		}
	}
	p.state.Strays = p.state.Strays || forgotten
}

// clean removes documents of issues that are known in no project any more, once every project was
// looked at.
func (p *pass) clean() error {
	for id := range p.projects {
		if p.state.Projects[id].Full == 0 {
			return nil
		}
	}
	if !p.state.Strays {
		return nil
	}
	known := make(map[string]bool) // of its own: it is asked beside what goes on
	for _, at := range p.state.Projects {
		for id := range at.Known {
			known[id] = true
		}
	}
	p.state.Strays = false
	return p.Send(index.Batch{Review: func(id document.ID) index.Verdict {
		issue, _, ok := p.placeOf(id)
		return index.Verdict{Gone: !ok || !known[issue]}
	}})
}

// mostKeys is how many projects a search names.
const mostKeys = 50

// scope is the part of a search that names the projects; empty where there are too many: what is of
// others is left out then when it comes.
func (p *pass) scope() string {
	if len(p.projects) > mostKeys {
		return ""
	}
	ids := make([]string, 0, len(p.projects))
	for id := range p.projects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return "project in (" + strings.Join(ids, ",") + ") and "
}

// listed are the fields that are read of an issue before its text is.
func (p *pass) listed() []string {
	fields := []string{"project", "updated", "security", "issuerestriction"}
	if p.options.Attachments {
		fields = append(fields, "attachment")
	}
	for id := range p.projects {
		fields = append(fields, p.state.Projects[id].relevant().Fields...)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// changes reads what was changed last, back to what was read before. At first it only takes note
// until when that is.
func (p *pass) changes(ctx context.Context) error {
	zone, err := p.client.zone(ctx)
	if err != nil {
		return err
	}
	s := searching{most: mostListed, fields: p.listed()}
	floor := time.Unix(p.state.Mark, 0).Add(-p.options.Overlap)
	if p.state.Mark == 0 {
		s.most, floor = 2, time.Unix(0, 0).Add(2*atlassian.Day)
	}
	s.jql = p.scope() + "updated >= " + since(floor, zone) + " order by updated desc"
	newest := p.state.Mark
	for at, pages := "", new(sourcehttp.Pages); ; {
		found, next, err := p.client.search(ctx, s, at)
		if err != nil {
			return err
		}
		for _, one := range found {
			newest = max(newest, sourcepass.Seconds(one.Fields.Updated.Time))
		}
		if p.state.Mark == 0 {
			break
		}
		if err := p.found(found, nil); err != nil {
			return err
		}
		if next == "" {
			break
		}
		if err := pages.Next(next); err != nil {
			return fmt.Errorf("Jira's list of changes cannot be read: the next run tries again (%w)", err)
		}
		at = next
	}
	p.state.Mark = newest
	return nil
}

// found yields issues of a list, and has documents that are stored already name the nodes by which
// they are read now. in, where it is set, is the project of all of them, whatever they say.
func (p *pass) found(list []issue, in *project) error {
	now := make(map[document.ID]access.ACL, len(list))
	files := make(map[string]bool) // issues whose files are all listed
	var items []index.Item
	shelf := p.shelf()
	for _, one := range list {
		id := string(one.ID)
		if !isID(id) || one.Fields.Project == nil {
			continue
		}
		of, ours := p.projects[string(one.Fields.Project.ID)]
		if in != nil && of.ID != in.ID || !ours {
			continue // it was moved meanwhile, or is none of ours
		}
		at := p.state.Projects[string(of.ID)]
		if at.Full == 0 && at.Sweep == nil {
			continue // the first look at its project meets it, and knows what the project's settings name
		}
		p.state.meet(string(of.ID), id)
		if at.Sweep != nil {
			at.Sweep.Seen[id] = true
		}
		is := factsOf(string(of.ID), one, at.relevant())
		if is.Odd && !p.odd[string(of.ID)] {
			p.odd[string(of.ID)] = true
			p.note(of, "Whether %s, or others with it, may be read by few alone is not shown to the account: they are hidden from everyone here. See deploy/docs/jira.md.", one.Key)
		}
		acl := p.node(is)
		now[p.id(id, "")] = acl
		items = append(items, shelf.item(of, one, at.relevant()))
		if !p.options.Attachments {
			continue
		}
		files[id] = true
		for _, file := range one.Fields.Attachments {
			if isID(string(file.ID)) && p.options.Takes(file.Name, file.Size) {
				now[p.id(id, string(file.ID))] = acl
				items = append(items, p.file(of, one, file, acl))
			}
		}
	}
	return p.Send(index.Batch{Documents: items, Review: func(id document.ID) index.Verdict {
		issue, _, _ := p.placeOf(id)
		acl, listed := now[id]
		return index.Verdict{ACL: acl, Gone: files[issue] && !listed}
	}})
}

// note tells the operator of something about a project.
func (p *pass) note(of project, sentence string, with ...any) {
	p.Notices = append(p.Notices, index.Notice{Name: of.Key, Sentence: fmt.Sprintf(sentence, with...)})
}
