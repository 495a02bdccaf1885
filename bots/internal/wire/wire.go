// Package wire builds the program from its parts, once per process: from the settings to the
// database, index, models and answer service. A new tool, connector or model provider is added
// here, in one line.
package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/scratch"
	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/spend"
)

// closing leaves the private server 20 seconds for an orderly stop, then time for a forced one.
const closing = 40 * time.Second

// Base holds what every command needs: settings, database and index. Call Close at the end.
type Base struct {
	Config  *config.Config
	Logger  *slog.Logger
	DB      *postgres.DB
	Index   *pgindex.Index
	Counter budget.Counter
	Tenant  access.TenantID
	// By is the account that makes changes, for the audit trail. It is empty in serve, where people
	// ask in chat.
	By     string
	person session.Actor // who asks in the console; see As
	// Measuring makes answers wait for slow work of a busy machine, because the answers are
	// measured.
	Measuring bool
	// Meter counts what the process does; nil: nothing is counted. Set it before building anything
	// that it counts.
	Meter *telemetry.Metrics
	// Tracer records the work of turns as spans; nil: none are recorded. Set it as early as Meter.
	Tracer span.Tracer

	cluster *local.Cluster  // nil if DATABASE_URL is set
	scratch *scratch.Schema // set only by OpenScratch
	http    *http.Client
	file    *atomic.Pointer[config.File] // the last file read; shared by copies

	clients  *clients // clients of the sources
	checks   *checks  // permission checks of private answers; shared by copies
	approver approver // approves stored sources
	heard    *heard   // hints of changes on chat platforms; shared by copies
	grouped  *grouped // cached clusters of questions; shared by copies

	noRoom    *atomic.Int64 // when a disk was full last, in Unix nanoseconds; shared by copies
	spending  *spending     // nil: costs are not recorded
	filters   *filters
	endpoints *endpoints // nil: models are created at each use
}

// Open connects to the database and migrates its schema. It starts the private server if no
// database is configured.
func Open(ctx context.Context, cfg *config.Config, logger *slog.Logger) (*Base, error) {
	return open(ctx, cfg, logger, true)
}

// OpenMigrated is like [Open], but does not migrate the schema, for database roles that may not. If
// the schema is out of date, the error says what to do.
func OpenMigrated(ctx context.Context, cfg *config.Config, logger *slog.Logger) (*Base, error) {
	return open(ctx, cfg, logger, false)
}

func open(ctx context.Context, cfg *config.Config, logger *slog.Logger, migrate bool) (*Base, error) {
	b := &Base{Config: cfg, Logger: logger, Counter: counter(cfg.Model), Tenant: access.DefaultTenant}
	b.grouped = newGrouped()
	b.heard, b.file, b.filters, b.endpoints = new(heard), new(atomic.Pointer[config.File]), new(filters), new(endpoints)
	b.noRoom = new(atomic.Int64)
	b.setClients()
	b.approver = newApprover(cfg)
	b.clients.politeness = new(web.Politeness)
	err := b.open(ctx, migrate)
	if err != nil {
		return nil, errors.Join(err, b.Close(ctx))
	}
	return b, nil
}

// OpenScratch is like [Open], but works in a new, empty schema, which Close drops.
func OpenScratch(ctx context.Context, cfg *config.Config, logger *slog.Logger) (*Base, error) {
	b := &Base{Config: cfg, Logger: logger, Counter: counter(cfg.Model), Tenant: access.DefaultTenant, filters: new(filters)}
	b.setClients()
	b.approver = newApprover(cfg)
	err := b.openScratch(ctx)
	if err != nil {
		return nil, errors.Join(err, b.Close(ctx))
	}
	return b, nil
}

func (b *Base) openScratch(ctx context.Context) error {
	var err error
	if b.http, err = newHTTPClient(b.Config.CAFile); err != nil {
		return err
	}
	url, direct, err := b.addresses(ctx)
	if err != nil {
		return err
	}
	if err := b.accountBeside(ctx, url, direct); err != nil {
		return err
	}
	if b.scratch, err = scratch.Create(ctx, direct); err != nil {
		return err
	}
	if left := b.scratch.Left(); len(left) > 0 {
		b.Logger.Warn("schemas that earlier evaluations left behind belong to another database role, which can drop them", "schemas", strings.Join(left, " "))
	}
	if _, err := postgres.Migrate(ctx, b.scratch.URL()); err != nil {
		return err
	}
	if b.DB, err = postgres.Open(ctx, postgres.Config{URL: b.scratch.URL()}); err != nil {
		return err
	}
	config := b.indexConfig()
	if config.Engine, err = b.searchEngine("-eval-" + strings.ToLower(rand.Text()[:8])); err != nil {
		return err
	}
	if b.Index, err = pgindex.New(b.DB, config); err != nil {
		return err
	}
	b.checks = b.newChecks()
	if config.Engine == nil {
		return nil
	}
	return b.Index.Rebuild(ctx, false, nil)
}

func (b *Base) open(ctx context.Context, migrate bool) error {
	for _, warning := range b.Config.Warnings() {
		b.Logger.WarnContext(ctx, warning)
	}
	var err error
	if b.http, err = newHTTPClient(b.Config.CAFile); err != nil {
		return err
	}
	url, migrateURL, err := b.addresses(ctx)
	if err != nil {
		return err
	}
	if b.DB, err = b.connect(ctx, url, migrateURL, migrate); err != nil {
		return err
	}
	if b.DB.Schema.Newer() {
		b.Logger.Info("a newer version of footnote has migrated the database; this one works with it for as long as both are in use")
	}
	if err := b.account(b.DB); err != nil {
		return err
	}
	config := b.indexConfig()
	if config.Engine, err = b.searchEngine(""); err != nil {
		return err
	}
	if b.Index, err = pgindex.New(b.DB, config); err != nil {
		return err
	}
	b.checks = b.newChecks()
	if b.cluster != nil {
		return b.adopt(ctx)
	}
	return nil
}

