// Package pgupload stores files that people keep in projects in PostgreSQL, with the files'
// content.
package pgupload

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
	"github.com/jackc/pgx/v5"
)

// Store stores the files that people keep in projects, and records changes in the audit trail. It
// is safe for concurrent use by any number of processes.
type Store struct{ db *postgres.DB }

var _ upload.Store = (*Store)(nil)

// New returns the Store in db.
func New(db *postgres.DB) *Store { return &Store{db} }

// errUnchanged rolls back a transaction that would change nothing.
var errUnchanged = errors.New("the content is the same")

// changed is an SQL statement that increments the revision of a tenant's files. It locks the
// tenant's row, so that only one transaction at a time can change files.
const changed = `
	insert into upload_state (tenant_id, revision) values ($1, 1)
	on conflict (tenant_id) do update set revision = upload_state.revision + 1`

// Keep implements upload.Store.
func (s *Store) Keep(ctx context.Context, tenant access.TenantID, f upload.File, content []byte) (upload.File, upload.Became, error) {
	became := upload.Added
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, changed, tenant); err != nil {
			return err
		}
		there, err := before(ctx, tx, tenant, f)
		switch {
		case err != nil:
			return err
		case there != nil && there.Hash == f.Hash:
			f = *there
			return errUnchanged
		case there != nil && !upload.MayReplace(*there, f.Author):
			return upload.ErrTaken
		case there != nil:
			became, f.ID = upload.Replaced, there.ID
		default:
			var n int
			if err := tx.QueryRow(ctx, `select count(*) from upload where tenant_id = $1 and project = $2`, tenant, f.Project).Scan(&n); err != nil {
				return err
			}
			if n >= upload.MaxFiles {
				return upload.ErrFull
			}
		}
		const put = `
			insert into upload (tenant_id, id, project, name, readers, size, hash, platform, workspace, person, channel, thread, message, link, content, readers_key)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
			on conflict (tenant_id, id) do update set size = excluded.size, hash = excluded.hash, platform = excluded.platform,
			  workspace = excluded.workspace, person = excluded.person, channel = excluded.channel, thread = excluded.thread,
			  message = excluded.message, link = excluded.link, content = excluded.content, changed_at = excluded.changed_at
			returning changed_at`
		if err := tx.QueryRow(ctx, put, tenant, f.ID, f.Project, postgres.Storable(f.Name), f.Readers, f.Size, f.Hash[:], f.Author.Platform,
			postgres.Storable(f.Author.Workspace.ID), postgres.Storable(f.Author.ID), postgres.Storable(f.From.Channel), postgres.Storable(f.From.Thread),
			postgres.Storable(string(f.Message)), postgres.Storable(f.Link), content, readersKey(f.Readers)).Scan(&f.At); err != nil {
			return err
		}
		f.At = f.At.UTC()
		return audit.Write(ctx, tx, tenant, entry(session.FileKept, f, session.Actor{Platform: thread.Platform(f.Author.Platform), ID: f.Author.ID}))
	})
	if errors.Is(err, errUnchanged) {
		return f, upload.Unchanged, nil
	}
	if err != nil {
		return upload.File{}, 0, fmt.Errorf("store a kept file: %w", err)
	}
	return f, became, nil
}

// entry returns an audit entry about a file. It omits the file's name, because readers of the audit
// trail may not be readers of the file.
func entry(deed session.Deed, f upload.File, by session.Actor) audit.Entry {
	return audit.Entry{Deed: deed, Who: by, At: thread.Ref{Platform: by.Platform}, Private: true, Details: map[string]string{"file": string(f.ID)}}
}

const columns = `id, project, name, readers, size, hash, platform, workspace, person, channel, thread, message, link, changed_at`

// before returns the stored file that f would replace, or nil if there is none.
func before(ctx context.Context, tx pgx.Tx, tenant access.TenantID, f upload.File) (*upload.File, error) {
	// Served by the unique constraint.
	rows, err := tx.Query(ctx, `select `+columns+` from upload where tenant_id = $1 and project = $2 and readers_key = $3 and name = $4`,
		tenant, f.Project, readersKey(f.Readers), postgres.Storable(f.Name))
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // there may be none
	}
	return &found, err
}

// readersKey returns a digest of an access list, regardless of the list's order.
func readersKey(readers access.ACL) []byte {
	var all strings.Builder
	for _, r := range slices.Sorted(slices.Values(readers)) {
		all.WriteString(string(r) + "\n")
	}
	key := sha256.Sum256([]byte(all.String()))
	return key[:]
}

