package gdrive

import (
	"context"
	"errors"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// documents is one Sync.
type documents struct {
	*feed
	send    func(index.Batch) error
	batch   index.Batch
	access  map[document.ID]access.ACL // of what the batch holds
	yielded map[document.ID]bool       // no document is yielded twice in a run
	removed map[document.ID]bool       // by this run
	came    map[string]string
	resumed bool
	loading sync.Mutex // holds state.Failed while documents are read
}

// Sync implements index.Connector. A run in which nothing happened asks for the drives and for the
// end of each log. Every Options.SweepEvery it looks at everything.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		d := &documents{
			feed: c.feed(since, c.Settings()), send: emit, access: make(map[document.ID]access.ACL), yielded: make(map[document.ID]bool),
			removed: make(map[document.ID]bool), came: make(map[string]string),
		}
		d.sink, d.resumed = d, d.state.Open
		return d.read(ctx)
	})
}

func (d *documents) read(ctx context.Context) (err error) {
	if d.options.MyDrives {
		if d.people, err = d.Connector.people(ctx); err != nil {
			return err
		}
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	if err := d.failed(ctx); err != nil {
		return err
	}
	return d.run(ctx)
}

// patience is how many files in a row may fail before a run does.
const patience = 3

// failed reads those files again that could not be read by the runs before.
func (d *documents) failed(ctx context.Context) error {
	failing := 0
	for _, id := range slices.Sorted(maps.Keys(d.state.Failed)) {
		in := d.state.Failed[id].In
		there, err := d.again(ctx, in, id)
		switch {
		case err == nil:
			failing = 0
		case unreadable(ctx, err) && failing < patience:
			failing++
			d.tried(in, id, err)
			continue
		default:
			return err
		}
		if !there || !d.yielded[d.id(id)] {
			delete(d.state.Failed, id)
		}
	}
	return nil
}

// tried notes how the reading of a file ended. One that failed is read again by the next run, and
// by a few more.
func (d *documents) tried(corpus, id string, err error) {
	d.loading.Lock()
	defer d.loading.Unlock()
	before, again := d.state.Failed[id]
	switch {
	case errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked):
		// it is about the source, and ends the run
	case err == nil || errors.Is(err, index.ErrSkipped) || before.Times >= mostTimes:
		delete(d.state.Failed, id)
	case again || len(d.state.Failed) < mostFailed:
		d.state.Failed[id] = failure{In: corpus, Times: before.Times + 1}
	}
}

// mostCame bounds how many files are remembered from one run to the next. One that is not is read
// again, at worst.
const mostCame = 5000

// mostItems is how many documents a batch holds, about.
const mostItems = 1000

// flush implements sink. At the end of a run, what has left a drive and was met nowhere else is
// removed, and what came into a person's is what the next run uses.
func (d *documents) flush(complete bool) error {
	if !d.state.Open {
		d.state.Came = d.came
		for id := range d.state.Gone {
			d.remove(d.id(id))
		}
		clear(d.state.Gone)
	}
	now := d.access
	d.batch.Review = nil
	if len(now) > 0 {
		d.batch.Review = func(id document.ID) index.Verdict { return index.Verdict{ACL: now[id]} }
	}
	d.batch.Resumed = d.resumed
	d.batch.Failures, d.batch.Skipped = append(d.batch.Failures, d.unread...), append(d.batch.Skipped, d.skipped...)
	batch := d.batch
	d.batch, d.unread, d.skipped, d.access = index.Batch{}, nil, nil, make(map[document.ID]access.ACL)
	// how far the run is is noted once it is known which of them could not be read
	if len(batch.Documents) > 0 {
		if err := d.send(batch); err != nil {
			return err
		}
		batch = index.Batch{Resumed: d.resumed}
	}
	batch.Next, batch.Complete, batch.Missing = d.state.encode(), complete, d.missing
	return d.send(batch)
}

