-- +goose Up
-- Files that people keep in projects, with their content. Their text is in the index, as documents
-- of the source "uploads".
create table upload (
    tenant_id  text not null references tenant (id),
    id         text not null,
    project    text not null, -- a name in the configuration file
    name       text not null,
    readers    text[] not null check (cardinality(readers) > 0), -- an access list, sorted
    -- SHA-256 of the list: an index has no room for a long one
    readers_key bytea not null,
    size       bigint not null,
    hash       bytea not null, -- SHA-256
    platform   text not null,
    workspace  text not null,
    person     text not null, -- who kept it; empty: the person was forgotten
    channel    text not null, -- where it was given; empty: in the console
    thread     text not null,
    message    text not null,
    link       text not null, -- address of that message; empty: none
    changed_at timestamptz not null default clock_timestamp(),
    content    bytea not null,
    primary key (tenant_id, id),
    unique (tenant_id, project, readers_key, name)
);
-- Most files are compressed already.
alter table upload alter column content set storage external;
create index upload_message on upload (tenant_id, platform, message);

-- Which changes of kept files the index has followed.
create table upload_state (
    tenant_id text primary key references tenant (id),
    revision  bigint not null,
    indexed   bigint not null default 0
);

-- +goose Down
drop table upload_state;
drop table upload;
