-- +goose Up
-- Sources of documents, with the state of their last synchronisation.
create table source (
    tenant_id    text not null references tenant (id),
    id           text not null check (id <> ''),
    number       int not null generated always as identity, -- short name of the source in vectors' filters
    kind         text not null,
    name         text not null,
    settings     text not null default '',  -- of the last run that finished whole
    checkpoint   bytea not null default '',
    last_success timestamptz,
    last_run     jsonb not null default '{}', -- the newest run: times, counts, notices
    last_error   text not null default '',
    failures     int not null default 0,      -- runs in a row that did not come to their end
    created_at   timestamptz not null default now(),
    primary key (tenant_id, id)
);

-- Distinct access lists, each stored once, so that a row of millions names its list by a number. Rows never change.
create table access_list (
    tenant_id  text not null,
    number     int not null generated always as identity,
    digest     bytea not null, -- SHA-256 of the sorted principals
    principals text[] not null,
    primary key (tenant_id, number),
    unique (tenant_id, digest)
);
create index access_list_principals on access_list using gin (principals);

-- One row per tenant and shard: writers of the shard queue on it, so ids are handed out in the order of commits, and everything below
-- next_chunk is committed. Statistics count what can be found now.
create table index_shard (
    tenant_id     text not null,
    shard         smallint not null,
    next_document bigint not null default 1,
    next_chunk    bigint not null default 0,
    sealed_to     bigint not null default 0, -- chunks below are in segments, the rest in fresh_posting
    chunks        bigint not null default 0,
    flat_length   bigint not null default 0,
    title_length  bigint not null default 0,
    titled        bigint not null default 0, -- chunks of documents with a title
    languages     text[] not null default '{}',
    primary key (tenant_id, shard)
);

create table document (
    tenant_id     text not null,
    shard         smallint not null,
    id            bigint not null,
    source_id     text not null,
    external_id   text not null,
    kind          text not null,
    title         text not null,
    url           text not null,
    updated_at    timestamptz, -- as readers see it
    modified_at   timestamptz, -- as the source compares it
    content_hash  bytea not null,
    acl           text[] not null,
    access_number int not null,
    metadata      jsonb not null default '{}',
    language      text not null,
    boost         real not null default 1 check (boost > 0),
    first_chunk   bigint not null, -- a document's chunks have consecutive ids within one block of 65,536
    chunk_count   int not null,
    flat_length   bigint not null,
    title_length  bigint not null,
    indexed_at    timestamptz not null default now(),
    primary key (tenant_id, shard, id),
    unique (tenant_id, shard, external_id)
);
create index document_source on document (tenant_id, source_id);
-- Serves the bitmaps of allowed chunks without touching the table.
create index document_chunks on document (tenant_id, shard, first_chunk) include (chunk_count, access_number);

create table chunk (
    tenant_id  text not null,
    shard      smallint not null,
    id         bigint not null,
    document   bigint not null,
    ordinal    int not null,
    text       text not null,
    lead       text not null default '', -- header of the table that text begins in, shown before it
    enrichment text not null, -- what stands before text when it is embedded
    heading    text[] not null,
    anchor     text not null,
    start_rune int not null,
    end_rune   int not null,
    tokens     int not null,
    primary key (tenant_id, shard, id) include (document, ordinal)
);

-- +goose Down
drop table chunk;
drop table document;
drop table index_shard;
drop table access_list;
drop table source;