// found implements sink.
func (d *documents) found(ctx context.Context, in corpus, files []file, log bool) error {
	for i := range files {
		f := files[i]
		id := d.id(f.ID)
		if f.MimeType == typeFolder {
			continue
		}
		name, wanted := d.form(&f)
		if !wanted {
			if log { // it may have been another file
				d.remove(id)
			}
			continue
		}
		own, node, err := d.carries(ctx, in, &f)
		if err != nil {
			return err
		}
		if own {
			node = nodeID(in.id, f.ID)
		}
		if d.removed[id] { // by an entry of another log: that has to be done before
			if err := d.flush(false); err != nil {
				return err
			}
			if err := d.flush(false); err != nil {
				return err
			}
			delete(d.removed, id)
			delete(d.yielded, id)
		}
		delete(d.state.Gone, f.ID)
		if log && !in.shared && len(d.came) < mostCame {
			d.came[f.ID] = in.id
		}
		acl := access.ACL{d.node(node)}
		d.access[id] = acl
		if d.yielded[id] {
			continue
		}
		d.yielded[id] = true
		d.batch.Documents = append(d.batch.Documents, d.item(in, f, name, acl))
		if len(d.batch.Documents) >= mostItems {
			if err := d.flush(false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *documents) remove(id document.ID) {
	d.removed[id] = true
	delete(d.access, id)
	d.batch.Documents = slices.DeleteFunc(d.batch.Documents, func(i index.Item) bool { return i.ID == id })
	d.batch.Deleted = append(d.batch.Deleted, id)
}

// gone implements sink. What is in the trash is removed. "removed" alone says that a file was
// deleted, or that it is not shown any more: of a shared drive, it has left it, and no one may read
// it until another log has it, which may be read later; of someone's log, it may never have been
// theirs, and nothing is done.
func (d *documents) gone(_ context.Context, in corpus, files []file) error {
	for _, f := range files {
		if f.MimeType == typeFolder {
			continue
		}
		home := d.home(f)
		for _, came := range []map[string]string{d.came, d.state.Came} {
			if came[f.ID] == in.id {
				delete(came, f.ID)
			} else if came[f.ID] != "" && home == "" {
				home = came[f.ID]
			}
		}
		switch told := f.MimeType != ""; { // it is shown still
		case home != "" && home != in.id: // the log there tells of it
		case told:
			d.remove(d.id(f.ID))
		case in.shared:
			d.state.Gone[f.ID] = true
			d.access[d.id(f.ID)] = access.ACL{}
		}
	}
	return nil
}

// exports are what Google's own documents are read as
// (https://developers.google.com/workspace/drive/api/guides/ref-export-formats).
var exports = map[string]struct{ mime, ending string }{
	typeDoc:    {"text/html", ".html"},
	typeSheet:  {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"},
	typeSlides: {"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"},
}

// endings are those of uploaded files whose names have none that says what they are.
var endings = map[string]string{
	"application/pdf":    ".pdf",
	"application/msword": ".doc",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"text/plain": ".txt", "text/markdown": ".md", "text/csv": ".csv", "text/tab-separated-values": ".tsv", "text/html": ".html", "application/json": ".json",
}

// form is what a file is called for those who read its format, and whether it is to be read at all.
func (c *Connector) form(f *file) (name string, wanted bool) {
	if export, ok := exports[f.MimeType]; ok {
		return "file" + export.ending, f.MimeType != typeSheet || c.options.Read != nil && c.options.Wanted("file"+export.ending)
	}
	if strings.HasPrefix(f.MimeType, "application/vnd.google-apps.") || c.options.Read == nil || f.Size > c.options.MaxBytes {
		return "", false // shortcuts, too: what they lead to is a document by itself
	}
	ending := strings.ToLower(path.Ext(f.Name))
	if by := endings[f.MimeType]; by != "" && (ending == "" || strings.ContainsRune(ending, ' ')) {
		ending = by
	}
	if ending == "" && !strings.HasPrefix(f.MimeType, "text/") {
		return "", false
	}
	return "file" + ending, c.options.Wanted("file" + ending)
}

// item is a document to be read.
func (d *documents) item(in corpus, f file, name string, acl access.ACL) index.Item {
	return index.Item{
		ID: d.id(f.ID), ModifiedAt: f.stamp(), Size: f.Size, Wait: loadWait,
		Load: func(ctx context.Context) (document.Document, error) {
			read, err := d.load(ctx, in, f, name, acl)
			d.tried(in.id, f.ID, err)
			return read, err
		},
	}
}
