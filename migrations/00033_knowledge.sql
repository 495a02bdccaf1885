-- +goose Up
-- What documents state of one another, of people, teams and projects, and which names stand in which passage (deploy/decisions/0046-knowledge.md). Every
-- row of alias, edge and mention rests on a document, and is gone with it.

-- Names in their normal form. One that no document uses any more goes with the next tidying.
create table entity_name (
    tenant_id text not null,
    id        bigint not null generated always as identity,
    form      text not null collate "C",
    searched  boolean not null default false, -- it was looked for in the passages that were there before it
    primary key (tenant_id, id),
    unique (tenant_id, form)
);
create index entity_name_new on entity_name (tenant_id, id) where not searched;

-- Things that documents speak of. Documents themselves have no row: only what another one calls a document has.
create table entity (
    tenant_id text not null,
    id        bigint not null generated always as identity,
    kind      text not null,
    key       text not null collate "C", -- tells entities of a kind apart: an address of mail, an account, a number, a normal form
    primary key (tenant_id, id),
    unique (tenant_id, kind, key)
);

-- What a document calls a thing, or is called itself (entity 0).
create table alias (
    tenant_id text not null,
    shard     smallint not null,
    document  bigint not null,
    entity    bigint not null,
    name      bigint not null,
    shown     text not null, -- as the document writes it
    primary key (tenant_id, shard, document, entity, name)
);
create index alias_name on alias (tenant_id, name, entity);
create index alias_entity on alias (tenant_id, entity) where entity <> 0;

-- What a document states: subject and object are entities, or the document itself (0).
create table edge (
    tenant_id text not null,
    shard     smallint not null,
    document  bigint not null,
    chunk     bigint not null, -- that states it
    subject   bigint not null,
    relation  text not null,
    object    bigint not null,
    at        timestamptz, -- of the document
    primary key (tenant_id, shard, document, subject, relation, object)
);
create index edge_subject on edge (tenant_id, subject, relation) where subject <> 0;
create index edge_object on edge (tenant_id, object, relation) where object <> 0;

-- Which names stand in a passage.
create table mention (
    tenant_id text not null,
    shard     smallint not null,
    chunk     bigint not null,
    name      bigint not null,
    primary key (tenant_id, shard, chunk, name)
);
create index mention_name on mention (tenant_id, name);

-- Things that the operator says are one, by kind and key, so that it holds whichever documents come and go.
create table entity_merge (
    tenant_id  text not null,
    kind       text not null,
    key        text not null collate "C",
    other_kind text not null,
    other_key  text not null collate "C",
    reason     text not null,
    said_by    text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, kind, key, other_kind, other_key)
);

-- Which version of the program read from a document what it states; 0: none did.
alter table document add column knowledge smallint not null default 0;
create index document_unread on document (tenant_id, shard, id) where knowledge = 0;

-- +goose Down
drop index document_unread;
alter table document drop column knowledge;
drop table entity_merge;
drop table mention;
drop table edge;
drop table alias;
drop table entity;
drop table entity_name;
