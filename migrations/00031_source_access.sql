-- +goose Up
-- Who may read what in sources that have readers of their own: their nodes (repositories, spaces, folders), groups and people, and whose account
-- on a chat platform is whose there (deploy/decisions/0037-source-access.md).

-- A node and whoever may read it now. Its documents have the access list {node:SOURCE:ID}, which is the node's principal; searches look up its
-- readers, so that a change of them touches no document.
create table access_node (
    tenant_id text not null,
    source_id text not null,
    id        text not null,
    principal text not null,               -- as access lists name it
    name      text not null,
    parent    text not null default '',
    inherit   smallint not null default 0,
    clauses   jsonb not null default '[]', -- as read: [["group:…", …], …]
    readers   text[] not null default '{}', -- the flat list that follows from the clauses and those above; of several clauses, their set
    read_at   timestamptz not null,        -- when the run began that read it last
    seen_at   timestamptz not null,        -- when the pass began that last told of it
    unread    boolean not null default false, -- it could not be read since
    until     timestamptz,                 -- until when the readers count: it, or one that they follow from, could not be read
    primary key (tenant_id, source_id, id)
);
create index access_node_readers on access_node using gin (readers) with (fastupdate = off); -- looked up for every question
create index access_node_parent on access_node (tenant_id, source_id, parent) where parent <> '';
create index access_node_until on access_node (tenant_id, source_id) where until is not null;
create unique index access_node_principal on access_node (tenant_id, principal);

-- Sets of clauses: who holds a principal of every clause holds the set.
create table access_set (
    tenant_id text not null,
    source_id text not null,
    principal text not null, -- group:SOURCE:set:DIGEST
    clauses   int not null,
    primary key (tenant_id, principal)
);
create index access_set_source on access_set (tenant_id, source_id);
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
    read_at   timestamptz not null, -- when the pass began that last told of them
    primary key (tenant_id, source_id, id)
);

-- The addresses of people, to be looked up for every question.
create table source_address (
    tenant_id text not null,
    email     text not null,
    source_id text not null,
    person    text not null,
    primary key (tenant_id, email, source_id, person),
    foreign key (tenant_id, source_id, person) references source_person on delete cascade
);
create index source_address_person on source_address (tenant_id, source_id, person);

-- Groups, each with its members as it was when it was last read whole.
create table source_group (
    tenant_id  text not null,
    source_id  text not null,
    principal  text not null,
    name       text not null default '',
    read_at    timestamptz not null, -- when the run began that read it last
    seen_at    timestamptz not null, -- when the pass began that last told of it
    until      timestamptz,          -- until when it counts: it could not be read since
    primary key (tenant_id, principal)
);
create index source_group_source on source_group (tenant_id, source_id);
create index source_group_until on source_group (tenant_id) where until is not null;
create table source_member (
    tenant_id  text not null,
    source_id  text not null,
    person     text not null,
    principal  text not null,
    primary key (tenant_id, source_id, person, principal)
);
create index source_member_group on source_member (tenant_id, principal, person);

-- How far the loops over a source are. Nobody is granted anything of a source whose loops have not come to their end for too long.
create table source_access (
    tenant_id   text not null,
    source_id   text not null,
    loop        text not null, -- nodes, groups
    run         bigint not null default 0, -- number of the newest run; what others yield is not stored any more
    checkpoint  bytea not null default '',
    pass_at     timestamptz,   -- when the pass began that has not come to its end
    began_at    timestamptz,   -- when the newest run began
    touched_at  timestamptz,   -- when it last stored something; null once it has ended
    complete_at timestamptz,   -- when the last pass began that read everything
    succeeded_at timestamptz,  -- when the last pass began that came to its end
    until       timestamptz,   -- until when what was read counts; null: it does not
    failing     int not null default 0, -- runs in a row
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
    bot         boolean not null default false, -- an app of the workspace itself
    seen_at     timestamptz not null,           -- when the platform described it so
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

-- Accounts that were forgotten, as keyed hashes: they are linked no more. The key is made once, and leaves the database with backups alone.
create table identity_forgotten (
    tenant_id text not null,
    digest    bytea not null,
    primary key (tenant_id, digest)
);
create table identity_key (
    only_one boolean primary key default true check (only_one),
    key      bytea not null
);
insert into identity_key (key) values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- What the operator has set aside, and why.
alter table source add column paused_at timestamptz;
alter table source add column resync_at timestamptz; -- passes that began before are not gone on with

-- What sources told to have changed, until it was read.
create table source_hint (
    tenant_id text not null,
    source_id text not null,
    subject   text not null, -- in the words of the source's connector
    heard_at  timestamptz not null,
    primary key (tenant_id, source_id, subject)
);

-- The nodes whose readers count at this moment.
create view readable_node as
select n.tenant_id, n.principal, n.readers
from access_node n
join source_access a on a.tenant_id = n.tenant_id and a.source_id = n.source_id and a.loop = 'nodes' and a.until > now()
join source s on s.tenant_id = n.tenant_id and s.id = n.source_id and s.paused_at is null
where n.until is null or n.until > now();

-- +goose Down
drop view readable_node;
drop table source_hint;
alter table source drop column resync_at;
alter table source drop column paused_at;
drop table identity_key;
drop table identity_forgotten;
drop table identity;
drop table account;
drop table source_access;
drop table source_member;
drop table source_group;
drop table source_address;
drop table source_person;
drop table access_set_clause;
drop table access_set;
drop table access_node;
