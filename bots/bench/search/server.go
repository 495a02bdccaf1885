package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/scratch"
	"github.com/footnotehq/footnote/adapters/staticembed"
)

type server struct {
	url     string
	cluster *local.Cluster // nil with DATABASE_URL
	dir     string
	schema  *scratch.Schema // of the large index
}

// memory sets up PostgreSQL for a million chunks. All other settings are those of `make run`.
var memory = map[string]string{"shared_buffers": "3GB", "effective_cache_size": "6GB", "max_wal_size": "4GB"}

// start uses the server of DATABASE_URL. Without it, start runs one in the -keep folder, or in a
// temporary folder that stop removes.
func (b *bench) start(ctx context.Context) error {
	if b.url = os.Getenv("DATABASE_URL"); b.url == "" {
		var err error
		dir := b.keep
		if dir == "" {
			if b.dir, err = os.MkdirTemp("", "footnote-bench-*"); err != nil {
				return err
			}
			if err := os.Chmod(b.dir, 0o711); err != nil { // the server of root runs as another account
				return err
			}
			dir = b.dir
		}
		if b.cluster, err = local.Start(ctx, local.Config{Dir: dir, Settings: memory, Logger: slog.New(slog.DiscardHandler)}); err != nil {
			return errors.Join(err, b.stop(ctx))
		}
		b.url = b.cluster.URL()
	}
	var err error
	if b.keep != "" {
		b.db, b.index, err = b.connect(ctx, b.url, pgindex.Config{})
	} else {
		b.schema, b.db, b.index, err = b.open(ctx, pgindex.Config{})
	}
	if err != nil {
		return errors.Join(err, b.stop(ctx))
	}
	name, vector, err := b.db.Versions(ctx)
	if err != nil {
		return errors.Join(err, b.stop(ctx))
	}
	var buffers string
	if err := b.db.Pool.QueryRow(ctx, `select current_setting('shared_buffers')`).Scan(&buffers); err != nil {
		return errors.Join(err, b.stop(ctx))
	}
	b.printf("PostgreSQL %s, pgvector %s, shared_buffers %s\n", name, vector, buffers)
	return nil
}

func (b *bench) open(ctx context.Context, cfg pgindex.Config) (*scratch.Schema, *postgres.DB, *pgindex.Index, error) {
	schema, err := scratch.Create(ctx, b.url)
	if err != nil {
		return nil, nil, nil, err
	}
	db, x, err := b.connect(ctx, schema.URL(), cfg)
	if err != nil {
		return nil, nil, nil, errors.Join(err, schema.Drop(ctx))
	}
	return schema, db, x, nil
}

func (b *bench) connect(ctx context.Context, url string, cfg pgindex.Config) (*postgres.DB, *pgindex.Index, error) {
	if _, err := postgres.Migrate(ctx, url); err != nil {
		return nil, nil, err
	}
	db, err := postgres.Open(ctx, postgres.Config{URL: url, MaxConns: 16})
	if err != nil {
		return nil, nil, err
	}
	cfg.Logger = b.logger
	x, err := pgindex.New(db, cfg)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, x, nil
}

// again reports whether the -keep folder holds an index with vectors of the current model, and
// reuses it.
func (b *bench) again(ctx context.Context) (bool, error) {
	if b.keep == "" {
		return false, nil
	}
	name, err := os.ReadFile(b.modelFile())
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(name) != staticembed.Name {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if b.model, err = staticembed.New(); err != nil {
		return false, err
	}
	err = b.db.Pool.QueryRow(ctx, `select (select count(*) from document), (select sum(chunks) from index_shard)`).Scan(&b.documents, &b.chunks)
	return err == nil, err
}

// remember writes the embedding model's name into the -keep folder. It must come last, because
// again takes that file as the sign of a complete index.
func (b *bench) remember() error {
	if b.keep == "" {
		return nil
	}
	return os.WriteFile(b.modelFile(), []byte(staticembed.Name), 0o600)
}

func (b *bench) modelFile() string { return filepath.Join(b.keep, "vectors.model") }

func (b *bench) within(ctx context.Context, cfg pgindex.Config, f func(*postgres.DB, *pgindex.Index) error) error {
	schema, db, x, err := b.open(ctx, cfg)
	if err != nil {
		return err
	}
	err = f(db, x)
	db.Close()
	return errors.Join(err, schema.Drop(ctx))
}

func (b *bench) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	var err error
	if b.db != nil {
		b.db.Close()
	}
	if b.schema != nil {
		err = b.schema.Drop(ctx)
	}
	if b.cluster != nil {
		err = errors.Join(err, b.cluster.Close(ctx))
	}
	if b.dir != "" {
		if removeErr := os.RemoveAll(b.dir); removeErr != nil {
			err = errors.Join(err, fmt.Errorf("remove the server's folder: %w", removeErr))
		}
	}
	return err
}
