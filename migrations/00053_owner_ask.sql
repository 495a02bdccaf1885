-- +goose Up
-- Questions about which the owner of the nearest page was asked in the thread: no one is mentioned
-- twice about one question.
create table owner_ask (
    tenant_id  text not null,
    session_id uuid not null,
    question   text not null, -- turn.platform_message, or the turn's id where messages have none
    turn_id    uuid not null,
    asked_at   timestamptz not null default clock_timestamp(),
    primary key (tenant_id, session_id, question),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);
create index owner_ask_turn on owner_ask (tenant_id, turn_id);

-- People who do not want to be asked about their pages.
create table owner_undisturbed (
    tenant_id text not null references tenant (id),
    platform  text not null,
    person    text not null,
    since     timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, person)
);

-- +goose Down
drop table owner_undisturbed;
drop table owner_ask;
