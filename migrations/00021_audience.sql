-- +goose Up
-- What replicas tell one another of who listens (deploy/decisions/0004-audience-freshness.md). Names and ids of platforms belong to no tenant: a
-- server may be bound to another one at any time.

-- Whether some replica hears of changes in a workspace: what was read while none did is believed no more.
create table audience_workspace (
    platform    text not null,
    workspace   text not null,
    heard_at    timestamptz not null default clock_timestamp(), -- when a replica last said that it hears
    whole_since timestamptz not null default clock_timestamp(), -- since when one always did
    listed_at   timestamptz not null default '-infinity',       -- when the newest complete list of its people was begun
    listing     boolean not null default false,                 -- a replica reads one
    relist_at   timestamptz not null default '-infinity',       -- until when nobody else begins
    primary key (platform, workspace)
);

-- Versions of a channel, of a person, or (scope empty) of all that is known of a workspace. A fact that a replica remembers is believed as long as
-- they are those from before it was read. They come from one sequence, so that a row that was swept away never takes up an old one again.
create sequence audience_version;
create table audience_change (
    platform   text not null,
    workspace  text not null,
    scope      text not null,
    version    bigint not null default nextval('audience_version'),
    changed_at timestamptz not null default clock_timestamp(),
    primary key (platform, workspace, scope)
);

-- Whose presence leaves a channel one of full members alone. It is kept across restarts, because listing a large workspace takes minutes.
create table audience_person (
    platform     text not null,
    workspace    text not null,
    person       text not null,
    inside       boolean, -- null: it has changed, and is to be asked
    confirmed_at timestamptz not null default clock_timestamp(),
    primary key (platform, workspace, person)
);

-- +goose Down
drop table audience_person;
drop table audience_change;
drop sequence audience_version;
drop table audience_workspace;
