package gdrive

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/sync/errgroup"
)

// nodes is the state of one call of Connector.Nodes. It must not be used concurrently.
type nodes struct {
	*drives
	state   state
	now     time.Time
	ahead   map[string]fetched // first pages of logs, by feed id
	send    func(index.NodeBatch) error
	batch   index.NodeBatch
	members map[string]access.ACL // members of shared drives, by corpus id
}

// Nodes implements index.NodeReader. It yields each shared drive with its members. It also yields
// changed folders, and changed files with their own grants. Every Options.SweepEvery it yields all
// folders, and all files with their own grants. It continues an interrupted pass.
func (c *Connector) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.NodeBatch) error) error {
		n := &nodes{state: decode(since, c.accessSettings()), now: c.client.config.Now(), send: emit, members: make(map[string]access.ACL)}
		p, err := c.people(ctx)
		if err != nil {
			return err
		}
		if n.drives, err = c.drives(ctx, p); err != nil {
			return err
		}
		return n.readNodes(ctx)
	})
}

// accessSettings returns a text with all settings that affect how grants are converted. If the text
// changes, all grants are read again.
func (c *Connector) accessSettings() string {
	return fmt.Sprintf("%s %v %v %v", c.Settings(), c.options.Links, c.options.Anonymous, c.options.ACL)
}

func (n *nodes) readNodes(ctx context.Context) error {
	for _, in := range n.corpora {
		if err := n.root(ctx, in); err != nil {
			return err
		}
	}
	if err := n.flush(false); err != nil {
		return err
	}
	if err := n.rereadExpired(ctx); err != nil {
		return err
	}
	return n.run(ctx)
}

// flush sends the batch with a checkpoint. complete means that the pass has sent every node.
func (n *nodes) flush(complete bool) error {
	n.batch.Next, n.batch.Complete = n.state.encode(), complete
	batch := n.batch
	n.batch = index.NodeBatch{}
	return n.send(batch)
}

// unreadable reports whether an error concerns only one item, which may be readable later.
func unreadable(ctx context.Context, err error) bool {
	return !final(ctx, err) && (sourcehttp.Status(err) >= http.StatusInternalServerError || errors.Is(err, errMalformed) || errors.Is(err, sourcehttp.ErrTooLarge))
}

// root adds two nodes for a shared drive to the batch. The readers of one node are all members, and
// the readers of the other are the managers. root does nothing for a personal drive.
func (n *nodes) root(ctx context.Context, in corpus) error {
	if !in.shared {
		return nil // the full scan finds the root folder
	}
	top, above := nodeID(in.id, in.id), nodeID(in.id, managers)
	all, err := n.permissions(ctx, in.subject, in.id)
	switch {
	case err == nil:
	case unreadable(ctx, err):
		n.batch.Unread = append(n.batch.Unread, top, above)
		return nil
	case !final(ctx, err) && absent(err):
		n.batch.Denied = append(n.batch.Denied, top, above)
		return nil
	default:
		return err
	}
	for id, chosen := range map[string]func(*permission) bool{
		top:   func(*permission) bool { return true },
		above: func(p *permission) bool { return p.Role == "organizer" },
	} {
		acl, _, err := n.people.grants(ctx, all, chosen)
		if err != nil {
			return err
		}
		n.batch.Nodes = append(n.batch.Nodes, index.Node{ID: id, Name: in.name, Inherit: index.Own, Clauses: n.clauses(acl)})
		if id == top {
			n.members[in.id] = acl
		}
	}
	n.checkMembers(in)
	return nil
}

// checkMembers starts a full scan if the members of a drive, or its restriction to members, have
// changed. In a restricted drive, grants on files count only for members.
func (n *nodes) checkMembers(in corpus) {
	digest := ""
	if in.closed {
		sum := fnv.New64a()
		for _, p := range n.members[in.id] {
			_, _ = sum.Write([]byte(p + "\x00")) // writing to a hash never fails
		}
		digest = strconv.FormatUint(sum.Sum64(), 36)
	}
	if n.state.Closed[in.id] != digest {
		n.state.Closed[in.id], n.state.Swept, n.state.Pass = digest, 0, nil
	}
}

// clauses returns the access lists that a reader of a node must all be in. They are acl and, if
// set, Options.ACL. The result is nil if acl is empty, so that no one may read the node.
func (n *nodes) clauses(acl access.ACL) []access.ACL {
	switch {
	case len(acl) == 0:
		return nil
	case n.options.ACL != nil:
		return []access.ACL{acl, n.options.ACL}
	}
	return []access.ACL{acl}
}

