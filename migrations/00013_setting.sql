-- +goose Up
-- What was changed in chat of a channel, of all channels of a workspace (channel empty), or of a platform (workspace empty too). It counts
-- before the configuration file.
create table setting (
    tenant_id  text not null references tenant (id),
    platform   text not null,
    workspace  text not null,
    channel    text not null,
    key        text not null,
    value      text not null,
    changed_by text not null,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, workspace, channel, key)
);

-- What was decided about a message; neither what it says nor who wrote it.
create table verdict (
    tenant_id text not null,
    platform  text not null,
    workspace text not null,
    channel   text not null,
    message   text not null,
    thread    text not null,
    action    text not null,
    reason    text not null,
    at        timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, workspace, channel, message)
);
create index verdict_age on verdict (at);

-- Questions that were counted against quotas.
create table quota_use (
    tenant_id    text not null,
    counter      text not null,
    seconds      int not null, -- length of the window
    window_start timestamptz not null,
    used         int not null,
    primary key (tenant_id, counter, seconds, window_start)
);
create index quota_use_age on quota_use (window_start);

alter table turn
    add column reason        text not null default '', -- why it is answered
    add column ambient       boolean not null default false, -- nobody asked
    add column limited_until timestamptz, -- a quota had no room for it before
    add column edited_text   text, -- the question as it is to be answered once the attempt that runs lets go
    add column edited_files  text, -- JSON; null: as before
    add column withdrawn_at  timestamptz; -- the question was deleted
create index turn_unasked on turn (tenant_id, finished_at) where ambient and outcome = 'answered';

alter table thread
    add column joined boolean not null default true, -- the bot takes part; else it only watches whether a person answers
    add column helped boolean not null default false; -- a helper wrote since the bot was last asked

alter table run
    add column searches jsonb not null default '[]'; -- what was looked for and found, for explanations

-- +goose Down
alter table run drop column searches;
alter table thread drop column joined, drop column helped;
drop index turn_unasked;
alter table turn
    drop column reason, drop column ambient, drop column limited_until, drop column edited_text, drop column edited_files,
    drop column withdrawn_at;
drop table quota_use;
drop table verdict;
drop table setting;
