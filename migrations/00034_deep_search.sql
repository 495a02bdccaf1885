-- +goose Up
-- Deep searches: what a question was taken apart into, and what became of each part, as it comes. Whoever takes a turn over goes on with what is missing.
create table deep_search (
    tenant_id text not null,
    turn_id   uuid not null,
    question  text not null,    -- for which it was planned; an edited one is planned anew
    audience  text not null,    -- fingerprint of those for whom it was planned
    direct    boolean not null, -- the question needs no depth
    primary key (tenant_id, turn_id),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);

create table deep_question (
    tenant_id text not null,
    turn_id   uuid not null,
    number    int not null check (number > 0), -- in the order in which they were asked
    round     int not null,                    -- 0: of the plan
    text      text not null,
    after     int not null,                    -- number of the one that is answered before; 0: none is
    again     int not null,                    -- number of the one that this one asks again; 0: none
    ordinal   int,                             -- in the order in which findings came; null while there is none
    state     text check (state in ('found', 'missing', 'failed', 'dropped')),
    shown     text not null default '',        -- one line of Markdown, with readers' numbers
    finding   json,                            -- deepsearch.Finding
    primary key (tenant_id, turn_id, number),
    foreign key (tenant_id, turn_id) references deep_search (tenant_id, turn_id) on delete cascade,
    check ((state is null) = (finding is null) and (state is null) = (ordinal is null))
);

create table deep_judgment (
    tenant_id text not null,
    turn_id   uuid not null,
    round     int not null check (round > 0),
    judgment  json not null, -- deepsearch.Judgment
    primary key (tenant_id, turn_id, round),
    foreign key (tenant_id, turn_id) references deep_search (tenant_id, turn_id) on delete cascade
);

-- +goose Down
drop table deep_judgment;
drop table deep_question;
drop table deep_search;