var precisions = map[string]string{"half": "halfvec", "single": "vector"}

func (b *Base) indexConfig() pgindex.Config {
	return pgindex.Config{CacheBytes: b.Config.IndexMemoryBytes, Precision: precisions[b.Config.Precision], Logger: b.Logger}
}

func (b *Base) connect(ctx context.Context, url, migrateURL string, migrate bool) (*postgres.DB, error) {
	to := postgres.Config{URL: url, OnError: func(state string) {
		switch {
		case state == local.LibraryLost && b.cluster != nil:
			b.cluster.Suspect()
		case state == postgres.DiskFull:
			b.noRoom.Store(time.Now().UnixNano())
		}
	}}
	db, err := postgres.Open(ctx, to)
	if migrate && errors.Is(err, postgres.ErrSchema) {
		n, err := postgres.Migrate(ctx, migrateURL)
		if err != nil {
			return nil, err
		}
		b.Logger.Info("database schema brought up to date", "migrations", n)
		return postgres.Open(ctx, to)
	}
	return db, err
}

// Migrate migrates the database schema and returns the number of migrations that ran.
func Migrate(ctx context.Context, cfg *config.Config, logger *slog.Logger) (int, error) {
	b := &Base{Config: cfg, Logger: logger}
	_, url, err := b.addresses(ctx)
	if err != nil {
		return 0, err
	}
	n, err := postgres.Migrate(ctx, url)
	return n, errors.Join(err, b.Close(ctx))
}

func (b *Base) addresses(ctx context.Context) (url, migrate string, err error) {
	if b.Config.DatabaseURL == "" {
		b.cluster, err = local.Start(ctx, local.Config{Dir: b.Config.DataDir, Logger: b.Logger})
		if err != nil {
			return "", "", fmt.Errorf("start the private PostgreSQL: %w", err)
		}
		return b.cluster.URL(), b.cluster.URL(), nil
	}
	url, migrate = b.Config.DatabaseURL.Reveal(), b.Config.MigrateDatabaseURL.Reveal()
	if migrate == "" {
		migrate = url
	}
	return url, migrate, nil
}

// Supervise restarts the private server whenever it stops, until ctx ends. It must return before
// Close is called. Without a private server, it returns at once.
func (b *Base) Supervise(ctx context.Context) {
	if b.cluster != nil {
		b.cluster.Supervise(ctx)
	}
}

// Disk returns the free and total space of the private server's disk. ok is false if there is no
// private server.
func (b *Base) Disk() (disk local.Disk, ok bool, err error) {
	if b.cluster == nil {
		return local.Disk{}, false, nil
	}
	disk, err = b.cluster.Disk()
	return disk, true, err
}

// refuses reports whether new questions are refused because the disk is full. Only a private
// server's disk can be checked; for any other server, err must tell.
func (b *Base) refuses(err error) bool {
	disk, private, unseen := b.Disk()
	return private && unseen == nil && disk.Full() || postgres.Full(err)
}

// noRoomFor is how long a database counts as full after a statement has failed for that reason.
const noRoomFor = 5 * time.Second

// Full reports whether the database's disk is full. It checks the private server's disk. Any other
// server counts as full for noRoomFor after it has refused a statement for that reason.
func (b *Base) Full() bool {
	if disk, private, err := b.Disk(); private && err == nil {
		return disk.Full()
	}
	return time.Since(time.Unix(0, b.noRoom.Load())) < noRoomFor
}

// Close closes the database connections and drops a scratch schema. The private server stops with
// the last process that uses it.
func (b *Base) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	var err error
	if b.scratch != nil && b.Index != nil && b.HasEngine() {
		err = b.Index.LeaveEngine(ctx)
	}
	if b.spending != nil {
		b.spending.meter.Close()
	}
	if b.DB != nil {
		b.DB.Close()
	}
	if b.spending != nil && b.spending.own != nil {
		b.spending.own.Close()
	}
	if b.scratch != nil {
		err = errors.Join(err, b.scratch.Drop(ctx))
	}
	if b.cluster != nil {
		err = errors.Join(err, b.cluster.Close(ctx))
	}
	return err
}

// Pipeline returns the pipeline that indexes documents.
func (b *Base) Pipeline(ctx context.Context) (*index.Pipeline, error) {
	return b.pipeline(ctx, index.Config{By: b.By})
}

// FullPipeline is like [Base.Pipeline], but also indexes documents that have not changed.
func (b *Base) FullPipeline(ctx context.Context) (*index.Pipeline, error) {
	return b.pipeline(ctx, index.Config{Again: true, By: b.By})
}

func (b *Base) pipeline(ctx context.Context, cfg index.Config) (*index.Pipeline, error) {
	embedder, err := b.Embedder()
	if err != nil {
		return nil, err
	}
	return b.pipelineWith(embedder, cfg)
}

// pipelineWith leaves embedding for later if embedder is nil.
func (b *Base) pipelineWith(embedder retrieve.Embedder, cfg index.Config) (*index.Pipeline, error) {
	chunker, err := index.NewChunker(b.Counter, index.ChunkSize{})
	if err != nil {
		return nil, err
	}
	if b.Config.Contextual {
		model, err := b.FastModel(spend.Enriching)
		if err != nil {
			return nil, err
		}
		cfg.Context = index.NewContextual(model, b.Index)
	}
	return index.New(b.Index, chunker, embedder, cfg), nil
}
