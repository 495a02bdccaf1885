-- +goose Up
-- Processes that hold turns. One row is beaten once a second, whatever the number of turns.
create table replica (
    id         text primary key,
    started_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null
);
create index replica_expiry on replica (expires_at);

-- Deliveries of events by platforms, each taken in once.
create table event (
    tenant_id text not null,
    platform  text not null,
    workspace text not null,
    event_key text not null,
    turn_id   uuid not null,
    at        timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, workspace, event_key)
);
create index event_age on event (at);

-- Messages on platforms that belong to a turn; or, while turn_id is null, a stop that waits for the message to become known.
-- Intakes and stops of one message queue on its row, so that neither can miss the other.
create table surface_message (
    tenant_id       text not null,
    platform        text not null,
    workspace       text not null,
    channel         text not null,
    message         text not null,
    turn_id         uuid,
    role            text check (role in ('question', 'page', 'notice')),
    stop_at         timestamptz,
    stop_by         text[] not null default '{}',
    stop_privileged boolean not null default false,
    primary key (tenant_id, platform, workspace, channel, message),
    check ((turn_id is null) = (role is null))
);
create index surface_message_turn on surface_message (tenant_id, turn_id) where turn_id is not null;
create index surface_message_tombstone on surface_message (stop_at) where turn_id is null;

-- What a turn has posted or is about to.
create table delivery (
    tenant_id    text not null,
    turn_id      uuid not null,
    kind         text not null check (kind in ('page', 'notice')),
    model        int not null,
    page         int not null,
    platform     text not null,
    workspace    text not null,
    channel      text not null,
    thread       text not null,
    message      text not null default '',
    state        text not null check (state in ('intended', 'posted', 'final')),
    content_hash text not null default '',
    attempt      int not null,
    updated_at   timestamptz not null default clock_timestamp(),
    primary key (tenant_id, turn_id, kind, model, page),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);

-- +goose Down
drop table delivery;
drop table surface_message;
drop table event;
drop table replica;
