-- +goose Up
-- How far recurring work is that people see, such as weekly reports. What is scheduled, and when,
-- is in the configuration file.
create table schedule (
    tenant_id text not null references tenant (id),
    name      text not null, -- PLATFORM:CHANNEL:WHAT
    known_at  timestamptz not null default clock_timestamp(), -- earlier due times do not count
    due_at    timestamptz, -- the due time that the other columns are about; null: none yet
    state     text not null default '' check (state in ('', 'begun', 'done', 'off', 'missed', 'failed', 'unsure')),
    begun_at  timestamptz, -- when work on due_at began
    attempts  int not null default 0,
    again_at  timestamptz, -- state begun: no process tries before
    posted    boolean not null default false, -- an attempt may have posted
    note      text not null default '', -- for an operator
    primary key (tenant_id, name)
);

-- +goose Down
drop table schedule;
