-- +goose Up
-- Vector spaces that the local embedder has learned from a tenant's own documents. The newest is in use; the one before it serves
-- processes that have not noticed yet.
create table local_model (
    tenant_id  text not null,
    version    text not null check (version <> ''),
    chunks     int not null, -- in the index when it was trained
    data       bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, version)
);
-- The data is compressed numbers: trying to compress it again costs time and saves nothing.
alter table local_model alter column data set storage external;

-- +goose Down
drop table local_model;