func scan(row pgx.CollectableRow) (upload.File, error) {
	var f upload.File
	var hash []byte
	err := row.Scan(&f.ID, &f.Project, &f.Name, &f.Readers, &f.Size, &hash, &f.Author.Platform, &f.Author.Workspace.ID, &f.Author.ID,
		&f.From.Channel, &f.From.Thread, &f.Message, &f.Link, &f.At)
	copy(f.Hash[:], hash)
	f.At = f.At.UTC()
	if f.From.Channel != "" {
		f.From.Platform, f.From.Workspace = thread.Platform(f.Author.Platform), f.Author.Workspace.ID
	}
	return f, err
}

// List implements upload.Store.
func (s *Store) List(ctx context.Context, tenant access.TenantID) ([]upload.File, error) {
	rows, err := s.db.Pool.Query(ctx, `select `+columns+` from upload where tenant_id = $1 order by project, name, id`, tenant)
	if err != nil {
		return nil, fmt.Errorf("list kept files: %w", err)
	}
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list kept files: %w", err)
	}
	return all, nil
}

// Content returns the content of the version of a file that was stored at the given time. It
// returns upload.ErrGone if the file does not exist or has another version.
func (s *Store) Content(ctx context.Context, tenant access.TenantID, id upload.ID, at time.Time) ([]byte, error) {
	var content []byte
	err := s.db.Pool.QueryRow(ctx, `select content from upload where tenant_id = $1 and id = $2 and changed_at = $3`, tenant, id, at).Scan(&content)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, upload.ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("read a kept file: %w", err)
	}
	return content, nil
}

// Remove implements upload.Store.
func (s *Store) Remove(ctx context.Context, tenant access.TenantID, id upload.ID, by session.Actor) error {
	n, err := s.remove(ctx, tenant, by, `delete from upload where tenant_id = $1 and id = $2 returning `+columns, tenant, id)
	if err == nil && n == 0 {
		return upload.ErrGone
	}
	return err
}

// RemoveOf implements upload.Store.
func (s *Store) RemoveOf(ctx context.Context, tenant access.TenantID, at thread.Ref, message thread.MessageID) (int, error) {
	var there bool // most messages that are deleted came without files
	err := s.db.Pool.QueryRow(ctx, `select exists (select from upload where tenant_id = $1 and platform = $2 and message = $3 and channel = $4)`,
		tenant, at.Platform, postgres.Storable(string(message)), postgres.Storable(at.Channel)).Scan(&there)
	if err != nil {
		return 0, fmt.Errorf("look for files of a message: %w", err)
	}
	if !there || message == "" {
		return 0, nil
	}
	return s.remove(ctx, tenant, session.Actor{Platform: at.Platform}, `
		delete from upload where tenant_id = $1 and platform = $2 and message = $3 and channel = $4 returning `+columns,
		tenant, at.Platform, postgres.Storable(string(message)), postgres.Storable(at.Channel))
}

func (s *Store) remove(ctx context.Context, tenant access.TenantID, by session.Actor, sql string, args ...any) (n int, err error) {
	err = s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, changed, tenant); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		gone, err := pgx.CollectRows(rows, scan)
		if err != nil {
			return err
		}
		for _, f := range gone {
			if err := audit.Write(ctx, tx, tenant, entry(session.FileRemoved, f, by)); err != nil {
				return err
			}
		}
		n = len(gone)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("remove kept files: %w", err)
	}
	return n, nil
}

// Revision returns the newest revision of a tenant's files, and the newest revision that is
// indexed. Both are 0 if there was never a file.
func (s *Store) Revision(ctx context.Context, tenant access.TenantID) (revision, indexed int64, err error) {
	err = s.db.Pool.QueryRow(ctx, `select revision, indexed from upload_state where tenant_id = $1`, tenant).Scan(&revision, &indexed)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("look for changes of kept files: %w", err)
	}
	return revision, indexed, nil
}

// Indexed records that the index contains all changes up to a revision.
func (s *Store) Indexed(ctx context.Context, tenant access.TenantID, revision int64) error {
	_, err := s.db.Pool.Exec(ctx, `update upload_state set indexed = $2 where tenant_id = $1 and indexed < $2`, tenant, revision)
	if err != nil {
		return fmt.Errorf("note that kept files are indexed: %w", err)
	}
	return nil
}
