package gdrive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// vendor implements [crawl.Vendor] for Google Drive. Each run reads the change logs. Every
// Options.SweepEvery, a run also scans all files.
type vendor struct {
	*Connector
	drives *drives // of the current run; set by Scopes
}

// reading is the version of the rules that convert a file to a document. If it is raised,
// everything is read again.
const reading = 1

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// Rules implements crawl.Vendor.
func (v *vendor) Rules() string {
	return fmt.Sprintf("gdrive %d %v %v %v", reading, v.options.Drives, v.options.MyDrives, v.options.Users)
}

// Scopes implements crawl.Vendor.
func (v *vendor) Scopes(ctx context.Context) (scopes []crawl.Scope, err error) {
	var p *people
	if v.options.MyDrives {
		if p, err = v.people(ctx); err != nil {
			return nil, err
		}
	}
	if v.drives, err = v.Connector.drives(ctx, p); err != nil {
		return nil, err
	}
	for _, in := range v.drives.corpora {
		scopes = append(scopes, crawl.Scope{ID: in.id, Name: in.name})
	}
	return scopes, nil
}

// Excluded implements crawl.Excluder.
func (v *vendor) Excluded(scope string) bool {
	if p := v.drives.people; p != nil && slices.ContainsFunc(p.users, func(u user) bool { return u.ID == scope }) {
		return true
	}
	return !v.options.MyDrives && len(v.options.Drives) > 0 && !slices.Contains(v.options.Drives, scope)
}

// Feeds implements crawl.Vendor.
func (v *vendor) Feeds(scopes []crawl.Scope) (all []crawl.Feed) {
	for _, s := range scopes {
		all = append(all,
			crawl.Feed{ID: feedLog + s.ID, Scope: s.ID, List: feedFiles + s.ID, Mode: crawl.Log},
			crawl.Feed{ID: feedFiles + s.ID, Scope: s.ID, Mode: crawl.Scan, Every: v.options.SweepEvery, After: feedLog + s.ID})
	}
	return all
}

// Page implements crawl.Vendor.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (p crawl.Page, err error) {
	var got part
	in := v.drives.byID[f.Scope]
	if len(f.Only) > 0 {
		got, err = v.only(ctx, in, f.Only)
	} else {
		got, err = v.drives.page(ctx, f, at)
	}
	if errors.Is(err, crawl.ErrRefused) {
		if in.shared {
			p.Notices = []index.Notice{in.refusal(err)}
		} else { // such as people without a licence for Drive
			p.Skipped = []index.Notice{in.refusal(err)}
		}
	}
	if err != nil {
		return p, err
	}
	for _, one := range got.gone {
		v.recordGone(&p, one)
	}
	for _, one := range got.found {
		if err := v.found(ctx, &p, one); err != nil {
			return p, err
		}
	}
	p.More, p.Next, p.Mark, p.Partial = got.more, got.next, got.mark, got.partial
	return p, nil
}

// patience is the number of consecutive files that may fail before a run fails.
const patience = 3

// only fetches the given documents of a drive, one request per file. It skips files that are
// missing, outside the drive or temporarily unreadable. It returns an error after more than
// [patience] consecutive failures.
func (v *vendor) only(ctx context.Context, in corpus, documents []document.ID) (p part, err error) {
	failing := 0
	for _, d := range documents {
		id, ours := strings.CutPrefix(string(d), string(v.source.ID)+":")
		if !ours || !isID(id) {
			continue
		}
		f, there, err := v.drives.fetchFile(ctx, in, id)
		switch {
		case err == nil:
			failing = 0
		case unreadable(ctx, err) && failing < patience:
			failing++
		default:
			return p, err
		}
		if there {
			p.found = append(p.found, f)
		}
	}
	return p, nil
}

type entry struct {
	placed
	name string // generic, with the extension of the file's format
}

// found adds a file to p.Items. It ignores folders and files of unsupported formats. It adds a file
// whose format is no longer supported to p.Gone.
func (v *vendor) found(ctx context.Context, p *crawl.Page, f placed) error {
	if f.MimeType == typeFolder {
		return nil
	}
	name, wanted := v.form(&f.file)
	if !wanted {
		if f.changed {
			p.Gone = append(p.Gone, v.id(f.ID))
		}
		return nil
	}
	own, node, err := v.drives.carries(ctx, f.in, &f.file)
	if err != nil {
		return err
	}
	if own {
		node = nodeID(f.in.id, f.ID)
	}
	p.Items = append(p.Items, crawl.Item{
		ID: v.id(f.ID), List: feedFiles + f.in.id, ModifiedAt: f.stamp(), Size: f.Size, Wait: loadWait, ACL: access.ACL{v.node(node)}, Data: entry{f, name},
	})
	return nil
}

// recordGone adds a file that a drive no longer lists to p. Files in the trash go to p.Gone. Files
// that have moved go to p.Left, because another drive may have them now.
func (v *vendor) recordGone(p *crawl.Page, f placed) {
	switch {
	case f.MimeType == typeFolder:
	case v.drives.home(f.file) == f.in.id:
		p.Gone = append(p.Gone, v.id(f.ID))
	default:
		p.Left = append(p.Left, v.id(f.ID))
	}
}

// Load implements crawl.Vendor.
func (v *vendor) Load(_ context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	got := make(map[document.ID]crawl.Read, len(batch))
	for _, it := range batch {
		e := it.Data.(entry)
		got[it.ID] = func(ctx context.Context) (document.Document, error) { return v.load(ctx, e.in, e.file, e.name, it.ACL) }
	}
	return got, nil
}