// rereadExpired reads nodes again if a grant has expired or if they could not be read before. The
// change log need not list expired grants.
func (n *nodes) rereadExpired(ctx context.Context) error {
	now := n.now.Unix()
	for _, node := range slices.Sorted(maps.Keys(n.state.Ends)) {
		if n.state.Ends[node] > now {
			continue
		}
		corpus, file, _ := strings.Cut(node, "/")
		in, read := n.byID[corpus]
		if !read {
			delete(n.state.Ends, node)
			continue
		}
		f, there, err := n.fetchFile(ctx, in, file)
		if err != nil {
			return err
		}
		if !there {
			delete(n.state.Ends, node)
			n.batch.Denied = append(n.batch.Denied, node)
		} else if err := n.found(ctx, []placed{f}); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodes) removeNodes(files []placed) {
	for _, f := range files {
		delete(n.state.Ends, nodeID(f.in.id, f.ID))
		n.batch.Denied = append(n.batch.Denied, nodeID(f.in.id, f.ID))
	}
}

// found adds the nodes of files to the batch, with their readers. It requests missing grants
// concurrently.
func (n *nodes) found(ctx context.Context, files []placed) error {
	made := make([]index.Node, len(files))
	ends := make([]time.Time, len(files))
	lists := make([][]permission, len(files))
	failed := make([]error, len(files))
	own := make([]bool, len(files))
	var mu sync.Mutex
	some, asking := errgroup.WithContext(ctx)
	some.SetLimit(n.client.config.AtOnce)
	for i := range files {
		f, in := &files[i].file, files[i].in
		var above string
		var err error
		if own[i], above, err = n.carries(ctx, in, f); err != nil {
			_ = some.Wait() // the results are not needed any more
			return err
		}
		if f.MimeType != typeFolder {
			node := above
			if own[i] {
				node = nodeID(in.id, f.ID)
			}
			if n.batch.Documents == nil {
				n.batch.Documents = make(map[document.ID]access.ACL)
			}
			n.batch.Documents[n.id(f.ID)] = access.ACL{n.node(node)}
		}
		if !own[i] {
			continue
		}
		made[i] = index.Node{ID: nodeID(in.id, f.ID), Name: f.Name, Parent: above, Inherit: index.Wider}
		if f.Limited {
			if made[i].Inherit, made[i].Parent = index.Own, ""; in.shared {
				made[i].Inherit, made[i].Parent = index.Wider, nodeID(in.id, managers)
			}
		}
		lists[i] = f.Permissions
		if in.shared && !f.Augmented && !f.Limited || !in.shared && len(f.Permissions) > 0 && len(f.Permissions) >= len(f.PermissionIDs) {
			continue
		}
		some.Go(func() error {
			all, err := n.permissions(asking, in.subject, f.ID)
			if err != nil && !unreadable(asking, err) && (final(asking, err) || !absent(err)) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			lists[i], failed[i] = all, err
			return nil
		})
	}
	if err := some.Wait(); err != nil {
		return err
	}
	for i := range files {
		f, in, node := &files[i].file, files[i].in, made[i]
		delete(n.state.Ends, nodeID(in.id, f.ID))
		switch {
		case !own[i]:
			if files[i].changed { // it may have had its own node
				n.batch.Denied = append(n.batch.Denied, nodeID(in.id, f.ID))
			}
			continue
		case failed[i] != nil && absent(failed[i]):
			// "The user does not have sufficient permissions": no one may read
			n.batch.Denied = append(n.batch.Denied, node.ID)
			continue
		case failed[i] != nil:
			n.batch.Unread = append(n.batch.Unread, node.ID)
			n.state.Ends[node.ID] = n.now.Unix() // the next run reads it again
			continue
		}
		chosen := (*permission).direct
		if !in.shared && !f.Limited {
			chosen = (*permission).given
		}
		acl, end, err := n.people.grants(ctx, lists[i], chosen)
		if err != nil {
			return err
		}
		if ends[i] = end; !end.IsZero() {
			n.state.Ends[node.ID] = end.Unix()
		}
		if !in.shared { // "owner … can always access"
			acl = append(acl, n.person(in.id))
		}
		if node.Clauses = n.clauses(acl); in.closed && len(node.Clauses) > 0 {
			node.Clauses = append(node.Clauses, n.members[in.id])
		}
		n.batch.Nodes = append(n.batch.Nodes, node)
	}
	return nil
}
