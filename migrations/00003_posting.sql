-- +goose Up
-- The keyword index (core/retrieve/bm25 holds the formats). Newest chunks, written with them in one transaction; one row per term,
-- field and transaction.
create table fresh_posting (
    tenant_id   text not null,
    shard       smallint not null,
    first_chunk bigint not null, -- first id of the transaction's run of chunks
    field       smallint not null, -- 0 title and body, 1 title
    term        text not null collate "C",
    payload     bytea not null,
    primary key (tenant_id, term, field, shard, first_chunk)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index fresh_posting_run on fresh_posting (tenant_id, shard, first_chunk);

-- Sealed chunks: each segment spans consecutive ids of one block and is replaced, never changed, but for its counters.
create table segment (
    tenant_id   text not null,
    shard       smallint not null,
    number      int not null generated always as identity,
    level       smallint not null,
    low         bigint not null, -- first id
    high        bigint not null, -- last id + 1
    flat_avg    double precision not null, -- average lengths that the impacts were made with
    title_avg   double precision not null,
    chunks      int not null, -- in the postings
    dead        int not null, -- of these, no longer in the index
    epoch       int not null default 0, -- grows with every change of what may be found or read
    lengths     bytea not null, -- per id, two 16-bit numbers: length of title and body, length of title
    primary key (tenant_id, shard, number)
);
alter table segment alter column lengths set storage external;

create table posting (
    tenant_id text not null,
    shard     smallint not null,
    segment   int not null,
    field     smallint not null,
    term      text not null collate "C",
    payload   bytea not null,
    primary key (tenant_id, term, field, shard, segment)
);
alter table posting alter column payload set storage external;
create index posting_segment on posting (tenant_id, shard, segment);

-- What happened to a segment's chunks at each epoch, so that a bitmap in memory is brought up to date instead of built anew.
create table segment_change (
    tenant_id     text not null,
    shard         smallint not null,
    segment       int not null,
    epoch         int not null,
    first_chunk   bigint not null,
    chunk_count   int not null,
    access_number int, -- the new access list; null when the chunks were removed
    primary key (tenant_id, shard, segment, epoch, first_chunk)
);

-- +goose Down
drop table segment_change;
drop table posting;
drop table segment;
drop table fresh_posting;
