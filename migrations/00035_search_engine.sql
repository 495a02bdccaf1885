-- +goose Up
-- A search engine beside PostgreSQL, which holds what can be made anew from here (deploy/decisions/0048-search-engine.md).

-- The indexes there. Searches ask the one that serves; every change goes to all of them.
create table search_generation (
    name    text primary key,               -- of the index in the engine
    serving boolean not null default false, -- false: it is being filled
    leaving boolean not null default false, -- it is to be dropped, and counts for nothing
    since   bigint not null,                -- what was applied before this version was not applied there
    begun_at timestamptz not null default now()
);
create unique index search_generation_serving on search_generation (serving) where serving;

create sequence search_version;

-- The chunks of each version of a document, and which change of them the engine has: the outbox. A row is there while the document is, or the engine
-- has it. version grows under the lock of the shard, so that later changes have higher ones.
create table search_entry (
    tenant_id   text not null,
    shard       smallint not null,
    first_chunk bigint not null,
    chunk_count int not null,
    external_id text not null,
    gone        boolean not null default false, -- the document is not there any more, or has other chunks
    version     bigint not null default nextval('search_version'),
    applied     bigint not null default 0,
    queued_at   timestamptz not null default now(),
    primary key (tenant_id, shard, first_chunk)
);
create index search_entry_queued on search_entry (queued_at) where applied < version;
create index search_entry_document on search_entry (tenant_id, external_id) where applied < version;

-- +goose Down
drop table search_entry;
drop sequence search_version;
drop table search_generation;
