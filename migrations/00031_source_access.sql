-- +goose Up
-- Who may read what in sources that have readers of their own: their nodes (repositories, spaces, folders), groups and people, and whose account
-- on a chat platform is whose there (deploy/decisions/0037-source-access.md).

-- A node and whoever may read it now. Its documents have the access list {node:SOURCE:ID}, which is the node's principal; searches look up its
-- readers, so that a change of them touches no document.
create table access_node (
    tenant_id text not null,
    source_id text not null,
    id        text not null,
    principal text not null,              -- as access lists name it
    name      text not null,
    parent    text not null default '',
    inherit   smallint not null default 0,
    clauses   jsonb not null default '[]', -- as read: [["group:…", …], …]
    readers   text[] not null default '{}', -- the flat list that follows from the clauses and those above; of several clauses, their set
    read_at   timestamptz not null,        -- when it was last read whole
    denied    boolean not null default false,
    primary key (tenant_id, source_id, id)
);
create index access_node_readers on access_node using gin (readers);
create unique index access_node_principal on access_node (tenant_id, principal);

-- Sets of clauses: who holds a principal of every clause holds the set.
create table access_set (
    tenant_id text not null,
    source_id text not null,
    principal text not null, -- group:SOURCE:set:DIGEST
    clauses   int not null,
    primary key (tenant_id, principal)
);
create table access_set_clause (
    tenant_id text not null,
    principal text not null, -- of the set
    clause    int not null,
    needs     text not null, -- a principal that is in the clause
    primary key (tenant_id, needs, principal, clause)
);
create index access_set_clause_set on access_set_clause (tenant_id, principal);

-- People of sources, with the addresses that the source vouches for, in small letters.
create table source_person (
    tenant_id text not null,
    source_id text not null,
    id        text not null,
    name      text not null default '',
    emails    text[] not null default '{}',
    read_at   timestamptz not null,
    primary key (tenant_id, source_id, id)
);
create index source_person_emails on source_person using gin (emails);

-- Groups, each of which counts as it was when it was last read whole: the members of its generation.
create table source_group (
    tenant_id  text not null,
    source_id  text not null,
    principal  text not null,
    name       text not null default '',
    generation bigint not null default 0,
    read_at    timestamptz not null,
    primary key (tenant_id, principal)
);
create table source_member (
    tenant_id  text not null,
    source_id  text not null,
    person     text not null,
    principal  text not null,
    generation bigint not null,
    primary key (tenant_id, source_id, person, principal, generation)
);
create index source_member_group on source_member (tenant_id, principal, generation);

-- How far the loops over a source are. Nobody is granted anything of a source whose loops have not come to their end for too long.
create table source_access (
    tenant_id   text not null,
    source_id   text not null,
    loop        text not null, -- nodes, groups
    checkpoint  bytea not null default '',
    complete_at timestamptz,   -- when the last loop began that read everything
    succeeded_at timestamptz,  -- when the last loop began that came to its end
    failing     int not null default 0,
    error       text not null default '',
    revoked     boolean not null default false, -- the credential is not accepted: the source is hidden
    primary key (tenant_id, source_id, loop)
);

-- People of chat platforms, with the address that their workspace vouches for.
create table account (
    platform    text not null,
    workspace   text not null,
    id          text not null,
    name        text not null default '',
    email       text not null default '', -- in small letters; empty where nobody vouches for it
    full_member boolean not null,
    seen_at     timestamptz not null,
    primary key (platform, workspace, id)
);
create index account_email on account (email) where email <> '';

-- Whose account is whose in a source, where the operator says so. It leads over what addresses say.
create table identity (
    tenant_id  text not null,
    source_id  text not null,
    person     text not null, -- native id; empty: the account is nobody in the source
    platform   text not null,
    workspace  text not null,
    account    text not null,
    said_by    text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, source_id, platform, workspace, account)
);
create index identity_person on identity (tenant_id, source_id, person);

-- Accounts that were forgotten, as keyed hashes: they are linked no more.
create table identity_forgotten (
    tenant_id text not null,
    digest    bytea not null,
    primary key (tenant_id, digest)
);

-- What the operator has set aside, and why.
alter table source add column paused_at timestamptz;

-- +goose Down
alter table source drop column paused_at;
drop table identity_forgotten;
drop table identity;
drop table account;
drop table source_access;
drop table source_member;
drop table source_group;
drop table source_person;
drop table access_set_clause;
drop table access_set;
drop table access_node;
