-- +goose Up
-- Vector spaces that chunks are embedded in. The HNSW index of a model is partial, on (emb::halfvec(N)), and created by code.
create table embedding_model (
    number     int generated always as identity primary key,
    tenant_id  text not null,
    name       text not null check (name <> ''),
    dimensions int not null check (dimensions > 0),
    precision  text not null check (precision in ('halfvec', 'vector')),
    indexed    boolean not null default false, -- its HNSW index is complete
    created_at timestamptz not null default now(),
    unique (tenant_id, name)
);

-- Vectors have length 1 or are all zero. Filters of the nearest-neighbour search stand in the row, so that it needs no join; the
-- columns are in no index, so that a changed access list does not touch the graph.
create table embedding (
    tenant_id     text not null,
    shard         smallint not null,
    chunk         bigint not null,
    model         int not null,
    access_number int not null,
    source        int not null,
    emb           halfvec, -- one of the two, as the model's precision says
    emb_full      vector,
    primary key (tenant_id, shard, model, chunk),
    check ((emb is null) <> (emb_full is null))
) with (fillfactor = 90);

-- +goose Down
drop table embedding;
drop table embedding_model;
