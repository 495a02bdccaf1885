-- +goose Up
-- What a model read from texts of passages, where KNOWLEDGE_MODEL is set (deploy/decisions/0054-extraction.md). A text is known by its digest, so that it is read once wherever
-- it stands. A row without a document that holds the text goes within two days.
create table extraction (
    tenant_id    text not null,
    digest       bytea not null,              -- SHA-256 of the model, what it is told, and the text
    attempts     smallint not null default 0, -- that were begun and left nothing, the one under way included
    leased_until timestamptz not null,        -- whoever began the attempt has the text until then
    found        jsonb,                       -- what was kept of the answer: null while there is none
    reason       text not null default '',    -- why there never will be one; empty while there may
    dropped      int not null default 0,      -- statements of the answer that were not kept
    took_ms      int not null default 0,
    unused_since timestamptz,                 -- when no document was found that holds the text; null: one was
    primary key (tenant_id, digest)
);

-- Documents whose passages were read. A row counts for the version of the document whose chunks begin at first_chunk.
create table extracted (
    tenant_id   text not null,
    shard       smallint not null,
    document    bigint not null,
    first_chunk bigint not null,
    way         bytea not null,   -- the model and what it was told
    digests     bytea[] not null, -- of the document's passages
    primary key (tenant_id, shard, document)
);

-- +goose Down
drop table extracted;
drop table extraction;
