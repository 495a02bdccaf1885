package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgupload"
	"github.com/footnotehq/footnote/adapters/uploads"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/upload"
)

// Uploads returns the service that stores the files that people add to projects.
func (b *Base) Uploads() *upload.Service {
	return upload.New(upload.Deps{
		Store: pgupload.New(b.DB), Projects: b.uploadProjects, Full: postgres.Full, Logger: b.Logger,
		Read: func(ctx context.Context, name string, content []byte) (document.Document, error) {
			return uploads.Read(ctx, name, content, b.oneFile)
		},
		Changed: b.uploadsChanged,
	})
}

// uploadProjects lets the readers of a project's files see the project, or all members if it has no
// files.
func (b *Base) uploadProjects() []upload.Project {
	var all []upload.Project
	for _, p := range b.File().Projects {
		readers := access.ACL{}
		for _, f := range p.Files {
			readers = append(readers, f.ACL...)
		}
		if len(p.Files) == 0 {
			readers = access.ACL{access.Members}
		}
		slices.Sort(readers)
		all = append(all, upload.Project{Name: p.Name, Readers: slices.Compact(readers)})
	}
	return all
}

func (b *Base) oneFile(path string) (index.Connector, error) {
	return files.New(files.Options{Path: path, MaxBytes: upload.MaxBytes})
}

// uploadsChanged removes documents from the index at once. A running server indexes the other
// changes.
func (b *Base) uploadsChanged(ctx context.Context, tenant access.TenantID, removed ...document.ID) error {
	var err error
	if len(removed) > 0 {
		err = b.Index.Remove(ctx, tenant, upload.Source, removed)
	}
	client, failed := jobs.New(b.DB, nil, jobs.Config{Logger: b.Logger})
	if failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, client.Enqueue(ctx, uploadsJob(tenant)))
}

func uploadsSource() document.Source { return uploads.New(uploads.Options{}).Source() }

func uploadsJob(tenant access.TenantID) jobs.Job {
	return jobs.Job{Kind: jobs.Sync, Tenant: tenant, Subject: string(upload.Source)}
}

// ResumeUploads continues the indexing of uploaded files after processes died while reading them.
func (b *Base) ResumeUploads(ctx context.Context) error {
	if err := jobs.Resume(ctx, b.DB, b.Tenant, string(upload.Source)); err != nil {
		return err
	}
	err := b.Index.ResumeSource(ctx, b.Tenant, upload.Source, b.Actor()) // an older version paused it
	if err != nil && !errors.Is(err, pgindex.ErrNoSource) {
		return err
	}
	return b.uploadsChanged(ctx, b.Tenant)
}

// failedAgain is the delay before uploaded files that could not be read are read again.
const failedAgain = time.Hour

// uploadsDue reports whether uploaded files have changed since they were indexed. If the last run
// could not read some of them, it reports false until failedAgain has passed.
func (b *Base) uploadsDue(ctx context.Context) (bool, error) {
	revision, indexed, err := pgupload.New(b.DB).Revision(ctx, b.Tenant)
	if err != nil || revision <= indexed {
		return false, err
	}
	asked, err := b.Index.AskedSources(ctx, b.Tenant)
	at := slices.IndexFunc(asked, func(a pgindex.Asked) bool { return a.Source.ID == upload.Source })
	return at < 0 || asked[at].Last.Counts.Failed == 0 || time.Since(asked[at].Last.StartedAt) > failedAgain, err
}

// syncUploads indexes changed uploaded files and stops at until. more reports that some are left.
func (b *Base) syncUploads(ctx context.Context, until time.Time) (more bool, next []jobs.Job, err error) {
	store := pgupload.New(b.DB)
	revision, indexed, err := store.Revision(ctx, b.Tenant)
	if err != nil || revision == indexed {
		return false, nil, err
	}
	pipeline, err := b.pipelineWith(nil, index.Config{})
	if err != nil {
		return false, nil, err
	}
	piece, cancel := context.WithDeadlineCause(ctx, until, index.ErrPaused)
	defer cancel()
	run, err := pipeline.Run(piece, b.Tenant, uploads.New(uploads.Options{Tenant: b.Tenant, Store: store, Read: b.oneFile}), nil)
	if run.Counts.Indexed > 0 {
		next = []jobs.Job{{Kind: jobs.Vectors, Tenant: b.Tenant}}
	}
	switch {
	case errors.Is(err, index.ErrPaused) && piece.Err() != nil && ctx.Err() == nil:
		return true, next, nil
	case err != nil:
		return false, next, fmt.Errorf("index kept files: %w", err)
	}
	b.Logger.InfoContext(ctx, "kept files read", "indexed", run.Counts.Indexed, "unchanged", run.Counts.Unchanged, "removed", run.Counts.Removed, "failed", run.Counts.Failed)
	if run.Counts.Failed > 0 { // they are read again after failedAgain, and with the next change
		now, _, err := store.Revision(ctx, b.Tenant)
		return now > revision, next, err
	}
	if err := store.Indexed(ctx, b.Tenant, revision); err != nil {
		return false, next, err
	}
	more, err = b.uploadsDue(ctx) // a change during the run could not queue this job again
	return more, next, err
}

func (b *Base) uploadedFiles(ctx context.Context, project string, audience access.Audience) ([]message.File, error) {
	all, err := pgupload.New(b.DB).List(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(upload.Readable(all, audience), func(f upload.File) bool { return f.Project != project })
	ids := make([]document.ID, len(all))
	for i, f := range all {
		ids[i] = f.ID.Document()
	}
	may, err := b.Index.Readable(ctx, audience, ids)
	if err != nil {
		return nil, err
	}
	texts, err := textsWithin(slices.DeleteFunc(ids, func(id document.ID) bool { return !may[id] }), func(id document.ID) (string, error) {
		found, err := b.Index.Texts(ctx, b.Tenant, []document.ID{id})
		return strings.TrimSpace(found[id]), err
	})
	if err != nil {
		return nil, err
	}
	var out []message.File
	for _, f := range all {
		id := f.ID.Document()
		if texts[id] != "" {
			out = append(out, countTokens(b.Config, message.File{
				ID: message.FileID(id), Name: filepath.Base(f.Name), Text: texts[id],
				Document: document.Ref{ID: id, Source: upload.Source, Kind: upload.Kind, Title: f.Name, URL: f.Link, UpdatedAt: f.At},
			}))
		}
	}
	return out, nil
}

// maxAtHand is the maximum size, in bytes, of the uploaded texts that a question gets. Other files
// can only be found by searching.
const maxAtHand = 8 << 20

// textsWithin loads texts up to maxAtHand bytes in total. It holds at most one text more in memory.
func textsWithin(ids []document.ID, load func(document.ID) (string, error)) (map[document.ID]string, error) {
	texts, size := make(map[document.ID]string), 0
	for _, id := range ids {
		text, err := load(id)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxAtHand {
			break
		}
		texts[id] = text
	}
	return texts, nil
}

// Author returns an account with what its platform says about it now. An account of this machine
// counts as a full member.
func (b *Base) Author(ctx context.Context, platforms Listeners, person access.Account) (access.Account, error) {
	if person.Platform == review.Terminal {
		person.Full = true
		return person, nil
	}
	there, err := b.Present(ctx, platforms, person)
	if err != nil {
		return access.Account{}, err
	}
	return there.People[0], nil
}
