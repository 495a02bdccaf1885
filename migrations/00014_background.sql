-- +goose Up
-- What work in the background needs. First the tables of River, the job queue, as its own migrations 1 to 8 leave them: they stand here so
-- that one command brings the whole schema up to date, and a test compares the two.
create type river_job_state as enum ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled');

create table river_job (
    id            bigserial primary key,
    state         river_job_state not null default 'available',
    attempt       smallint not null default 0,
    max_attempts  smallint not null default 25,
    attempted_at  timestamptz,
    created_at    timestamptz not null default now(),
    finalized_at  timestamptz,
    scheduled_at  timestamptz not null default now(),
    priority      smallint not null default 1,
    args          jsonb not null,
    attempted_by  text[],
    errors        jsonb[],
    kind          text not null,
    metadata      jsonb not null default '{}',
    queue         text not null default 'default',
    tags          varchar(255)[] not null default '{}',
    unique_key    bytea,
    unique_states bit(8),
    constraint finalized_or_finalized_at_null check (
        (finalized_at is null and state not in ('cancelled', 'completed', 'discarded')) or
        (finalized_at is not null and state in ('cancelled', 'completed', 'discarded'))),
    constraint max_attempts_is_positive check (max_attempts > 0),
    constraint priority_in_range check (priority >= 1 and priority <= 4),
    constraint queue_length check (char_length(queue) > 0 and char_length(queue) < 128),
    constraint kind_length check (char_length(kind) > 0 and char_length(kind) < 128)
);
create index river_job_kind on river_job (kind);
create index river_job_state_and_finalized_at_index on river_job (state, finalized_at) where finalized_at is not null;
create index river_job_prioritized_fetching_index on river_job (state, queue, priority, scheduled_at, id);
create index river_job_args_index on river_job using gin (args);
create index river_job_metadata_index on river_job using gin (metadata);

-- +goose StatementBegin
create function river_job_state_in_bitmask(bitmask bit(8), state river_job_state) returns boolean language sql immutable as $$
    select case state
        when 'available' then get_bit(bitmask, 7)
        when 'cancelled' then get_bit(bitmask, 6)
        when 'completed' then get_bit(bitmask, 5)
        when 'discarded' then get_bit(bitmask, 4)
        when 'pending'   then get_bit(bitmask, 3)
        when 'retryable' then get_bit(bitmask, 2)
        when 'running'   then get_bit(bitmask, 1)
        when 'scheduled' then get_bit(bitmask, 0)
        else 0
    end = 1;
$$;
-- +goose StatementEnd
create unique index river_job_unique_idx on river_job (unique_key)
    where unique_key is not null and unique_states is not null and river_job_state_in_bitmask(unique_states, state);

create unlogged table river_leader (
    elected_at timestamptz not null,
    expires_at timestamptz not null,
    leader_id  text not null,
    name       text primary key default 'default',
    constraint name_length check (name = 'default'),
    constraint leader_id_length check (char_length(leader_id) > 0 and char_length(leader_id) < 128)
);

create table river_queue (
    name       text primary key not null,
    created_at timestamptz not null default now(),
    metadata   jsonb not null default '{}'::jsonb,
    paused_at  timestamptz,
    updated_at timestamptz not null default current_timestamp
);

create table river_notification (
    id         bigserial primary key,
    created_at timestamptz not null default now(),
    payload    text not null,
    topic      text not null,
    constraint topic_length check (length(topic) > 0 and length(topic) < 128)
);
create index river_notification_created_at_idx on river_notification (created_at);
create index river_notification_topic_id_idx on river_notification (topic, id);

-- A local model is trained in one job and the chunks get their vectors in others. Searches use the newest that is ready.
alter table local_model add column ready boolean not null default true;

-- What the fast model wrote about documents and passages, by what it was asked: asking the same again costs nothing.
create table enrichment (
    tenant_id text not null,
    digest    bytea not null, -- SHA-256 of the model's name and all that it was given
    text      text not null,
    used_at   timestamptz not null default now(),
    primary key (tenant_id, digest)
);
create index enrichment_used on enrichment (tenant_id, used_at);

-- +goose Down
drop table enrichment;
alter table local_model drop column ready;
drop table river_notification;
drop table river_queue;
drop table river_leader;
drop table river_job;
drop function river_job_state_in_bitmask;
drop type river_job_state;
