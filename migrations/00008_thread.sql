-- +goose Up
-- Threads that the bot takes part in. What people write there is kept only where it was asked.
create table thread (
    tenant_id    text not null references tenant (id),
    platform     text not null,
    workspace    text not null,
    channel      text not null,
    thread       text not null,
    starter      text not null default '',
    unfollowed   boolean not null default false,
    bot_turns    int not null default 0, -- messages of other bots since a person wrote last
    last_message text not null default '',
    last_seen_at timestamptz not null default clock_timestamp(),
    caught_up    text not null default '', -- message up to which the thread was read as context
    primary key (tenant_id, platform, workspace, channel, thread)
);

create table participant (
    tenant_id    text not null,
    platform     text not null,
    workspace    text not null,
    channel      text not null,
    thread       text not null,
    person       text not null,
    bot          boolean not null,
    last_seen_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, workspace, channel, thread, person),
    foreign key (tenant_id, platform, workspace, channel, thread) references thread on delete cascade
);

-- +goose Down
drop table participant;
drop table thread;
