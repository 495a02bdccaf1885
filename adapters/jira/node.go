package jira

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// nodeState is the checkpoint of Connector.Nodes. Times are in seconds since 1970.
type nodeState struct {
	Projects map[string]*projectState `json:"projects,omitempty"` // by project id
	Done     []string                 `json:"d,omitempty"`        // ids of projects read in the current pass
	// Failed says that a project could not be read in the current pass.
	Failed bool `json:"x,omitempty"`
}

type projectState struct {
	// Facts has the facts of issues whose readers do not depend on the security level alone, by
	// node id.
	Facts    map[string]facts `json:"f,omitempty"`
	Mark     int64            `json:"m,omitempty"` // time of the newest change read, by Jira's clock
	Full     int64            `json:"w,omitempty"` // time of the last full scan
	Relevant relevance        `json:"r,omitzero"`
}

type nodes struct {
	*Connector
	send  func(index.NodeBatch) error
	state nodeState
	site  *site
	zone  *time.Location
	zoned bool
	now   time.Time
}

// Nodes implements index.NodeReader. It yields a node for each project, each security level, and
// each set of issues with the same readers. It continues an interrupted pass.
//
// It reads issues only in projects where fields of an issue affect its readers. Most passes read
// only changed issues. Every Options.FullEvery, or if other fields affect readers now, a pass reads
// all issues.
func (c *Connector) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.NodeBatch) error) error {
		n := &nodes{Connector: c, send: emit, now: c.client.Config.Now(), state: sourcepass.Decode[nodeState](since)}
		if n.state.Projects == nil {
			n.state.Projects = make(map[string]*projectState)
		}
		return n.run(ctx)
	})
}

func (n *nodes) emit(b index.NodeBatch) error {
	b.Next = sourcepass.Encode(n.state)
	return n.send(b)
}

func (n *nodes) run(ctx context.Context) error {
	all, err := n.ours(ctx)
	if err != nil {
		return err
	}
	if n.site, err = n.Connector.site(ctx); err != nil {
		return err
	}
	there := make(map[string]bool, len(all))
	for _, p := range all {
		there[string(p.ID)] = true
	}
	var batch index.NodeBatch
	for _, id := range slices.Sorted(maps.Keys(n.state.Projects)) {
		if k := n.state.Projects[id]; !there[id] || k == nil {
			batch.Denied = append(batch.Denied, id)
			if k != nil {
				batch.Denied = append(batch.Denied, slices.Sorted(maps.Keys(k.Facts))...)
			}
			delete(n.state.Projects, id)
		}
	}
	if err := n.emit(batch); err != nil {
		return err
	}
	for _, p := range all {
		if slices.Contains(n.state.Done, string(p.ID)) {
			continue
		}
		if err := n.project(ctx, p); err != nil {
			return err
		}
	}
	whole := !n.state.Failed
	n.state.Done, n.state.Failed = nil, false
	return n.emit(index.NodeBatch{Complete: whole})
}

// project sends the nodes of a project. If the project is temporarily unreadable, it reports the
// known nodes as unread.
func (n *nodes) project(ctx context.Context, p project) error {
	id := string(p.ID)
	k := n.state.Projects[id]
	if k == nil {
		k = &projectState{}
		n.state.Projects[id] = k
	}
	r, err := n.scheme(ctx, n.site, p)
	if err == nil {
		err = n.readFieldIssues(ctx, p, k, r)
	}
	if err == nil {
		err = n.fill(ctx, r, p, rolesOf(k.Facts))
	}
	n.state.Done = append(n.state.Done, id)
	switch {
	case err == nil:
		return n.yieldNodes(p, k, r)
	case atlassian.Final(ctx, err) || !n.concernsOneProject(err):
		return err
	}
	n.state.Failed = true // its levels are unknown and cannot be reported as unread
	return n.emit(index.NodeBatch{Unread: append([]string{id}, slices.Sorted(maps.Keys(k.Facts))...)})
}

// concernsOneProject reports whether other projects can still be read after an error.
func (n *nodes) concernsOneProject(err error) bool {
	return atlassian.Broken(err) || atlassian.Absent(err) || sourcehttp.Status(err) == http.StatusBadRequest ||
		errors.Is(err, atlassian.ErrMalformed) || errors.Is(err, errShifted) || errors.Is(err, errShort) || errors.Is(err, errCircle)
}

// readFieldIssues updates k with the issues of a project whose fields determine their readers. It
// reads changed issues, or all issues if a full scan is due.
func (n *nodes) readFieldIssues(ctx context.Context, p project, k *projectState, r *rules) error {
	relevant := r.relevance(p)
	full := k.Full == 0 || n.now.Sub(time.Unix(k.Full, 0)) >= n.options.FullEvery || !relevant.same(k.Relevant)
	switch {
	case r.denied:
		return nil
	case !relevant.single() && full: // the settings alone determine the readers
		*k = projectState{Full: sourcepass.Seconds(n.now), Relevant: relevant}
		return nil
	case !relevant.single():
		return nil
	}
	s := searching{
		jql: "project = " + string(p.ID) + " order by created asc", most: mostListed, anchored: true,
		fields: append([]string{"updated", "security", "issuerestriction"}, relevant.Fields...),
	}
	if !full && k.Mark > 0 {
		if !n.zoned {
			var err error
			if n.zone, err = n.client.zone(ctx); err != nil {
				return err
			}
			n.zoned = true
		}
		from := since(time.Unix(k.Mark, 0).Add(-n.options.Overlap), n.zone)
		s.jql, s.anchored = "project = "+string(p.ID)+" and updated >= "+from+" order by updated desc", false
	}
	met, newest := make(map[string]facts), k.Mark
	err := n.client.searchAll(ctx, s, func(one issue) {
		newest = max(newest, sourcepass.Seconds(one.Fields.Updated.Time))
		if f := factsOf(string(p.ID), one, relevant); !f.bare() {
			met[f.node()] = f
		}
	})
	if err != nil {
		return err
	}
	if !full {
		maps.Copy(met, k.Facts)
		*k = projectState{Facts: met, Mark: newest, Full: k.Full, Relevant: relevant}
		return nil
	}
	*k = projectState{Facts: met, Mark: newest, Full: sourcepass.Seconds(n.now), Relevant: relevant}
	return nil
}

func rolesOf(all map[string]facts) []string {
	var roles []string
	for _, f := range all {
		roles = append(roles, f.Roles...)
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

const mostNodes = 5000

func (n *nodes) yieldNodes(p project, k *projectState, r *rules) error {
	list := []facts{{Project: string(p.ID)}}
	for _, id := range slices.Sorted(maps.Keys(r.levels)) {
		list = append(list, facts{Project: string(p.ID), Level: id})
	}
	for _, id := range slices.Sorted(maps.Keys(k.Facts)) {
		list = append(list, k.Facts[id])
	}
	for some := range slices.Chunk(list, mostNodes) {
		var batch index.NodeBatch
		for _, f := range some {
			batch.Nodes = append(batch.Nodes, index.Node{ID: f.node(), Name: r.describe(p, f), Inherit: index.Own, Clauses: n.clauses(n.site, r, f)})
		}
		if err := n.emit(batch); err != nil {
			return err
		}
	}
	return nil
}
