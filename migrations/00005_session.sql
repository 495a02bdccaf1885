-- +goose Up
-- A conversation: a thread's own (owner empty), or a person's private one beside it.
create table session (
    tenant_id  text not null references tenant (id),
    id         uuid not null,
    platform   text not null,
    workspace  text not null,
    channel    text not null,
    thread     text not null,
    owner      text not null,
    starter    text not null,          -- who began the thread, as the platform names people; empty when not known
    turns      int not null default 0, -- the number of the newest turn; intakes of a session queue on this row
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    unique (tenant_id, platform, workspace, channel, thread, owner)
);

-- A question on its way to its one outcome.
create table turn (
    tenant_id         text not null,
    id                uuid not null,
    session_id        uuid not null,
    number            int not null check (number > 0),
    sequence          bigint not null generated always as identity, -- over all sessions: the oldest turn is leased first
    platform          text not null,
    workspace         text not null,
    state             text not null default 'queued' check (state in ('queued', 'running', 'delivering', 'done')),
    outcome           text check (outcome in ('answered', 'no_evidence', 'refused', 'not_permitted', 'stopped', 'limited', 'failed',
                                              'declined', 'superseded')),
    attempt           int not null default 0, -- fences every write on behalf of the turn
    takeovers         int not null default 0, -- replicas that died while they held it
    owner             text not null default '', -- replica that holds it; empty when nobody does
    not_before        timestamptz not null default '-infinity',
    platform_message  text not null, -- of the question; empty where messages have no ids
    asker_id          text not null,
    asker_name        text not null,
    principals        text[] not null, -- what everybody who sees the answer holds
    direct            boolean not null,
    reply_token       bytea, -- encrypted
    reply_expires_at  timestamptz,
    intake_at         timestamptz not null default clock_timestamp(),
    started_at        timestamptz, -- first lease
    finished_at       timestamptz, -- outcome
    delivered_at      timestamptz,
    disturbed         boolean not null default false, -- written over by an attempt that had lost its lease: to be delivered again
    stop_requested_at timestamptz,
    stop_requested_by text not null default '',
    sentence          text not null default '',
    reference         text not null default '',
    timings           jsonb not null default '{}', -- name → microseconds
    primary key (tenant_id, id),
    unique (tenant_id, session_id, number),
    foreign key (tenant_id, session_id) references session (tenant_id, id) on delete cascade,
    check ((outcome is not null) = (state in ('delivering', 'done')))
);
-- A session runs one turn at a time, whatever the code does.
create unique index turn_one_at_a_time on turn (tenant_id, session_id) where state in ('running', 'delivering');
create index turn_queued on turn (sequence) where state = 'queued';
create index turn_unfinished on turn (tenant_id, session_id, number) where state <> 'done';
create index turn_disturbed on turn (sequence) where disturbed and state = 'done';
create index turn_reply on turn (reply_expires_at) where reply_token is not null;
create index turn_held on turn (owner) where state in ('running', 'delivering');

-- What one model did in a turn.
create table run (
    tenant_id     text not null,
    turn_id       uuid not null,
    model_index   int not null,
    model         text not null,
    input_tokens  int not null,
    output_tokens int not null,
    reasoning     int not null, -- characters
    shown         text not null, -- as the reader saw it
    outcome       text not null,
    grounding     text not null,
    sentence      text not null,
    reference     text not null,
    retryable     boolean not null,
    notices       text[] not null,
    closest       jsonb not null, -- the nearest documents, when nothing was found
    primary key (tenant_id, turn_id, model_index),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);

-- Messages in order; the question is ordinal 0 of model_index -1.
create table message (
    tenant_id   text not null,
    id          uuid not null,
    turn_id     uuid not null,
    model_index int not null,
    ordinal     int not null,
    role        text not null check (role in ('user', 'assistant', 'tool_call', 'tool_result')),
    author      text not null,
    text        text not null,
    call_id     text not null,
    tokens      int not null,
    at          timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, turn_id, model_index, ordinal),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);

create table message_file (
    tenant_id  text not null,
    message_id uuid not null,
    ordinal    int not null,
    file_id    text not null,
    name       text not null,
    media      text not null,
    text       text not null,
    image      bytea,
    tokens     int not null,
    failed     text not null,
    primary key (tenant_id, message_id, ordinal),
    foreign key (tenant_id, message_id) references message (tenant_id, id) on delete cascade
);

create table tool_call (
    tenant_id  text not null,
    message_id uuid not null,
    ordinal    int not null,
    call_id    text not null,
    name       text not null,
    arguments  text not null, -- as it ran; text, since a model may write what jsonb refuses
    primary key (tenant_id, message_id, ordinal),
    foreign key (tenant_id, message_id) references message (tenant_id, id) on delete cascade
);

create table citation (
    tenant_id   text not null,
    message_id  uuid not null,
    ordinal     int not null,
    number      int not null,
    model_sees  int not null,
    document_id text not null,
    source_id   text not null,
    kind        text not null,
    title       text not null,
    url         text not null,
    updated_at  timestamptz,
    anchor      text not null,
    link        text not null,
    quote       text not null,
    primary key (tenant_id, message_id, ordinal),
    foreign key (tenant_id, message_id) references message (tenant_id, id) on delete cascade
);

-- Every passage that an answer's prompt held: who may see the answer again depends on these, and follow-ups draw on them.
create table message_document (
    tenant_id   text not null,
    message_id  uuid not null,
    ordinal     int not null,
    number      int not null, -- under which the model saw the document
    document_id text not null,
    source_id   text not null,
    kind        text not null,
    title       text not null,
    url         text not null,
    updated_at  timestamptz,
    chunk_id    bigint not null,
    anchor      text not null,
    text        text not null,
    score       double precision not null,
    primary key (tenant_id, message_id, ordinal),
    foreign key (tenant_id, message_id) references message (tenant_id, id) on delete cascade
);
create index message_document_of on message_document (tenant_id, document_id);

-- +goose Down
drop table message_document;
drop table citation;
drop table tool_call;
drop table message_file;
drop table message;
drop table run;
drop table turn;
drop table session;
